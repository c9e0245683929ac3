import type { Duration } from "@tsbuilder/apimachinery/meta";
import { parseDuration } from "@tsbuilder/apimachinery/time";
import { TerminalError } from "../errors/terminal-error.ts";

/** Parses an option that is a duration, in milliseconds; the error for an invalid one names the option. */
export function readDuration(option: string, text: Duration): number {
  try {
    return parseDuration(text);
  } catch (cause) {
    throw new TerminalError(
      `${option} is ${JSON.stringify(text)}, which is not a duration: write it like "30s" or "1h30m"`,
      { cause },
    );
  }
}
