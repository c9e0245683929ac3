import { isIPv6 } from "node:net";
import { type FieldError, invalid } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { Store } from "../../../storage/store.ts";
import { type Problems, itemsOf } from "../../checks/problems.ts";
import { internalError, invalidObject } from "../../../contract/status-error.ts";
import type { Collection } from "../../../storage/collection.ts";
import { type Service, type ServiceSpec, hasNodePorts, needsHealthCheck } from "./service-spec.ts";

/** The range from which clusterIPs are allocated. */
export const serviceRange = "10.96.0.0/16";

/** The address of the Service `kubernetes`, by which pods reach the API server. */
export const serverServiceAddress = "10.96.0.1";

/** The names by which clients know the API server, in its certificate and in no other. */
export const serverNames = {
  dnsNames: [
    "localhost",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
  ],
  ipAddresses: ["127.0.0.1", "::1", serverServiceAddress],
} as const;

/**
 * Settles the IP families of a Service in a cluster that has IPv4 only: infers those that are left out, and refuses
 * others. Only a headless Service without a selector, whose endpoints a user writes, may have both.
 */
export function settleFamilies(service: Service, old: Service | undefined): void {
  const { spec } = service;
  if (spec.type === "ExternalName" || (old && keepsPreference(spec, old.spec))) return;
  const isFree = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= isFree ? "RequireDualStack" : "SingleStack";
  const isSingle = spec.ipFamilyPolicy === "SingleStack";
  if (isSingle && old && isEqual(spec.ipFamilies, old.spec.ipFamilies)) {
    if (spec.ipFamilies) spec.ipFamilies = spec.ipFamilies.slice(0, 1);
  }
  throwIfAny(service, ...policyProblems(spec, isSingle, old?.spec));
  if (!isFree) throwIfAny(service, ...dualStackProblems(spec));
  if (!spec.ipFamilies?.length) spec.ipFamilies = ["IPv4"];
  const [first] = spec.ipFamilies;
  if (isFree && !isSingle && spec.ipFamilies.length === 1)
    spec.ipFamilies = [first!, first === "IPv4" ? "IPv6" : "IPv4"];
}

/** A Service that prefers both families keeps the family that it has. */
function keepsPreference(spec: ServiceSpec, old: ServiceSpec): boolean {
  return (
    spec.ipFamilyPolicy === "PreferDualStack" &&
    (old.ipFamilyPolicy ?? spec.ipFamilyPolicy) === "PreferDualStack" &&
    spec.type === old.type &&
    isEqual(spec.clusterIPs, old.clusterIPs) &&
    isEqual(spec.ipFamilies, old.ipFamilies)
  );
}

function* policyProblems(spec: ServiceSpec, isSingle: boolean, old: ServiceSpec | undefined): Problems {
  const { ipFamilyPolicy: policy, ipFamilies = [], clusterIPs = [] } = spec;
  const field = "spec.ipFamilyPolicy";
  if (!isSingle && ipFamilies.length > 0 && ipFamilies.length < (old?.ipFamilies?.length ?? 0))
    yield invalid(field, policy, "must be 'SingleStack' to release the secondary IP family");
  const dual = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  if (isSingle && clusterIPs.length === 2) yield invalid(field, policy, `${dual} cluster IPs are specified`);
  if (isSingle && ipFamilies.length === 2) yield invalid(field, policy, `${dual} IP families are specified`);
  for (const [at, address, index] of itemsOf("spec.clusterIPs", clusterIPs)) {
    if (address === "None" || index < ipFamilies.length || !isIPv6(address)) continue;
    yield invalid(at, clusterIPs, "IPv6 is not configured on this cluster");
  }
}

function* dualStackProblems({ ipFamilyPolicy: policy, ipFamilies = [] }: ServiceSpec): Problems {
  if (policy === "RequireDualStack")
    yield invalid("spec.ipFamilyPolicy", policy, "this cluster is not configured for dual-stack services");
  for (const [at, family] of itemsOf("spec.ipFamilies", ipFamilies)) {
    if (family !== "IPv4") yield invalid(at, family, "not configured on this cluster");
  }
}

/**
 * Allocates a clusterIP in serviceRange, in order; one that is in use is rejected. A Service may request any
 * address in 10.0.0.0/8, so that manifests from other clusters work. IPAddresses are in use as well: others may create them.
 */
