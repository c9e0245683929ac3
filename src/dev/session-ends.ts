import { TsbuilderError } from "../shared/errors.ts";

/** What is refused, or broken off, because the session stops. */
export function sessionEnds(): TsbuilderError {
  return new TsbuilderError("tsbuilder dev is stopping", { code: "REFUSED", hint: "start it again" });
}
