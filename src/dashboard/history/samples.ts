import type { RecordedSample } from "../../dev/record/recorded-sample.ts";
import { countUntil } from "./history.ts";

/** How the operator's process did, with times in milliseconds since 1970. */
export interface Sample extends Omit<RecordedSample, "type" | "at" | "since" | "blockedUntil"> {
  readonly at: number;
  readonly since: number;
  /** Undefined if the event loop was not blocked. */
  readonly blockedUntil: number | undefined;
}

export function sampleOf({ at, since, blockedUntil, ...numbers }: RecordedSample): Sample {
  return {
    ...numbers,
    at: Date.parse(at),
    since: Date.parse(since),
    blockedUntil: blockedUntil === undefined ? undefined : Date.parse(blockedUntil),
  };
}

/** The last sample up to a moment: what it says holds until the next one. */
export function sampleAt(samples: readonly Sample[], moment: number): Sample | undefined {
  return samples[countUntil(samples, ({ at }) => at <= moment) - 1];
}

/** When the operator started again. */
export function restartsOf(samples: readonly Sample[]): number[] {
  const starts = [...new Set(samples.map(({ since }) => since))];
  return starts.slice(1);
}
