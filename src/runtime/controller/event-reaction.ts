import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { InformerEvent } from "../cache/informer.ts";
import { isThenable, synchronous } from "../callbacks/call-safely.ts";
import { show } from "../callbacks/thrown-error.ts";
import type { DeepReadonly } from "../client/deep-readonly.ts";
import { enqueueEach } from "./enqueue-each.ts";
import type { Enqueue } from "./source.ts";

/** Maps an object to the requests that its change causes. Duplicate requests count once. */
export type RequestMap<T extends KubernetesObject, R> = (
  object: DeepReadonly<T>,
) => readonly R[] | Promise<readonly R[]>;

/**
 * Handles the events of a kind: sees their type, the old and the new object, and enqueues requests with a priority and
 * a delay. The default priority is 0, and -100 for initial objects and resyncs.
 */
export type EventHandler<T extends KubernetesObject, R> = (
  event: InformerEvent<DeepReadonly<T>>,
  enqueue: Enqueue<R>,
) => void | Promise<void>;

/** Reports the failure of a user's function. */
type Fail = (callback: "map" | "handler", object: KubernetesObject, error: unknown) => void;

/** What a watch does with an event. A promise is awaited before the next event. */
export interface Reaction<T extends KubernetesObject, R> {
  readonly callback: "map" | "handler";
  react(event: InformerEvent<DeepReadonly<T>>, enqueue: Enqueue<R>, fail: Fail): void | Promise<void>;
}

/** Enqueues the requests of a map function. After an update both states are mapped: the old one may have another owner. */
export function mapping<T extends KubernetesObject, R>(
  requestsOf: RequestMap<T, R>,
  keyOf: (request: R) => string,
): Reaction<T, R> {
  return {
    callback: "map",
    react(event, enqueue, fail) {
      const states = event.type === "update" ? [event.object, event.oldObject] : [event.object];
      const seen = new Set<string>();
      const add = (requests: unknown): void => {
        if (!Array.isArray(requests))
          throw new TypeError(`it returned ${show(requests)}, which is not an array of requests`);
        enqueueEach(requests as readonly R[], (request) => {
          const key = synchronous(keyOf(request));
          if (!seen.has(key)) enqueue(request);
          seen.add(key);
        });
      };
      const slow = states.map((state) => {
        try {
          const found = requestsOf(state);
          if (isThenable(found)) return found.then(add).catch((error: unknown) => fail("map", state, error));
          add(found);
        } catch (error) {
          fail("map", state, error);
        }
        return undefined;
      });
      const running = slow.filter((one) => one !== undefined);
      return running.length === 0 ? undefined : Promise.all(running).then(() => {});
    },
  };
}

/** Leaves everything to an event handler. */
export function handling<T extends KubernetesObject, R>(handler: EventHandler<T, R>): Reaction<T, R> {
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
