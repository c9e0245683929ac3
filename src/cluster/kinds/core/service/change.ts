import { isEqual } from "@tsbuilder/apimachinery/json";
import {
  hasAddress,
  hasNodePorts,
  isExternal,
  mayHaveNodePorts,
  needsHealthCheck,
  type Service,
  type ServiceSpec,
} from "./types.ts";

/**
 * An update that omits allocated values keeps them, so that `kubectl replace` with the original file works.
 */
export function keepAllocations({ spec }: Service, { spec: old }: Service): void {
  if (hasAddress(spec) && hasAddress(old)) {
    if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP;
    if (!spec.clusterIPs?.length && old.clusterIPs) spec.clusterIPs = [...old.clusterIPs];
    if (old.ipFamilies) spec.ipFamilies ??= [...old.ipFamilies];
    if (old.ipFamilyPolicy) spec.ipFamilyPolicy ??= old.ipFamilyPolicy;
  }
  followAddress(spec, old);
  if (needsHealthCheck(spec) && needsHealthCheck(old) && old.healthCheckNodePort) {
    spec.healthCheckNodePort ||= old.healthCheckNodePort;
  }
  if (hasNodePorts(spec) && hasNodePorts(old)) keepNodePorts(spec, old);
}

/** Ports are known by their names, whatever else of them changes; none gets a node port that another one uses now. */
function keepNodePorts(spec: ServiceSpec, old: ServiceSpec): void {
  const used = nodePorts(spec);
  const byName = new Map(old.ports?.map(({ name = "", nodePort }) => [name, nodePort]));
  for (const port of spec.ports ?? []) {
    const before = byName.get(port.name ?? "");
    if (before && !used.has(before)) port.nodePort ||= before;
  }
}

/** Older clients know only clusterIP: clusterIPs follows it if they leave the list unchanged. */
function followAddress(spec: ServiceSpec, old: ServiceSpec): void {
  if (spec.clusterIP === old.clusterIP) {
    if (!spec.clusterIPs?.length && old.clusterIPs) spec.clusterIPs = [...old.clusterIPs];
  } else if (isEqual(spec.clusterIPs, old.clusterIPs)) {
    if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
    else delete spec.clusterIPs;
  }
}

/** Removes fields that the new type of a Service does not use, unless this update sets them. */
export function dropFieldsOfType(service: Service, { spec: old }: Service): void {
  const { spec } = service;
  const drop = (...fields: Array<keyof ServiceSpec>): void => {
    for (const field of fields) if (isEqual(spec[field], old[field])) delete spec[field];
  };
  if (hasAddress(old) && !hasAddress(spec)) {
    if (isEqual(spec.clusterIP, old.clusterIP) && isEqual(spec.clusterIPs, old.clusterIPs))
      drop("clusterIP", "clusterIPs");
    drop("ipFamilies", "ipFamilyPolicy");
  }
  // Ports may come and go, but a new node port is a mistake.
  if (mayHaveNodePorts(old) && !mayHaveNodePorts(spec)) {
    const before = nodePorts(old);
    if ([...nodePorts(spec)].every((port) => before.has(port)))
      for (const port of spec.ports ?? []) delete port.nodePort;
  }
  if (needsHealthCheck(old) && !needsHealthCheck(spec)) drop("healthCheckNodePort");
  if (old.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    drop("allocateLoadBalancerNodePorts", "loadBalancerClass");
  }
  if (isExternal(old) && !isExternal(spec)) drop("externalTrafficPolicy");
  if (spec.type !== "LoadBalancer") service.status = { loadBalancer: {} };
}

function nodePorts({ ports = [] }: ServiceSpec): Set<number> {
  return new Set(ports.flatMap(({ nodePort }) => nodePort || []));
}
