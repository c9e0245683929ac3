import type { SampleMessage } from "@tsbuilder/runtime";
import type { ToldSample } from "./subscriber.ts";

/** How the operator's process does. Once it has ended, all numbers are 0. */
export interface RecordedSample extends Omit<SampleMessage, "since" | "blockedAgo"> {
  readonly type: "sample";
  readonly at: string;
  /** When its manager started: another time is another process. */
  readonly since: string;
  readonly blockedUntil?: string | undefined;
}

export function recordedSample(told: ToldSample): RecordedSample {
  const { controllers, cached, cachedBytes, blocked, blockedAgo, resident, heap, heapKept } = told;
  return {
    type: "sample",
    at: timeOf(told.at),
    since: timeOf(told.since),
    controllers,
    cached,
    cachedBytes,
    blocked,
    blockedUntil: blockedAgo === undefined ? undefined : timeOf(told.at - blockedAgo),
    resident,
    heap,
    heapKept,
  };
}

/** What is left when the process that sent a sample has ended. */
export function sampleOfEnd({ since }: RecordedSample): RecordedSample {
  return {
    type: "sample",
    at: timeOf(Date.now()),
    since,
    controllers: [],
    cached: {},
    cachedBytes: 0,
    blocked: 0,
    resident: 0,
    heap: 0,
    heapKept: undefined,
  };
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