export function allocateAddress(service: Service, store: Store, old: Service | undefined): void {
  const { spec } = service;
  if (spec.type === "ExternalName") return;
  if (spec.clusterIP === "None") {
    spec.clusterIPs = ["None"];
    return;
  }
  // A Service that could have an address keeps the one of the update, which validation accepted.
  if (spec.clusterIP && old && old.spec.type !== "ExternalName") return;
  const taken = new Map<string | undefined, string | undefined>();
  for (const { key } of store.collection("ipaddresses.networking.k8s.io").list()) taken.set(key, "");
  for (const { object } of store.collection("services").list())
    taken.set((object as Service).spec.clusterIP, object.metadata.uid);
  const address = (spec.clusterIP ||= findFreeAddress(taken));
  const isForeign = !/^(10\.|[^.]*:)/.test(address);
  if (isForeign || (taken.has(address) && taken.get(address) !== old?.metadata.uid)) {
    const why = isForeign
      ? "the provided network does not match the current range"
      : "provided IP is already allocated";
    throwIfAny(service, invalid("spec.clusterIPs", [address], `failed to allocate IP ${address}: ${why}`));
  }
  spec.clusterIPs = [address];
}

/** As many addresses at the start of a range are for Services that ask for one, such as that of DNS, until all others are in use. */
const reserved = 256;
const rangeSize = 2 ** 16;

function findFreeAddress(taken: ReadonlyMap<string | undefined, unknown>): string {
  for (let count = 0; count < rangeSize - 2; count++) {
    // Neither the first nor the last one is an address of somebody.
    const index = 1 + ((reserved - 1 + count) % (rangeSize - 2));
    const address = `10.96.${index >> 8}.${index & 255}`;
    if (!taken.has(address)) return address;
  }
  throw new RangeError("no service address is free");
}

/**
 * Allocates node ports for NodePort and LoadBalancer Services, and a healthCheckNodePort. As on the real server, a dry run
 * accepts ports outside of the range.
 */
export function allocateNodePorts(
  service: Service,
  old: Service | undefined,
  services: Collection,
  dryRun: boolean,
): void {
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
  const mine = new Set<number>();
  const byPort = new Map<number | undefined, number>();
  for (const [index, port] of ports.entries()) {
    // The TCP and UDP of one port share a node port in a new Service, as for DNS; in an old one, those of any ports may.
    const sibling = ports.find((each) => each.port === port.port && each.nodePort)?.nodePort;
    if (!old) port.nodePort ||= byPort.get(port.port) ?? sibling ?? 0;
    const isShared = old ? mine.has(port.nodePort!) : byPort.get(port.port) === port.nodePort;
    if (!port.nodePort) port.nodePort = findFreePort(taken);
    else if (!isShared) checkNodePort(service, index, port.nodePort, taken, dryRun);
    if (!byPort.has(port.port)) byPort.set(port.port, port.nodePort);
    mine.add(port.nodePort);
    taken.add(port.nodePort);
  }
  if (!needsHealthCheck(spec)) return;
  const { healthCheckNodePort: asked } = spec;
  if (asked && taken.has(asked)) {
    const detail = `failed to allocate requested HealthCheck NodePort ${asked}`;
    throw internalError(`${detail}: provided port is already allocated`);
  }
  spec.healthCheckNodePort ||= findFreePort(taken);
}

const lowestNodePort = 30_000;
const highestNodePort = 32_767;

function findFreePort(taken: ReadonlySet<number>): number {
  for (let port = lowestNodePort; port <= highestNodePort; port++) if (!taken.has(port)) return port;
  throw new RangeError("no node port is free");
}

function checkNodePort(
  service: Service,
  index: number,
  port: number,
  taken: ReadonlySet<number>,
  dryRun: boolean,
): void {
  const field = `spec.ports[${index}].nodePort`;
  if (!dryRun && (port < lowestNodePort || port > highestNodePort)) {
    const detail = `provided port is not in the valid range. The range of valid ports is ${lowestNodePort}-${highestNodePort}`;
    throwIfAny(service, invalid(field, port, detail));
  }
  if (taken.has(port)) throwIfAny(service, invalid(field, port, "provided port is already allocated"));
}

/** The resource in the errors of Services. */
const servicesResource = { group: "", plural: "services", kind: "Service" };

/** Throws the error for an invalid Service if there are problems. */
function throwIfAny({ metadata }: Service, ...problems: FieldError[]): void {
  if (problems.length > 0) throw invalidObject(servicesResource, metadata.name!, problems);
}
