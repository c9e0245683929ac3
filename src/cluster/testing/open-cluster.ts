import type { ApiObject } from "../contract/api-object.ts";
import type { Cluster } from "../start-cluster.ts";

/** A cluster with the functions by which a test installs objects. */
export interface OpenCluster {
  readonly cluster: Cluster;
  readonly put: (object: ApiObject) => Promise<ApiObject>;
  /** Resolves when a CRD is served. */
  readonly served: (definition: ApiObject) => Promise<void>;
}
