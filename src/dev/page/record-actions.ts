import type { RecordedAction } from "../record/recorded.ts";
import { describeFailure } from "./describe-failure.ts";
import type { PageAction, PageActions } from "./page-action.ts";
import { isErrorTold, tellInput } from "./tell-input.ts";

/** Where actions are recorded. */
export interface ActionRecord {
  acted(action: Omit<RecordedAction, "type">): void;
}

/** The same actions, which are recorded with their outcome; those that change nothing are not. */
export function recordActions(actions: PageActions, record: ActionRecord): PageActions {
  return Object.fromEntries(
    Object.entries(actions).map(([name, action]) => [name, recorded(name, action, record)]),
  );
}

function recorded(name: string, action: PageAction, record: ActionRecord): PageAction {
  return async (input) => {
    const told = tellInput(name, input);
    if (told === undefined) return action(input);
    const [at, began] = [new Date().toISOString(), performance.now()];
    const tell = (rest: Pick<RecordedAction, "outcome" | "error">): void =>
      record.acted({ at, name, input: told, ...rest, seconds: (performance.now() - began) / 1000 });
    try {
      const answer = await action(input);
      tell({ outcome: "done" });
      return answer;
    } catch (error) {
      const { message } = describeFailure(error).failure;
      tell({ outcome: "refused", ...(isErrorTold(name, told) && { error: message }) });
      throw error;
    }
  };
}
