import { countUntil, type History, type Printed, type Reconcile } from "./history.ts";

/** In milliseconds. Lines reach dev after they were printed: on a busy machine, by seconds. Their ID says whose they are. */
const delay = 30_000;

/** What was logged in a reconcile: lines with its ID, which structured logs have. */
export function logOf({ printed }: History, { reconcileID, from, to }: Reconcile): Printed[] {
  const first = countUntil(printed, ({ at }) => at < from);
  const last = countUntil(printed, ({ at }) => at <= to + delay);
  return printed.slice(first, last).filter(({ text }) => text.includes(reconcileID));
}
