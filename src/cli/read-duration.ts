import { parseDuration } from "@tsbuilder/apimachinery/time";
import { TsbuilderError } from "../shared/errors.ts";

/** Milliseconds of the duration that a flag was given. */
export function readDuration(flag: string, text: string): number {
  try {
    const duration = parseDuration(text);
    if (duration < 0) throw new RangeError("it is negative");
    return duration;
  } catch (error) {
    throw new TsbuilderError(`--${flag} "${text}" is not a duration`, {
      code: "INVALID_ARGUMENT",
      hint: "write it as 30s, 10m or 1h30m",
      cause: error,
    });
  }
}
