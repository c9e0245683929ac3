import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { type InformerEvent, type ObjectCache, syncFailure } from "../cache/cache.ts";
import {
  CallbackError,
  isThenable,
  show,
  stillRuns,
  synchronous,
  eachDespiteErrors,
} from "../callbacks/callbacks.ts";
import { type NamespacedName, type ObjectKey, type Stored, formatKey } from "../client/client.ts";
import { onAbort, settledWithin } from "../clock/waits.ts";
import { hasRange } from "../shards/ranges.ts";
import { becauseOf } from "../tracing/span-causes.ts";
import type { Enqueue, Source } from "./source.ts";
import type { Predicate } from "./predicate.ts";
import type { ObjectShard } from "./object-shard.ts";

/** Initial lists and resyncs have low priority: a change made now should not wait behind ten thousand old objects. */
const lowPriority = -100;

/** The parts of a source of requests. */
interface KindSourceSpec<T extends KubernetesObject, Key extends ObjectKey, R> {
  readonly cache: ObjectCache;
  readonly kind: Kind<T, Key>;
  readonly predicates: readonly Predicate<T, Key>[];
  readonly reaction: Reaction<T, Key, R>;
  readonly resyncPeriod: number | undefined;
  /** Set for the controller's own kind if objects are shared: those that this process gains are handled as initial. */
  readonly shard?: ObjectShard<T> | undefined;
}

/** Creates a source that turns changes of a kind's objects into requests. */
export function kindSource<T extends KubernetesObject, Key extends ObjectKey, R>(
  spec: KindSourceSpec<T, Key, R>,
): Source<R> {
  const { cache, kind, predicates, reaction, resyncPeriod, shard } = spec;
  const causes = {
    add: `add of ${kind.kind}`,
    update: `update of ${kind.kind}`,
    delete: `delete of ${kind.kind}`,
  };
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
        report(new CallbackError(callback, `a ${callback} of kind ${kind.kind}`, error, formatKey(metadata)));
      const accepts = (event: InformerEvent<Stored<T, Key>>, predicate: Predicate<T, Key>): boolean => {
        try {
          return synchronous(predicate(event));
        } catch (error) {
          fail("predicate", event.object, error);
          // An unnecessary reconcile does no harm; a missing one may.
          return true;
        }
      };
      const handle = (event: InformerEvent<Stored<T, Key>>): void | Promise<void> => {
        shard?.note(event);
        if (!predicates.every((predicate) => accepts(event, predicate))) return;
        const defaultPriority = isInitialOrResync(event) ? lowPriority : 0;
        const defaultCause = { cause: causes[event.type], about: event.object.metadata };
        const add: Enqueue<R> = (request, { after, priority = defaultPriority, cause, about } = {}) =>
          enqueue(request, { after, priority, ...(cause === undefined ? defaultCause : { cause, about }) });
        const running = becauseOf(kind, event, () => reaction.react(event, add, fail));
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

function isInitialOrResync<T extends KubernetesObject>(event: InformerEvent<T>): boolean {
  switch (event.type) {
    case "add":
      return event.isInInitialList;
    case "update":
      return event.isResync;
    case "delete":
      return false;
  }
}

/** Maps an object to the requests that its change causes. Duplicate requests count once. */
export type RequestMap<T extends KubernetesObject, R, Key extends ObjectKey = NamespacedName> = (
  object: Stored<T, Key>,
) => readonly R[] | Promise<readonly R[]>;

/**
 * Handles the events of a kind: sees their type, the old and the new object, and enqueues requests with a priority and
 * a delay. The default priority is 0, and -100 for initial objects and resyncs.
 */
export type EventHandler<T extends KubernetesObject, R, Key extends ObjectKey = NamespacedName> = (
  event: InformerEvent<Stored<T, Key>>,
  enqueue: Enqueue<R>,
) => void | Promise<void>;

/** Reports the failure of a user's function, with the object that it was called with. */
type Fail = (callback: "map" | "handler", object: KubernetesObject, error: unknown) => void;

/** Turns events into requests by a user's function. A promise is awaited before the next event. */
export interface Reaction<T extends KubernetesObject, Key extends ObjectKey, R> {
  readonly callback: "map" | "handler";
  react(event: InformerEvent<Stored<T, Key>>, enqueue: Enqueue<R>, fail: Fail): void | Promise<void>;
}

/**
 * Enqueues the requests of a map function. After an update both states are mapped: the old one may have another owner.
 */
export function mapping<T extends KubernetesObject, Key extends ObjectKey, R>(
  requestsOf: RequestMap<T, R, Key>,
  keyOf: (request: R) => string,
): Reaction<T, Key, R> {
  return {
    callback: "map",
    react(event, enqueue, fail) {
      const states = event.type === "update" ? [event.object, event.oldObject] : [event.object];
      const seen = new Set<string>();
      const add = (requests: unknown): void => {
        if (!Array.isArray(requests))
          throw new TypeError(`it returned ${show(requests)}, which is not an array of requests`);
        eachDespiteErrors(requests as readonly R[], (request) => {
          const key = synchronous(keyOf(request));
          if (!seen.has(key)) enqueue(request);
          seen.add(key);
        });
      };
      const pending = states.map((state) => {
        try {
          const found = requestsOf(state);
          if (isThenable(found)) return found.then(add).catch((error: unknown) => fail("map", state, error));
          add(found);
        } catch (error) {
          fail("map", state, error);
        }
        return undefined;
      });
      const running = pending.filter((promise) => promise !== undefined);
      return running.length === 0 ? undefined : Promise.all(running).then(() => {});
    },
  };
}

/** Passes events to an event handler, which enqueues requests itself. */
export function handling<T extends KubernetesObject, Key extends ObjectKey, R>(
  handler: EventHandler<T, R, Key>,
): Reaction<T, Key, R> {
  return {
    callback: "handler",
    react(event, enqueue, fail) {
      try {
        const running = handler(event, enqueue);
        if (!isThenable(running)) return;
        return running.then(undefined, (error: unknown) => fail("handler", event.object, error));
      } catch (error) {
        fail("handler", event.object, error);
      }
    },
  };
}
