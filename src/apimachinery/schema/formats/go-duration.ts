import { parseNanoseconds } from "../../time/index.ts";

/** Returns the nanoseconds of a duration in Go's notation, or undefined. */
export function parseGoDuration(text: string): bigint | undefined {
  try {
    return parseNanoseconds(text);
  } catch {
    return undefined;
  }
}
