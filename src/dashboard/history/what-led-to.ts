import { about } from "./about.ts";
import type { History, Reconcile } from "./history.ts";

/** The object that a cause names: `update of StatefulSet default/db`. */
export function objectOfCause(cause: string): { readonly kind: string; readonly key: string } | undefined {
  const [, kind, key] = /^(?:add|update|delete) of (\S+) (\S+)$/u.exec(cause) ?? [];
  return kind === undefined || key === undefined ? undefined : { kind, key };
}

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
