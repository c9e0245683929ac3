import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Sent, SentObject } from "../../../contract/api-object.ts";

export type ServiceSpec = Sent<core.ServiceSpec>;
export type Service = SentObject<ServiceSpec, Sent<core.ServiceStatus>>;

/** Returns whether Services of this type have a clusterIP, which may be None. */
export function hasAddress({ type }: ServiceSpec): boolean {
  return type !== "ExternalName";
}

export function isHeadless({ clusterIPs, clusterIP }: ServiceSpec): boolean {
  return clusterIPs ? clusterIPs.length === 1 && clusterIPs[0] === "None" : clusterIP === "None";
}

/** Returns whether Services of this type have node ports, unless they ask for none to be allocated. */
export function mayHaveNodePorts({ type }: ServiceSpec): boolean {
  return type === "NodePort" || type === "LoadBalancer";
}

export function hasNodePorts({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean {
  return type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts !== false);
}

/** Returns whether the Service accepts external traffic. */
export function isExternal({ type, externalIPs = [] }: ServiceSpec): boolean {
  return type === "LoadBalancer" || type === "NodePort" || (type === "ClusterIP" && externalIPs.length > 0);
}

/** With externalTrafficPolicy Local, the load balancer checks which nodes have pods. */
export function needsHealthCheck({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === "LoadBalancer" && externalTrafficPolicy === "Local";
}
