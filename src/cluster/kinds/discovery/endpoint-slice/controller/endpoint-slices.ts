import type * as discovery from "@tsbuilder/apimachinery/k8s/discovery/v1";
import type { ResourceName } from "../../../../contract/cluster-objects.ts";
import type { Stored } from "../../../../contract/stored.ts";

export type EndpointSlice = Stored<discovery.EndpointSlice>;

export const endpointSlices: ResourceName<EndpointSlice> = "endpointslices.discovery.k8s.io";

/** The labels that say which Service a slice is about, and who writes it. */
export const serviceLabel = "kubernetes.io/service-name";
export const managerLabel = "endpointslice.kubernetes.io/managed-by";
