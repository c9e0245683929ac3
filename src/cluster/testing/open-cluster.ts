import type { ApiObject } from "../contract/api-object.ts";
import type { Cluster } from "../start-cluster.ts";

/** A cluster, and how a test puts objects into it. */
export interface OpenCluster {
  readonly cluster: Cluster;
  readonly put: (object: ApiObject) => Promise<ApiObject>;
  /** Resolves when what a definition says is served. */
  readonly served: (definition: ApiObject) => Promise<void>;
}
