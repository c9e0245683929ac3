import type { ApiObject } from "../../../contract/api-object.ts";

export interface ServicePort {
  name?: string;
  port?: number;
  targetPort?: number | string;
  protocol?: string;
  appProtocol?: string;
  nodePort?: number;
}

export interface ServiceSpec {
  type?: string;
  clusterIP?: string;
  clusterIPs?: string[];
  ports?: ServicePort[];
  sessionAffinity?: string;
  sessionAffinityConfig?: { clientIP?: { timeoutSeconds?: number } };
  internalTrafficPolicy?: string;
  externalTrafficPolicy?: string;
  trafficDistribution?: string;
  ipFamilies?: string[];
  ipFamilyPolicy?: string;
  allocateLoadBalancerNodePorts?: boolean;
  loadBalancerClass?: string;
  loadBalancerIP?: string;
  loadBalancerSourceRanges?: string[];
  healthCheckNodePort?: number;
  selector?: Record<string, string>;
  externalName?: string;
  externalIPs?: string[];
}

export interface Ingress {
  ip?: string;
  ipMode?: string;
  hostname?: string;
}

export interface Service extends ApiObject {
  spec: ServiceSpec;
  status?: { loadBalancer?: { ingress?: Ingress[] } };
}

/** Whether the service can be reached by an address of its own in the cluster. */
export function hasAddress({ type }: ServiceSpec): boolean {
  return type !== "ExternalName";
}

export function isHeadless({ clusterIPs, clusterIP }: ServiceSpec): boolean {
  return clusterIPs ? clusterIPs.length === 1 && clusterIPs[0] === "None" : clusterIP === "None";
}

export function hasNodePorts({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean {
  return type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts !== false);
}

/** Whether traffic comes in from outside. */
export function isExternal({ type, externalIPs = [] }: ServiceSpec): boolean {
  return type === "LoadBalancer" || type === "NodePort" || (type === "ClusterIP" && externalIPs.length > 0);
}

/** A load balancer that sends to nodes with pods only must ask them whether they have some. */
export function needsHealthCheck({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === "LoadBalancer" && externalTrafficPolicy === "Local";
}
