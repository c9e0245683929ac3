import { onAbort } from "../clock/on-abort.ts";
import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Cache } from "../cache/cache.ts";
import type { InformerEvent } from "../cache/informer.ts";
import { syncFailure } from "../cache/sync-failure.ts";
import { synchronous } from "../callbacks/call-safely.ts";
import { CallbackError, stillRuns } from "../callbacks/callback-error.ts";
import type { DeepReadonly } from "../client/deep-readonly.ts";
import { keyText } from "../client/object-key.ts";
import { settledWithin } from "../clock/settled-within.ts";
import { hasRange } from "../shards/ranges.ts";
import { isObserved } from "../tracing/channels.ts";
import type { Reaction } from "./event-reaction.ts";
import type { ObjectShard } from "./object-shard.ts";
import type { Predicate } from "./predicate.ts";
import type { Enqueue, Source } from "./source.ts";

/** Initial lists and resyncs have low priority: a change made now should not wait behind ten thousand old objects. */
export const lowPriority = -100;

/** What a source for a watched kind needs. */
export interface KindSourceSpec<T extends KubernetesObject, R> {
  readonly cache: Cache;
  readonly kind: Kind<T>;
  readonly predicates: readonly Predicate<T>[];
  /** What an event causes. */
  readonly reaction: Reaction<T, R>;
  readonly resyncPeriod: number | undefined;
  /** For the kind of a controller whose objects are shared: what this process gains is handled like a first list. */
  readonly shard?: ObjectShard<T> | undefined;
}

/** Turns changes of a kind's objects into requests. */
export function kindSource<T extends KubernetesObject, R>(spec: KindSourceSpec<T, R>): Source<R> {
  const { cache, kind, predicates, reaction, resyncPeriod, shard } = spec;
  return {
    name: `kind ${kind.apiVersion} ${kind.kind}`,
    beforeLease: true,
    async start(enqueue, { signal, patience, clock, stuckAfter, report }) {
      const informer = cache.informer(kind);
      const fail = (
        callback: "predicate" | "map" | "handler",
        { metadata }: KubernetesObject,
        error: unknown,
      ): void =>
        report(new CallbackError(callback, `a ${callback} of kind ${kind.kind}`, error, keyText(metadata)));
      const accepts = (event: InformerEvent<DeepReadonly<T>>, predicate: Predicate<T>): boolean => {
        try {
          return synchronous(predicate(event));
        } catch (error) {
          fail("predicate", event.object, error);
          // An unnecessary reconcile does no harm; a missing one may.
          return true;
        }
      };
      const handle = (event: InformerEvent<DeepReadonly<T>>): void | Promise<void> => {
        shard?.note(event);
        if (!predicates.every((predicate) => accepts(event, predicate))) return;
        const usual = isOldNews(event) ? lowPriority : 0;
        const told = isObserved("tsbuilder:enqueue") ? causeOf(kind, event) : undefined;
        const add: Enqueue<R> = (request, { after, priority = usual, cause = told } = {}) =>
          enqueue(request, { after, priority, cause });
        const running = reaction.react(event, add, fail);
        if (!running) return;
        return settledWithin(clock, stuckAfter, running, () =>
          fail(
            reaction.callback,
            event.object,
            new Error(`${stillRuns(stuckAfter)}; its source goes on without it`),
          ),
        );
      };
      const subscription = informer.subscribe(handle, resyncPeriod === undefined ? {} : { resyncPeriod });
      const stopReplays = shard?.gate.onOpen((ranges) =>
        subscription.replay((object) => hasRange(ranges, shard.rangeOfObject(object))),
      );
      onAbort(signal, () => {
        stopReplays?.();
        subscription.unsubscribe();
      });
      try {
        await subscription.synced(patience);
      } catch (error) {
        if (signal.aborted) return;
        throw syncFailure(informer, error);
      }
    },
  };
}

function causeOf<T extends KubernetesObject>({ kind }: Kind, event: InformerEvent<T>): string {
  return `${event.type} of ${kind} ${keyText(event.object.metadata)}`;
}

function isOldNews<T extends KubernetesObject>(event: InformerEvent<T>): boolean {
  switch (event.type) {
    case "add":
      return event.isInInitialList;
    case "update":
      return event.isResync;
    case "delete":
      return false;
  }
}
