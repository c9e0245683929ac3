export type { Controller, Watch } from "./controller-spec.ts";
export { ControllerBuilder, RequestControllerBuilder } from "./controller-builder.ts";
export type { EventHandler, RequestMap } from "./kind-source.ts";
export type {
  AddedWatchFilter,
  BackoffOptions,
  ControllerDefaults,
  ControllerOptions,
  OwnsFilter,
  RetryDelay,
  WatchFilter,
} from "./controller-options.ts";
export {
  allOf,
  annotationsChanged,
  anyOf,
  generationChanged,
  labelsChanged,
  labelsMatch,
  not,
  notOwnWrite,
  objectMatches,
  type Predicate,
  resourceVersionChanged,
} from "./predicate.ts";
export { type IntervalOptions, intervalSource } from "./source.ts";
export { RequestChannel } from "./source.ts";
export type { Cleanup, Context, Reconciler, Request, Result } from "./reconciler.ts";
export type { Enqueue, EnqueueOptions, Source, SourceContext } from "./source.ts";
