import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Controller } from "./controller.ts";
import type { ControllerOptions, OwnsFilter, WatchFilter } from "./controller-options.ts";
import type { Predicate } from "./predicate.ts";
import type { Cleanup, Reconciler, Request } from "./reconciler.ts";
import type { Source } from "./source.ts";

/** Says what one controller watches, and how it runs. Nothing happens before `complete`. */
export interface BaseControllerBuilder<R> {
  /** The controller's name in logs and metrics, unique in the manager; the kind in lower case unless said otherwise. */
  named(name: string): this;

  /** Turns events of a kind into requests: `map` is called with the object, and after an update with the old one too. */
  watches<T extends KubernetesObject>(kind: Kind<T>, map: RequestMap<T, R>, filter?: WatchFilter<T>): this;

  /** Adds requests from elsewhere. Predicates don't apply to them. */
  watchesSource(source: Source<R>): this;

  /** Filters the events of all watched kinds: all predicates must accept one. */
  withPredicates(...predicates: Predicate[]): this;

  withOptions(options: ControllerOptions): this;

  /** Adds the controller to the manager. Throws a `TerminalError` for a name that is taken. */
  complete(reconciler: Reconciler<R>): Controller;
}

/** Builds the controller of a kind: its requests are keys of that kind's objects. */
export interface ControllerBuilder<T extends KubernetesObject> extends BaseControllerBuilder<Request> {
  /** Reconciles the object that controls a changed object of this kind. Use `metadataOnly(Kind)` to cache less. */
  owns<Owned extends KubernetesObject>(kind: Kind<Owned>, filter?: OwnsFilter<Owned>): this;

  /**
   * Adds a finalizer to every object before its first reconcile. When an object is deleted, `cleanup` is called in
   * place of `reconcile`, and the finalizer removed when it succeeded. Several run in the order they were added.
   */
  finalizer(name: string, cleanup: Cleanup<T>): this;

  /**
   * Reconciles objects too that are being deleted. Without it they never reach `reconcile`, so that children aren't
   * made again while the garbage collector waits for them to go. Cleanups run first.
   */
  whileDeleting(): this;
}

/** Finds the requests that an object's change causes; the same request twice counts once. */
export type RequestMap<T extends KubernetesObject, R> = (object: T) => readonly R[] | Promise<readonly R[]>;
