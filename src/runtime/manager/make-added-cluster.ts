import { createCachedClient } from "../cache/cached-client.ts";
import type { ClientOptions } from "../client/live-client.ts";
import { AddedCluster, type AddedClusterParts } from "./added-cluster.ts";
import type { Base } from "./manager-base.ts";
import { makeManagerCache } from "./manager-cache.ts";
import { makeEvents, makeLiveClient } from "./manager-clients.ts";
import { graceOf } from "./manager-lifecycle.ts";
import type { ManagerOptions } from "./manager-options.ts";

/** A cluster besides the manager's own: requests are sent and objects cached as for that one. */
export function makeAddedCluster(
  clusterName: string,
  options: ManagerOptions,
  all: Base,
  beforeSend: ClientOptions["beforeSend"],
  shared: Pick<AddedClusterParts, "lifecycle" | "tracing" | "onRemoved">,
): AddedCluster {
  const base = { ...all, log: all.log.with({ cluster: clusterName }) };
  const live = makeLiveClient(options, base, beforeSend);
  const cache = makeManagerCache(options, base, live, undefined);
  const cached = createCachedClient(live, cache);
  return new AddedCluster(clusterName, {
    ...base,
    ...shared,
    client: options.client?.wrap?.(cached) ?? cached,
    cache,
    events: makeEvents(base, live),
    controllerDefaults: options.controllers ?? {},
    gracefulShutdownTimeout: graceOf(options),
    close: () => live.close(),
  });
}
