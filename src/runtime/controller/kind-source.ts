import { onAbort } from "../client/on-abort.ts";
import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Cache } from "../cache/cache.ts";
import type { Informer, InformerEvent } from "../cache/informer.ts";
import { ApiError } from "../client/api-error.ts";
import type { Predicate } from "./predicate.ts";
import type { Source } from "./source.ts";

/** Events that tell nothing new come last: a change made now should not wait behind ten thousand old objects. */
export const lowPriority = -100;

/** What a source of a watched kind is made of. */
export interface KindSourceSpec<T extends KubernetesObject, R> {
  readonly cache: Cache;
  readonly kind: Kind<T>;
  readonly predicates: readonly Predicate<T>[];
  /** The requests that one state of an object causes. */
  readonly requestsOf: (object: T) => readonly R[] | Promise<readonly R[]>;
  readonly keyOf: (request: R) => string;
  readonly resyncPeriod: number | undefined;
}

/** Turns the changes of a kind's objects into requests. After an update both states count: an owner may be a former one. */
export function kindSource<T extends KubernetesObject, R>(spec: KindSourceSpec<T, R>): Source<R> {
  const { cache, kind, predicates, requestsOf, keyOf, resyncPeriod } = spec;
  return {
    name: `kind ${kind.apiVersion} ${kind.kind}`,
    async start(enqueue, { signal, patience, log }) {
      const informer = cache.informer(kind);
      const add = (requests: readonly R[], priority: number) => {
        const seen = new Set<string>();
        for (const request of requests) {
          const key = keyOf(request);
          if (!seen.has(key)) enqueue(request, { priority });
          seen.add(key);
        }
      };
      const handle = (event: InformerEvent<T>): void | Promise<void> => {
        if (!predicates.every((predicate) => predicate(event))) return;
        const priority = isOldNews(event) ? lowPriority : 0;
        const states = event.type === "update" ? [event.object, event.oldObject] : [event.object];
        const found = states.map((state) => requestsOf(state));
        if (found.every((requests) => Array.isArray(requests))) return add(found.flat(), priority);
        return Promise.all(found.map(async (requests) => requests)).then((all) => add(all.flat(), priority));
      };
      const subscription = informer.subscribe(
        (event) => {
          try {
            return handle(event)?.catch(report);
          } catch (error) {
            return report(error);
          }
        },
        resyncPeriod === undefined ? {} : { resyncPeriod },
      );
      function report(error: unknown): void {
        log.error("Can't map an event to requests", { source: `${kind.apiVersion} ${kind.kind}`, error });
      }
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

/** Says which kind didn't come, and why: most often its CRD or a right is missing. */
function syncFailure({ kind, stats }: Informer, cause: unknown): Error {
  const { lastError } = stats;
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
