export { CallbackError, type CallbackName } from "../callbacks/callbacks.ts";
export type { Cache, CacheOptions, InformerScope, KindCacheOptions } from "./cache.ts";
export type {
  Informer,
  InformerEvent,
  InformerHandler,
  InformerStats,
  SubscribeOptions,
  Subscription,
} from "./informer.ts";
export { createCache } from "./create-cache.ts";
export { createCachedClient } from "./cached-client.ts";
