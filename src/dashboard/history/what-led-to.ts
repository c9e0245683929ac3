import { objectOfCause } from "../../dev/record/causes.ts";
import { about } from "./about.ts";
import type { History, Reconcile } from "./history.ts";

/** The reconciles whose writes made this one run: for each of its causes the last one that wrote the object before. */
export function whatLedTo(history: History, { causes, from }: Reconcile): Reconcile[] {
  const found = causes.flatMap((cause) => {
    const object = objectOfCause(cause);
    if (object === undefined) return [];
    return history
      .placesOf(object.kind, object.key)
      .flatMap(
        (place) =>
          about(history, place).wrote.findLast(({ reconcile }) => reconcile.from < from)?.reconcile ?? [],
      );
  });
  return [...new Set(found)];
}
