import type { LogFields } from "../scope/scope.ts";
import type { Logger } from "./logger.ts";
import type { CallbackError } from "../callbacks/callback-error.ts";

/** Logs the failure of a user's function. */
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
