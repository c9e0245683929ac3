import type { Duration } from "@tsbuilder/apimachinery/meta";
import { parseDuration } from "@tsbuilder/apimachinery/time";
import { TerminalError } from "../errors/terminal-error.ts";

/** Reads an option that is a duration, in milliseconds; what is none is refused with the option's name. */
export function readDuration(option: string, text: Duration): number {
  try {
    return parseDuration(text);
  } catch (cause) {
    throw new TerminalError(
      `${option} is ${JSON.stringify(text)}, which is no duration: write it like "30s" or "1h30m"`,
      { cause },
    );
  }
}
