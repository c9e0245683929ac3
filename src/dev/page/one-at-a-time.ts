import { TsbuilderError } from "../../shared/errors.ts";
import type { PageAction } from "./page-action.ts";

/** The same action, which is refused while it is being done: nobody means a second one who is only impatient. */
export function oneAtATime(action: PageAction, refusal: string): PageAction {
  let isBusy = false;
  return async (input) => {
    if (isBusy) throw new TsbuilderError(refusal, { code: "REFUSED", hint: "wait until that is done" });
    isBusy = true;
    try {
      return await action(input);
    } finally {
      isBusy = false;
    }
  };
}
