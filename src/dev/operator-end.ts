import { TsbuilderError } from "../shared/errors.ts";
import type { DevEvent } from "./dev-event.ts";

/** What to say of an operator that ended by itself: nothing is wrong if it only printed its flags, or has lost its Lease. */
export function operatorEnd(reason: string, args: readonly string[], isExpected: boolean): DevEvent {
  if (isExpected) return { type: "info", text: `the operator ended ${reason}, as it must without its Lease` };
  if (reason === "with code 0" && args.some((arg) => arg === "--help" || arg === "-h")) {
    return { type: "info", text: "the operator printed its flags and ended: start dev without --help" };
  }
  const error = new TsbuilderError(`the operator exited ${reason}`, {
    code: "TOOL_FAILED",
    hint: "see the last lines of its log; it restarts with the next edit",
  });
  return { type: "error", error };
}
