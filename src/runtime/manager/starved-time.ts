import { readFileSync } from "node:fs";

/**
 * For how many milliseconds this process could have run, but others did; 0 where the system doesn't tell, as outside of
 * Linux.
 */
export function starvedTime(): number {
  try {
    const [, waited] = readFileSync("/proc/self/schedstat", "utf8").split(" ");
    return Number(waited) / 1e6;
  } catch {
    return 0;
  }
}
