import type { Kind } from "@tsbuilder/apimachinery/meta";
import type { Cache, CacheOptions } from "../cache/cache.ts";
import { createShardedCache } from "../cache/create-cache.ts";
import { CallbackError } from "../callbacks/callback-error.ts";
import type { LiveClient } from "../client/live-client.ts";
import { ApiError } from "../errors/api-error.ts";
import type { Sharing } from "../leader-election/make-member.ts";
import { logCallbackError } from "../log/log-callback-error.ts";
import type { Logger } from "../log/logger.ts";
import type { Base } from "./manager-base.ts";
import type { ManagerOptions } from "./manager-options.ts";

export function makeManagerCache(
  { cache: options }: ManagerOptions,
  { name, clock, slices, measurements, log }: Base,
  live: LiveClient,
  sharing: Sharing | undefined,
): Cache {
  const all: CacheOptions = {
    fieldManager: name,
    onWarning: (text, { kind }) => log.warn(text, { kind: kind.kind }),
    clock,
    ...options,
    onError: (error, informer) => {
      if (error instanceof CallbackError) measurements.callbackFailed(error.callback);
      if (options?.onError) options.onError(error, informer);
      else logCacheError(log, error, informer.kind);
    },
  };
  return createShardedCache(live, all, sharing?.gate, slices);
}

function logCacheError(log: Logger, error: Error, { kind, apiVersion, group }: Kind): void {
  if (error instanceof CallbackError) logCallbackError(log, error, { kind });
  else if (error instanceof ApiError && error.isNotFound)
    log.error("The cluster doesn't serve this kind, trying again", {
      kind,
      apiVersion,
      ...(group.includes(".") &&
        !group.endsWith(".k8s.io") && {
          hint: "if it is a custom resource, install its CRD: make install",
        }),
    });
  else log.error("Watch failed, trying again", { kind, error });
}

/** A watch that lost its permissions keeps retrying, but its manager must not count as ready. */
export function checkInformers(cache: Cache): void {
  const behind = cache.informers.find(
    ({ hasSynced, stats }) =>
      !hasSynced || (stats.lastError instanceof ApiError && stats.lastError.isForbidden),
  );
  if (behind)
    throw behind.stats.lastError ?? new Error(`the ${behind.kind.kind} objects are still being listed`);
}
