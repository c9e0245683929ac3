import { count } from "../../shared/text.ts";
import type { RecordedSample } from "../record/recorded-sample.ts";

/** Blocks that are shorter are none for a reader. */
const leastBlock = 20;

/** Prints a sample and the number of finished reconciles on one line; undefined if the process has ended. */
export function numbersLine(sample: RecordedSample | undefined, reconciles: number): string | undefined {
  if (sample === undefined || sample.resident === 0) return undefined;
  const { controllers, cached, blocked, resident } = sample;
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
  const busy = sum(controllers.map(({ active }) => active));
  return [
    `queue ${sum(controllers.map(({ queued }) => queued))}`,
    `workers ${busy}/${sum(controllers.map(({ workers }) => workers))}`,
    count(reconciles, "reconcile"),
    `cache ${count(sum(Object.values(cached)), "object")}`,
    ...(blocked > leastBlock ? [`blocked ${blocked} ms`] : []),
    `memory ${Math.round(resident / 1024 / 1024)} MB`,
  ].join("  ");
}
