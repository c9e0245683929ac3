import { onAbort } from "../clock/on-abort.ts";
import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Cache } from "../cache/cache.ts";
import type { Informer, InformerEvent } from "../cache/informer.ts";
import { isThenable } from "../callbacks/call-safely.ts";
import { CallbackError, stillRuns } from "../callbacks/callback-error.ts";
import { show } from "../callbacks/thrown-error.ts";
import { ApiError } from "../errors/api-error.ts";
import { keyText } from "../client/object-key.ts";
import { settledWithin } from "../clock/settled-within.ts";
import type { Predicate } from "./predicate.ts";
import type { Source } from "./source.ts";

/** Initial lists and resyncs have low priority: a change made now should not wait behind ten thousand old objects. */
export const lowPriority = -100;

/** What a source for a watched kind needs. */
export interface KindSourceSpec<T extends KubernetesObject, R> {
  readonly cache: Cache;
  readonly kind: Kind<T>;
  readonly predicates: readonly Predicate<T>[];
  /** Maps one state of an object to requests. */
  readonly requestsOf: (object: T) => readonly R[] | Promise<readonly R[]>;
  readonly keyOf: (request: R) => string;
  readonly resyncPeriod: number | undefined;
}

/**
 * Turns changes of a kind's objects into requests. After an update both states are mapped: the old one may have another
 * owner.
 */
export function kindSource<T extends KubernetesObject, R>(spec: KindSourceSpec<T, R>): Source<R> {
  const { cache, kind, predicates, requestsOf, keyOf, resyncPeriod } = spec;
  return {
    name: `kind ${kind.apiVersion} ${kind.kind}`,
    beforeLease: true,
    async start(enqueue, { signal, patience, clock, stuckAfter, report }) {
      const informer = cache.informer(kind);
      const fail = (callback: "predicate" | "map", { metadata }: T, error: unknown): void =>
        report(new CallbackError(callback, `a ${callback} of kind ${kind.kind}`, error, keyText(metadata)));
      const accepts = (event: InformerEvent<T>, predicate: Predicate<T>): boolean => {
        try {
          return predicate(event);
        } catch (error) {
          fail("predicate", event.object, error);
          // An unnecessary reconcile does no harm; a missing one may.
          return true;
        }
      };
      const handle = (event: InformerEvent<T>): void | Promise<void> => {
        if (!predicates.every((predicate) => accepts(event, predicate))) return;
        const priority = isOldNews(event) ? lowPriority : 0;
        const states = event.type === "update" ? [event.object, event.oldObject] : [event.object];
        const seen = new Set<string>();
        const add = (requests: unknown): void => {
          if (!Array.isArray(requests))
            throw new TypeError(`it returned ${show(requests)}, which is not an array of requests`);
          for (const request of requests as readonly R[]) {
            const key = keyOf(request);
            if (!seen.has(key)) enqueue(request, { priority });
            seen.add(key);
          }
        };
        const slow = states.map((state) => {
          try {
            const found = requestsOf(state);
            if (isThenable(found))
              return found.then(add).catch((error: unknown) => fail("map", state, error));
            add(found);
          } catch (error) {
            fail("map", state, error);
          }
          return undefined;
        });
        const running = slow.filter((one) => one !== undefined);
        if (running.length === 0) return;
        const all = Promise.all(running).then(() => {});
        return settledWithin(clock, stuckAfter, all, () =>
          fail("map", event.object, new Error(`${stillRuns(stuckAfter)}; its source goes on without it`)),
        );
      };
      const subscription = informer.subscribe(handle, resyncPeriod === undefined ? {} : { resyncPeriod });
      onAbort(signal, () => subscription.unsubscribe());
      try {
        await subscription.synced(patience);
      } catch (error) {
        if (signal.aborted) return;
        throw syncFailure(informer, error);
      }
    },
  };
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

/** Says which kind could not be synced and why: usually its CRD or an RBAC permission is missing. */
function syncFailure({ kind, stats, hasSynced }: Informer, cause: unknown): Error {
  const { lastError } = stats;
  if (hasSynced) return new Error(`a map function of ${kind.kind} objects has not ended in time`, { cause });
  const resource = kind.group === "" ? kind.plural : `${kind.plural}.${kind.group}`;
  let hint = lastError === undefined ? "" : `: ${lastError.message}`;
  if (lastError instanceof ApiError && lastError.isForbidden)
    hint += `. The operator needs the verbs get, list and watch on ${resource}`;
  if (lastError instanceof ApiError && lastError.isNotFound)
    hint += `. Is the CustomResourceDefinition of ${resource} installed?`;
  return new Error(`the ${kind.kind} objects (${kind.apiVersion}) could not be listed in time${hint}`, {
    cause: lastError ?? cause,
  });
}
