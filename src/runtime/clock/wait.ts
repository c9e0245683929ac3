import type { Clock } from "@tsbuilder/apimachinery/time";
import { waitWithClock } from "./wait-with-clock.ts";

/** Resolves after the given number of milliseconds; rejects with the signal's reason. Leaves no timer behind. */
export async function wait(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  await waitWithClock(clock, milliseconds, signal);
  signal?.throwIfAborted();
}
