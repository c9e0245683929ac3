import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Controller, ExtensibleController, Watch } from "./controller-spec.ts";
import type { AddedWatchFilter } from "./controller-options.ts";
import { type EventHandler, handling, mapping, type Reaction, type RequestMap } from "./kind-source.ts";
import type { Source } from "./source.ts";

/** What the builder of a controller adds to it. */
interface WatchableParts<R> {
  readonly keyOf: (request: R) => string;
  /** Makes the source of a kind, with the options and predicates of the controller. */
  readonly sourceOf: <T extends KubernetesObject>(
    kind: Kind<T>,
    reaction: Reaction<T, R>,
    filter: AddedWatchFilter<T>,
  ) => Source<R>;
}

/** A controller as its user sees it: it can watch more kinds at any time. */
export class WatchableController<R> implements Controller<R> {
  readonly name: string;
  readonly #engine: ExtensibleController<R>;
  readonly #parts: WatchableParts<R>;

  constructor(engine: ExtensibleController<R>, parts: WatchableParts<R>) {
    this.name = engine.name;
    this.#engine = engine;
    this.#parts = parts;
  }

  get depth(): number {
    return this.#engine.depth;
  }

  get active(): number {
    return this.#engine.active;
  }

  watch<T extends KubernetesObject>(
    kind: Kind<T>,
    map: RequestMap<T, R>,
    filter: AddedWatchFilter<T> = {},
  ): Watch {
    const { keyOf, sourceOf } = this.#parts;
    return this.#engine.addSource(sourceOf(kind, mapping(map, keyOf), filter));
  }

  watchEvents<T extends KubernetesObject>(
    kind: Kind<T>,
    handler: EventHandler<T, R>,
    filter: AddedWatchFilter<T> = {},
  ): Watch {
    return this.#engine.addSource(this.#parts.sourceOf(kind, handling(handler), filter));
  }

  watchSource(source: Source<R>): Watch {
    return this.#engine.addSource(source);
  }
}
