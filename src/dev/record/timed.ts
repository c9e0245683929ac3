// Lines of a record with their times as numbers, for what computes with them: the detectors of `findings`, and the page.

import { type Recorded, type RecordedCall, type RecordedSample, endedAt } from "./recorded.ts";

/** A reconcile, with times in milliseconds since 1970. */
export type Reconcile = Extract<Recorded, { type: "reconcile" }> & {
  readonly from: number;
  readonly to: number;
};

/** A call of a webhook, with times in milliseconds since 1970. */
export type Call = RecordedCall & {
  readonly from: number;
  readonly to: number;
};

/** A sample of the operator's process, with times in milliseconds since 1970. */
export interface Sample extends Omit<RecordedSample, "type" | "at" | "since" | "blockedUntil"> {
  readonly at: number;
  readonly since: number;
  /** Undefined if the event loop was not blocked. */
  readonly blockedUntil: number | undefined;
}

export function reconcileOf(reconcile: Extract<Recorded, { type: "reconcile" }>): Reconcile {
  return { ...reconcile, from: Date.parse(reconcile.at), to: endedAt(reconcile) };
}

export function callOf(recorded: RecordedCall, at: number): Call {
  return { ...recorded, from: at, to: at + recorded.seconds * 1000 };
}

export function sampleOf({ at, since, blockedUntil, ...numbers }: RecordedSample): Sample {
  return {
    ...numbers,
    at: Date.parse(at),
    since: Date.parse(since),
    blockedUntil: blockedUntil === undefined ? undefined : Date.parse(blockedUntil),
  };
}
