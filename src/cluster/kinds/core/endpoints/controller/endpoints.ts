import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import type { ResourceName } from "../../../../contract/cluster-objects.ts";
import type { Stored } from "../../../../contract/stored.ts";

export type EndpointAddress = Stored<core.EndpointAddress>;
export type EndpointPort = Stored<core.EndpointPort>;
export type Endpoints = Stored<core.Endpoints>;

export const endpoints: ResourceName<Endpoints> = "endpoints";
