import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Store } from "../storage/store.ts";

/** How often the real API server has etcd compacted. */
const interval = 5 * 60_000;

/**
 * Lets old revisions expire for lists, and with them continue tokens: every five minutes those before the revision of
 * five minutes ago. Returns a function that stops this.
 */
export function expireLists(store: Store, clock: Clock): () => void {
  let { revision } = store;
  const next = (): (() => void) =>
    clock.setTimer(() => {
      store.expireLists(revision);
      ({ revision } = store);
      cancel = next();
    }, interval);
  let cancel = next();
  return () => cancel();
}
