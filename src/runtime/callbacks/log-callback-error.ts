import type { LogFields, Logger } from "../log/logger.ts";
import type { CallbackError } from "./callback-error.ts";

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
