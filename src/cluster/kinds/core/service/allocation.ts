import { invalid } from "@tsbuilder/apimachinery/errors";
import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import { internalError, invalidObject } from "../../../contract/status-error.ts";
import type { Collection } from "../../../storage/collection.ts";
import type { Sent, SentObject } from "../../../contract/sent.ts";

/** The Services with their addresses, and all IPAddresses, which others may create, too. */
interface Allocated {
  readonly services: Collection;
  readonly addresses: Collection;
}

const subject = { group: "", plural: "services", kind: "Service" };

/** The range of the addresses that are allocated. */
export const serviceRange = "10.96.0.0/16";

/**
 * Allocates a clusterIP in this range, in order; one that is in use is rejected. A Service may request any
 * address in 10.0.0.0/8, so that manifests from other clusters work.
 */
export function allocateAddress(
  service: Service,
  { services, addresses }: Allocated,
  ownUid: string | undefined,
): void {
  const { spec } = service;
  if (spec.type === "ExternalName") return;
  if (spec.clusterIP === "None") {
    spec.clusterIPs = ["None"];
    return;
  }
  const taken = new Map<string | undefined, string | undefined>([
    ...addresses.list().map(({ key }) => [key, ""] as const),
    ...services
      .list()
      .map(({ object }) => [(object as Service).spec.clusterIP, object.metadata.uid] as const),
  ]);
  if (!spec.clusterIP) spec.clusterIP = freeAddress(taken);
  else if (!/^(10\.|[^.]*:)/.test(spec.clusterIP)) {
    const detail = `failed to allocate IP ${spec.clusterIP}: the provided network does not match the current range`;
    throw invalidObject(subject, service.metadata.name!, [
      invalid("spec.clusterIPs", [spec.clusterIP], detail),
    ]);
  } else if (taken.has(spec.clusterIP) && taken.get(spec.clusterIP) !== ownUid) {
    const detail = `failed to allocate IP ${spec.clusterIP}: provided IP is already allocated`;
    throw invalidObject(subject, service.metadata.name!, [
      invalid("spec.clusterIPs", [spec.clusterIP], detail),
    ]);
  }
  spec.clusterIPs = [spec.clusterIP];
}

function freeAddress(taken: ReadonlyMap<string | undefined, unknown>): string {
  for (let index = 10; index < 65_000; index++) {
    const address = `10.96.${index >> 8}.${index & 255}`;
    if (!taken.has(address)) return address;
  }
  throw new RangeError("no service address is free");
}

const lowest = 30_000;

const highest = 32_767;

/** Allocates node ports for NodePort and LoadBalancer Services, and a healthCheckNodePort. */
export function allocateNodePorts(service: Service, services: Collection): void {
  const { spec } = service;
  if (!hasNodePorts(spec) && !needsHealthCheck(spec)) return;
  const taken = new Set<number>();
  for (const { object } of services.list()) {
    if (object.metadata.uid === service.metadata.uid) continue;
    const { ports = [], healthCheckNodePort } = (object as Service).spec;
    for (const { nodePort } of ports) if (nodePort) taken.add(nodePort);
    if (healthCheckNodePort) taken.add(healthCheckNodePort);
  }
  const ports = hasNodePorts(spec) ? (spec.ports ?? []) : [];
  for (const [index, port] of ports.entries()) {
    // TCP and UDP may share a node port, as for DNS.
    const shared = ports
      .slice(0, index)
      .some((each) => each.nodePort === port.nodePort && each.protocol !== port.protocol);
    if (!port.nodePort) port.nodePort = freePort(taken);
    else if (!shared) checkPort(service, index, port.nodePort, taken);
    taken.add(port.nodePort);
  }
  if (!needsHealthCheck(spec)) return;
  const { healthCheckNodePort: asked } = spec;
  if (asked && taken.has(asked)) {
    const detail = `failed to allocate requested HealthCheck NodePort ${asked}`;
    throw internalError(`${detail}: provided port is already allocated`);
  }
  spec.healthCheckNodePort ||= freePort(taken);
}

function freePort(taken: ReadonlySet<number>): number {
  for (let port = lowest; port <= highest; port++) if (!taken.has(port)) return port;
  throw new RangeError("no node port is free");
}

function checkPort({ metadata }: Service, index: number, port: number, taken: ReadonlySet<number>): void {
  const field = `spec.ports[${index}].nodePort`;
  if (port < lowest || port > highest) {
    const detail = `provided port is not in the valid range. The range of valid ports is ${lowest}-${highest}`;
    throw invalidObject(subject, metadata.name!, [invalid(field, port, detail)]);
  }
  if (taken.has(port)) {
    throw invalidObject(subject, metadata.name!, [
      invalid(field, port, "provided port is already allocated"),
    ]);
  }
}

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
