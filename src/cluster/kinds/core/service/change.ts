import { isEqual } from "@tsbuilder/apimachinery/json";
import {
  hasAddress,
  hasNodePorts,
  isExternal,
  needsHealthCheck,
  type Service,
  type ServiceSpec,
} from "./types.ts";

/**
 * An update that omits allocated values keeps them, so that `kubectl replace` with the original file works.
 */
export function keepAllocations({ spec }: Service, { spec: old }: Service): void {
  followAddress(spec, old);
  if (hasAddress(spec) && hasAddress(old)) {
    if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP;
    if (!spec.clusterIPs?.length && old.clusterIPs) spec.clusterIPs = [...old.clusterIPs];
    if (old.ipFamilies) spec.ipFamilies ??= [...old.ipFamilies];
    if (old.ipFamilyPolicy) spec.ipFamilyPolicy ??= old.ipFamilyPolicy;
  }
  if (needsHealthCheck(spec) && needsHealthCheck(old) && old.healthCheckNodePort) {
    spec.healthCheckNodePort ??= old.healthCheckNodePort;
  }
  if (!hasNodePorts(spec)) return;
  for (const port of spec.ports ?? []) {
    const before = old.ports?.find(
      (each) => each.port === port.port && (each.protocol ?? "TCP") === (port.protocol ?? "TCP"),
    );
    if (before?.nodePort) port.nodePort ??= before.nodePort;
  }
}

/** Older clients know only clusterIP: clusterIPs follows it if they leave the list unchanged. */
function followAddress(spec: ServiceSpec, old: ServiceSpec): void {
  if (!spec.clusterIPs?.length) {
    if (spec.clusterIP && spec.clusterIP !== old.clusterIP) spec.clusterIPs = [spec.clusterIP];
    else if (spec.clusterIP && old.clusterIPs) spec.clusterIPs = [...old.clusterIPs];
  } else if (spec.clusterIP !== old.clusterIP && isEqual(spec.clusterIPs, old.clusterIPs)) {
    if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
    else delete spec.clusterIPs;
  }
}

const ofAddress = [
  "clusterIP",
  "clusterIPs",
  "ipFamilies",
  "ipFamilyPolicy",
  "internalTrafficPolicy",
] as const;

/** Removes fields that the new type of a Service does not use, unless this update sets them. */
export function dropFieldsOfType(service: Service, { spec: old }: Service): void {
  const { spec } = service;
  const drop = (...fields: Array<keyof ServiceSpec>): void => {
    for (const field of fields) if (isEqual(spec[field], old[field])) delete spec[field];
  };
  if (hasAddress(old) && !hasAddress(spec)) drop(...ofAddress);
  if (hasNodePorts(old) && !hasNodePorts(spec) && isEqual(nodePorts(spec), nodePorts(old))) {
    for (const port of spec.ports ?? []) delete port.nodePort;
  }
  if (needsHealthCheck(old) && !needsHealthCheck(spec)) drop("healthCheckNodePort");
  if (old.type === "LoadBalancer" && spec.type !== "LoadBalancer") {
    drop("allocateLoadBalancerNodePorts", "loadBalancerClass");
  }
  if (isExternal(old) && !isExternal(spec)) drop("externalTrafficPolicy");
  if (spec.type !== "LoadBalancer") service.status = { loadBalancer: {} };
}

function nodePorts({ ports = [] }: ServiceSpec): number[] {
  return ports.map(({ nodePort = 0 }) => nodePort).toSorted((a, b) => a - b);
}
