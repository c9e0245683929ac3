import type { ApiObject } from "../contract/api-object.ts";
import type { Cluster } from "../start-cluster.ts";

/** A cluster, and the functions by which `startTestCluster` installs objects in it. */
export interface OpenCluster {
  readonly cluster: Cluster;
  /** Creates or replaces an object, and returns the stored one. */
  readonly put: (object: ApiObject) => Promise<ApiObject>;
  /** Resolves when a CRD is served. */
  readonly served: (definition: ApiObject) => Promise<void>;
}
