export type { Controller } from "./controller-spec.ts";
export { ControllerBuilder, RequestControllerBuilder, type RequestMap } from "./controller-builder.ts";
export type {
  BackoffOptions,
  ControllerDefaults,
  ControllerOptions,
  OwnsFilter,
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
export { type IntervalOptions, intervalSource } from "./interval-source.ts";
export { RequestChannel } from "./request-channel.ts";
export type { Cleanup, Context, Reconciler, Request, Result } from "./reconciler.ts";
export type { Enqueue, EnqueueOptions, Source, SourceContext } from "./source.ts";
