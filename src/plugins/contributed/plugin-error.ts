import type { ErrorCode } from "../../shared/error-codes.ts";
import { TsbuilderError } from "../../shared/errors.ts";

/** Creates an error that names the plugin: by its key, or by its package as long as the key is unknown. */
export function pluginError(
  key: string,
  message: string,
  { code = "INVALID_PLUGIN", hint, cause }: { code?: ErrorCode; hint?: string; cause?: unknown } = {},
): TsbuilderError {
  return new TsbuilderError(`plugin "${key}": ${message}`, {
    code,
    hint: hint ?? "report it to the plugin's author; nothing was written",
    cause,
  });
}

/** Returns the message of a thrown value, which may be no error. */
export function messageOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    return "an error without a message";
  }
}
