import { AsyncResource } from "node:async_hooks";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Store } from "../storage/store.ts";

/** The time for which an event is kept after its last write. */
const eventLifetime = 60 * 60 * 1000;

/** Deletes events an hour after their last write. Returns a function to stop. */
export function expireEvents(store: Store, clock: Clock): () => void {
  const events = store.collection("events");
  /** In order: each write adds one, an hour from then. Those of earlier revisions of an event have no effect. */
  const deadlines: { key: string; revision: number; at: number }[] = [];
  let cancel: (() => void) | undefined;
  /** Runs outside of the request whose write set the timer, so that the deletion has no writer. */
  const expireDue = AsyncResource.bind(expire);

  function schedule(key: string, revision: number): void {
    deadlines.push({ key, revision, at: clock.now() + eventLifetime });
    if (deadlines.length === 1) wait();
  }

  function wait(): void {
    const [next] = deadlines;
    cancel = next && clock.setTimer(expireDue, next.at - clock.now());
  }

  function expire(): void {
    const now = clock.now();
    const due = deadlines.findIndex(({ at }) => at > now);
    for (const { key, revision } of deadlines.splice(0, due === -1 ? deadlines.length : due)) {
      const entry = events.get(key);
      if (entry?.revision === revision) store.remove(events, entry);
    }
    wait();
  }

  for (const { key, revision } of events.list()) schedule(key, revision);
  const stop = events.listen(({ type, entry }) => {
    if (type !== "DELETED") schedule(entry.key, entry.revision);
  });
  return () => {
    stop();
    cancel?.();
  };
}

/** The interval at which the real API server compacts etcd. */
const compactionInterval = 5 * 60_000;

/** Every five minutes, expires revisions and continue tokens older than five minutes. Returns a function to stop. */
export function expireLists(store: Store, clock: Clock): () => void {
  let { revision } = store;
  const next = (): (() => void) =>
    clock.setTimer(
      () => {
        store.expireLists(revision);
        ({ revision } = store);
        cancel = next();
      },
      compactionInterval,
      "upkeep",
    );
  let cancel = next();
  return () => cancel();
}
