import type { Status } from "@tsbuilder/apimachinery/meta";
import { ApiError } from "../errors/api-error.ts";

/** The exit code that a Status tells; throws an `ApiError` if the command did not run. */
export function exitCodeOf(status: Partial<Status>, request: string): number {
  if (status.status === "Success") return 0;
  const cause = status.details?.causes?.find(({ reason }) => reason === "ExitCode");
  const code = Number(cause?.message);
  if (status.reason === "NonZeroExitCode" && Number.isInteger(code)) return code;
  throw new ApiError(status, { request });
}
