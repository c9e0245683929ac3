import type { LogFields, Logger } from "./logger.ts";
import type { CallbackError } from "../callbacks/callback-error.ts";

/** The one line that says what a function of the user's did not do. */
export function logCallbackError(
  log: Logger,
  { subject, object, cause }: CallbackError,
  fields: LogFields,
): void {
  log.error("A callback failed, going on without it", {
    ...fields,
    callback: subject,
    ...(object !== undefined && { object }),
    error: cause,
  });
}
