import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { ResourceName } from "../../contract/cluster-objects.ts";

/** A port of endpoints, resolved to a number. */
export interface EndpointPort {
  name?: string;
  port: number;
  protocol?: string;
  appProtocol?: string;
}

export interface TargetRef {
  kind: "Pod";
  name?: string;
  namespace?: string;
  uid?: string;
}

export interface EndpointAddress {
  ip: string;
  hostname?: string;
  nodeName?: string;
  targetRef?: TargetRef;
}

export interface Endpoints extends KubernetesObject {
  subsets?: {
    addresses?: EndpointAddress[];
    notReadyAddresses?: EndpointAddress[];
    ports?: EndpointPort[];
  }[];
}

export interface EndpointSlice extends KubernetesObject {
  addressType: string;
  endpoints: {
    addresses: string[];
    conditions: { ready: boolean; serving: boolean; terminating: boolean };
    hostname?: string;
    nodeName?: string;
    targetRef?: TargetRef;
  }[];
  ports: EndpointPort[];
}

export const endpoints: ResourceName<Endpoints> = "endpoints";
export const endpointSlices: ResourceName<EndpointSlice> = "endpointslices.discovery.k8s.io";
