import { isIP, isIPv6 } from "node:net";
import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import { type FieldError, forbidden, invalid, invalidStruct, required } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { checkLabel, checkQualifiedName, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { formatSelector, readField, text } from "../../cells.ts";
import type { ApiObject, Sent, SentObject } from "../../../contract/api-object.ts";
import type { Store } from "../../../storage/store.ts";
import type { Strategy } from "../../../registry/resource.ts";
import { labelName } from "../../../registry/validate-metadata.ts";
import { resetStatusAlone } from "../../../registry/default-strategy.ts";
import {
  type Problems,
  checked,
  choice,
  eachChecked,
  ifSet,
  itemsOf,
  needed,
  optionalChoice,
  unique,
} from "../../checks/problems.ts";
import { checkAddress, checkAddressRange } from "../../checks/addresses.ts";
import { checkPort, checkReachable, labelProblems } from "../../checks/names.ts";
import { internalError, invalidObject } from "../../../contract/status-error.ts";
import type { Collection } from "../../../storage/collection.ts";

export const service: BuiltInKind = {
  resource: "services",
  strategy: (store) => ({ ...serviceStrategy(store), statusWritesMetadata: true, returnsDeleted: true }),
  cells: {
    Type: text("spec.type"),
    "Cluster-IP": text("spec.clusterIP", "<none>"),
    "External-IP": externalIP,
    "Port(s)": ports,
    Selector: (object) => formatSelector({ matchLabels: readField(object, "spec.selector") ?? {} }),
  },
  emptyObject: { spec: {}, status: { loadBalancer: {} } },
};

type ServiceSpec = Sent<core.ServiceSpec>;
type Service = SentObject<ServiceSpec, Sent<core.ServiceStatus>>;

/** Services get a unique clusterIP and unique node ports. */
function serviceStrategy(store: Store): Partial<Strategy> {
  return {
    validateName: labelName,
    default: (object) => defaultService(object as Service),
    resetFields: resetStatusAlone,
    prepareForCreate(object, { subresource }) {
      object["status"] = { loadBalancer: {} };
      if (subresource !== "") return;
      const { spec } = object as Service;
      if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
    },
    prepareForUpdate(object, old, { subresource }) {
      if (subresource !== "") return;
      keepAllocations(object as Service, old as Service);
      dropFieldsOfType(object as Service, old as Service);
    },
    validate: (object) => [...serviceProblems(object as Service)],
    validateUpdate(object, old, { subresource }) {
      if (subresource === "status") return [...balancerStatus(object as Service)];
      const problems = [...serviceProblems(object as Service)];
      if (problems.some(({ field }) => field.startsWith("spec.clusterIP"))) return problems;
      return [...addressChange(object as Service, old as Service), ...problems];
    },
    warnings: (object) => serviceWarnings(object as Service),
    // A service that is created by its status has no address.
    beforeCommit(object, old, { subresource }) {
      if (subresource !== "") return;
      const service = object as Service;
      if (!hasAddress(service.spec)) delete service.spec.internalTrafficPolicy;
      settleFamilies(service, old as Service | undefined);
      allocateAddress(service, store, old?.metadata.uid);
      allocateNodePorts(service, store.collection("services"));
    },
  };
}

/**
 * Validates a Service, on creation and on update. Its IPs are checked first: if they are invalid, nothing
 * else is reported.
 */
function* serviceProblems({ spec }: Service): Problems {
  const { ports = [] } = spec;
  const wrong = hasAddress(spec) ? [...addresses(spec)] : [];
  yield* wrong;
  if (wrong.length > 0) return;
  if (ports.length === 0 && !isHeadless(spec) && hasAddress(spec)) yield required("spec.ports");
  yield* byType(spec);
  yield* portList(spec);
  yield* labelProblems("spec.selector", spec.selector);
  yield* affinity(spec);
  yield* eachChecked("spec.externalIPs", spec.externalIPs, checkReachable);
  yield* choice("spec.type", spec.type, "core/v1.ServiceSpec");
  yield* uniquePorts(spec);
  yield* balancer(spec);
  yield* traffic(spec);
}

const refusal = "may only be used when `type` is 'LoadBalancer'";

function* byType(spec: ServiceSpec): Problems {
  if (spec.type === "LoadBalancer" || spec.type === "NodePort") {
    if (!isHeadless(spec)) return;
    yield invalid("spec.clusterIPs[0]", "None", `may not be set to 'None' for ${spec.type} services`);
  } else if (spec.type === "ExternalName") {
    const refusal = "may not be set for ExternalName services";
    for (const field of ["clusterIPs", "ipFamilies"] as const) {
      if (spec[field]?.length) yield forbidden(`spec.${field}`, refusal);
    }
    if (spec.ipFamilyPolicy !== undefined) yield forbidden("spec.ipFamilyPolicy", refusal);
    yield* needed("spec.externalName", spec.externalName?.replace(/\.$/, ""), checkSubdomain);
  }
}

function* portList({ ports = [] }: ServiceSpec): Problems {
  const uniqueName = unique();
  for (const [field, each] of itemsOf("spec.ports", ports)) {
    const { name = "", port = 0, protocol, targetPort = 0, appProtocol } = each;
    if (name !== "") {
      yield* checked(`${field}.name`, name, checkLabel);
      yield* uniqueName(`${field}.name`, name);
    } else if (ports.length > 1) yield required(`${field}.name`);
    yield* checked(`${field}.port`, port, checkPort);
    yield* choice(`${field}.protocol`, protocol, "core/v1.ServicePort");
    yield* checked(`${field}.targetPort`, targetPort, checkPort);
    yield* checked(`${field}.appProtocol`, appProtocol, checkQualifiedName);
  }
}

/** Ports must be unique; the server shows a struct with the fields that the two share. */
function* uniquePorts({ type, ports = [] }: ServiceSpec): Problems {
  for (const [at, { nodePort }] of itemsOf("spec.ports", ports)) {
    if (type !== "ClusterIP" || !nodePort) continue;
    yield forbidden(`${at}.nodePort`, "may not be used when `type` is 'ClusterIP'");
  }
  for (const [at, { port = 0, protocol = "" }, index] of itemsOf("spec.ports", ports)) {
    const again = ports.slice(0, index).some((other) => other.port === port && other.protocol === protocol);
    if (!again) continue;
    const shown = { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
    const error = invalidStruct(at, shown, "");
    yield { ...error, reason: "FieldValueDuplicate", body: error.body.replace("Invalid", "Duplicate") };
  }
}

function* affinity({ sessionAffinity, sessionAffinityConfig }: ServiceSpec): Problems {
  yield* choice("spec.sessionAffinity", sessionAffinity, "core/v1.ServiceSpec");
  if (sessionAffinity !== "ClientIP") return;
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 0;
  if (seconds > 0 && seconds <= 86_400) return;
  const field = "spec.sessionAffinityConfig.clientIP.timeoutSeconds";
  yield invalid(field, seconds, "must be greater than 0 and less than 86400");
}

function* addresses(spec: ServiceSpec): Problems {
  const { clusterIP = "", clusterIPs = [], ipFamilies = [] } = spec;
  if (clusterIP !== "" && clusterIPs.length === 0) yield required("spec.clusterIPs");
  else if (clusterIP !== "" && clusterIPs[0] !== clusterIP) {
    yield invalid("spec.clusterIPs", clusterIPs, "first value must match `clusterIP`");
  } else if (clusterIP === "" && clusterIPs.length > 0) {
    yield invalid("spec.clusterIPs", clusterIPs, "must be empty when `clusterIP` is not specified");
  }
  const uniqueFamily = unique();
  for (const [at, family] of itemsOf("spec.ipFamilies", ipFamilies)) {
    yield* optionalChoice(at, family, ["IPv4", "IPv6"]);
    yield* uniqueFamily(at, family);
  }
  yield* optionalChoice("spec.ipFamilyPolicy", spec.ipFamilyPolicy, "core/v1.ServiceSpec");
  const malformed = [...addressList(clusterIPs)];
  yield* malformed;
  if (clusterIPs.length > 2) yield invalid("spec.clusterIPs", clusterIPs, "may only hold up to 2 values");
  if (malformed.length > 0) return;
  if (clusterIPs.length > 1 && isIPv6(clusterIPs[0]!) === isIPv6(clusterIPs[1]!)) {
    const detail = "may specify no more than one IP for each IP family";
    yield invalid("spec.clusterIPs", clusterIPs, detail);
  }
  if (isHeadless(spec)) return;
  for (const [at, address, index] of itemsOf("spec.clusterIPs", clusterIPs)) {
    const family = ipFamilies[index];
    if (family === undefined || (family === "IPv6") === isIPv6(address)) continue;
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    yield invalid(at, address, detail);
  }
}

function* addressList(list: readonly string[]): Problems {
  for (const [at, address, index] of itemsOf("spec.clusterIPs", list)) {
    if (index > 0 || address !== "None") yield* checked(at, address, checkAddress);
    else if (list.length > 1) {
      yield invalid("spec.clusterIPs", list, "'None' must be the first and only value");
    }
  }
}

function* balancer(spec: ServiceSpec): Problems {
  const isBalancer = spec.type === "LoadBalancer";
  const { loadBalancerSourceRanges: ranges = [] } = spec;
  // The server capitalizes this field.
  const field = "spec.LoadBalancerSourceRanges";
  if (ranges.length > 0 && !isBalancer) yield forbidden(field, refusal);
  for (const [at, range] of itemsOf(field, ranges)) yield* checked(at, range.trim(), checkAddressRange);
  if (spec.allocateLoadBalancerNodePorts !== undefined && !isBalancer) {
    yield forbidden("spec.allocateLoadBalancerNodePorts", refusal);
  }
  yield* balancerClass(spec);
}

/** The server checks it twice on an update, so that the error is there twice. */
function* balancerClass({ type, loadBalancerClass }: ServiceSpec): Problems {
  if (loadBalancerClass === undefined) return;
  if (type !== "LoadBalancer") yield forbidden("spec.loadBalancerClass", refusal);
  else yield* checked("spec.loadBalancerClass", loadBalancerClass, checkQualifiedName);
}

function* traffic(spec: ServiceSpec): Problems {
  const { externalTrafficPolicy: external, healthCheckNodePort: health } = spec;
  const field = "spec.externalTrafficPolicy";
  if (isExternal(spec)) yield* choice(field, external, "core/v1.ServiceSpec");
  else if (external) yield invalid(field, external, "may only be set for externally-accessible services");
  if (health && !needsHealthCheck(spec)) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    yield invalid("spec.healthCheckNodePort", health, detail);
  } else if (health) yield* checked("spec.healthCheckNodePort", health, checkPort);
  yield* optionalChoice("spec.internalTrafficPolicy", spec.internalTrafficPolicy, "core/v1.ServiceSpec");
  yield* optionalChoice("spec.trafficDistribution", spec.trafficDistribution, [
    "PreferClose",
    "PreferSameZone",
    "PreferSameNode",
  ]);
}

/** The immutable address fields of a Service. */
function* addressChange({ spec }: Service, { spec: old }: Service): Problems {
  const detail = "may not change once set";
  if (hasAddress(spec) && hasAddress(old) && !(isHeadless(spec) && isHeadless(old))) {
    const [now = [], before = []] = [spec.clusterIPs, old.clusterIPs];
    if (before[0] !== undefined && now[0] !== before[0]) yield invalid("spec.clusterIPs[0]", now, detail);
    const [family, oldFamily] = [spec.ipFamilies?.[0], old.ipFamilies?.[0]];
    if (isHeadless(spec) === isHeadless(old) && oldFamily !== undefined && family !== oldFamily) {
      yield invalid("spec.ipFamilies[0]", spec.ipFamilies ?? null, detail);
    }
  }
  const balancers = spec.type === "LoadBalancer" && old.type === "LoadBalancer";
  if (balancers && spec.loadBalancerClass !== old.loadBalancerClass) {
    yield invalid("spec.loadBalancerClass", spec.loadBalancerClass ?? null, detail);
  }
  yield* balancerClass(spec);
  if (
    needsHealthCheck(spec) &&
    needsHealthCheck(old) &&
    spec.healthCheckNodePort !== old.healthCheckNodePort
  ) {
    yield forbidden("spec.healthCheckNodePort", "field is immutable");
  }
}

/** Validates the load balancer status. */
function* balancerStatus({ spec, status }: Service): Problems {
  const list = status?.loadBalancer?.ingress ?? [];
  const field = "status.loadBalancer.ingress";
  if (spec.type !== "LoadBalancer" && list.length > 0) {
    return yield forbidden(field, "may only be used when `spec.type` is 'LoadBalancer'");
  }
  for (const [at, { ip = "", ipMode, hostname = "" }] of itemsOf(field, list)) {
    yield* ifSet(`${at}.ip`, ip, checkAddress);
    if (ipMode !== undefined && ip === "") {
      yield forbidden(`${at}.ipMode`, "may not be specified when `ip` is not set");
    } else yield* optionalChoice(`${at}.ipMode`, ipMode, ["Proxy", "VIP"]);
    yield* ifSet(`${at}.hostname`, hostname, checkSubdomain);
    if (isIP(hostname) !== 0) {
      yield invalid(`${at}.hostname`, hostname, "must be a DNS name, not an IP address");
    }
  }
}

/**
 * An update that omits allocated values keeps them, so that `kubectl replace` with the original file works.
 */
function keepAllocations({ spec }: Service, { spec: old }: Service): void {
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
function dropFieldsOfType(service: Service, { spec: old }: Service): void {
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

/**
 * Settles the IP families of a Service in a cluster that has IPv4 only: infers those that are left out, and refuses
 * others. Only a headless Service without a selector, whose endpoints a user writes, may have both.
 */
function settleFamilies(service: Service, old: Service | undefined): void {
  const { spec } = service;
  if (spec.type === "ExternalName" || (old && prefersAsBefore(spec, old.spec))) return;
  const isFree = spec.clusterIP === "None" && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= isFree ? "RequireDualStack" : "SingleStack";
  const isSingle = spec.ipFamilyPolicy === "SingleStack";
  if (isSingle && old && isEqual(spec.ipFamilies, old.spec.ipFamilies)) {
    if (spec.ipFamilies) spec.ipFamilies = spec.ipFamilies.slice(0, 1);
  }
  refuse(service, ...policyProblems(spec, isSingle, old?.spec));
  if (!isFree) refuse(service, ...unconfigured(spec));
  if (!spec.ipFamilies?.length) spec.ipFamilies = ["IPv4"];
  const [first] = spec.ipFamilies;
  if (isFree && !isSingle && spec.ipFamilies.length === 1)
    spec.ipFamilies = [first!, first === "IPv4" ? "IPv6" : "IPv4"];
}

/** A Service that prefers both families keeps the family that it has. */
function prefersAsBefore(spec: ServiceSpec, old: ServiceSpec): boolean {
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
  if (!isSingle && ipFamilies.length > 0 && ipFamilies.length < (old?.ipFamilies?.length ?? 0)) {
    yield invalid(field, policy, "must be 'SingleStack' to release the secondary IP family");
  }
  const dual = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  if (isSingle && clusterIPs.length === 2) {
    yield invalid(field, policy, `${dual} cluster IPs are specified`);
  }
  if (isSingle && ipFamilies.length === 2) {
    yield invalid(field, policy, `${dual} IP families are specified`);
  }
  for (const [at, address, index] of itemsOf("spec.clusterIPs", clusterIPs)) {
    if (address === "None" || index < ipFamilies.length || !isIPv6(address)) continue;
    yield invalid(at, clusterIPs, "IPv6 is not configured on this cluster");
  }
}

function* unconfigured({ ipFamilyPolicy: policy, ipFamilies = [] }: ServiceSpec): Problems {
  if (policy === "RequireDualStack") {
    yield invalid("spec.ipFamilyPolicy", policy, "this cluster is not configured for dual-stack services");
  }
  for (const [at, family] of itemsOf("spec.ipFamilies", ipFamilies)) {
    if (family !== "IPv4") yield invalid(at, family, "not configured on this cluster");
  }
}

/** The resource in the errors of Services. */
const subject = { group: "", plural: "services", kind: "Service" };

/** Refuses a Service if it has problems. */
function refuse({ metadata }: Service, ...problems: FieldError[]): void {
  if (problems.length > 0) throw invalidObject(subject, metadata.name!, problems);
}

/** The range of the addresses that are allocated. */
export const serviceRange = "10.96.0.0/16";

/**
 * Allocates a clusterIP in this range, in order; one that is in use is rejected. A Service may request any
 * address in 10.0.0.0/8, so that manifests from other clusters work. IPAddresses are in use as well: others may create them.
 */
function allocateAddress(service: Service, store: Store, ownUid: string | undefined): void {
  const { spec } = service;
  if (spec.type === "ExternalName") return;
  if (spec.clusterIP === "None") {
    spec.clusterIPs = ["None"];
    return;
  }
  const taken = new Map<string | undefined, string | undefined>();
  for (const { key } of store.collection("ipaddresses.networking.k8s.io").list()) taken.set(key, "");
  for (const { object } of store.collection("services").list()) {
    taken.set((object as Service).spec.clusterIP, object.metadata.uid);
  }
  const address = (spec.clusterIP ||= freeAddress(taken));
  const isForeign = !/^(10\.|[^.]*:)/.test(address);
  if (isForeign || (taken.has(address) && taken.get(address) !== ownUid)) {
    const why = isForeign
      ? "the provided network does not match the current range"
      : "provided IP is already allocated";
    refuse(service, invalid("spec.clusterIPs", [address], `failed to allocate IP ${address}: ${why}`));
  }
  spec.clusterIPs = [address];
}

function freeAddress(taken: ReadonlyMap<string | undefined, unknown>): string {
  for (let index = 10; index < 65_000; index++) {
    const address = `10.96.${index >> 8}.${index & 255}`;
    if (!taken.has(address)) return address;
  }
  throw new RangeError("no service address is free");
}

/** Allocates node ports for NodePort and LoadBalancer Services, and a healthCheckNodePort. */
function allocateNodePorts(service: Service, services: Collection): void {
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
    else if (!shared) checkNodePort(service, index, port.nodePort, taken);
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

const lowest = 30_000;

const highest = 32_767;

function freePort(taken: ReadonlySet<number>): number {
  for (let port = lowest; port <= highest; port++) if (!taken.has(port)) return port;
  throw new RangeError("no node port is free");
}

function checkNodePort(service: Service, index: number, port: number, taken: ReadonlySet<number>): void {
  const field = `spec.ports[${index}].nodePort`;
  if (port < lowest || port > highest) {
    const detail = `provided port is not in the valid range. The range of valid ports is ${lowest}-${highest}`;
    refuse(service, invalid(field, port, detail));
  }
  if (taken.has(port)) {
    refuse(service, invalid(field, port, "provided port is already allocated"));
  }
}

/** Returns whether Services of this type have a clusterIP, which may be None. */
function hasAddress({ type }: ServiceSpec): boolean {
  return type !== "ExternalName";
}

function isHeadless({ clusterIPs, clusterIP }: ServiceSpec): boolean {
  return clusterIPs ? clusterIPs.length === 1 && clusterIPs[0] === "None" : clusterIP === "None";
}

/** Returns whether Services of this type have node ports, unless they ask for none to be allocated. */
function mayHaveNodePorts({ type }: ServiceSpec): boolean {
  return type === "NodePort" || type === "LoadBalancer";
}

function hasNodePorts({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean {
  return type === "NodePort" || (type === "LoadBalancer" && allocateLoadBalancerNodePorts !== false);
}

/** Returns whether the Service accepts external traffic. */
function isExternal({ type, externalIPs = [] }: ServiceSpec): boolean {
  return type === "LoadBalancer" || type === "NodePort" || (type === "ClusterIP" && externalIPs.length > 0);
}

/** With externalTrafficPolicy Local, the load balancer checks which nodes have pods. */
function needsHealthCheck({ type, externalTrafficPolicy }: ServiceSpec): boolean {
  return type === "LoadBalancer" && externalTrafficPolicy === "Local";
}

/** The warnings about a Service. */
function* serviceWarnings({ spec, metadata }: Service): Generator<string, void> {
  const hints = "service.kubernetes.io/topology-aware-hints";
  if (metadata.annotations && hints in metadata.annotations) {
    yield `annotation ${hints} is deprecated, please use service.kubernetes.io/topology-mode instead`;
  }
  const external = spec.externalIPs ?? [];
  const isName = spec.type === "ExternalName";
  if (isHeadless(spec)) {
    if (spec.loadBalancerIP) yield "spec.loadBalancerIP is ignored for headless services";
    if (external.length > 0) yield "spec.externalIPs is ignored for headless services";
    if (spec.sessionAffinity !== "None") yield "spec.SessionAffinity is ignored for headless services";
  } else if (external.length > 0 && !isName) {
    yield "spec.externalIPs is deprecated and may no longer be implemented in some clusters";
  }
  if (isName && external.length > 0) yield 'spec.externalIPs is ignored when spec.type is "ExternalName"';
  if (!isName && spec.externalName) yield 'spec.externalName is ignored when spec.type is not "ExternalName"';
  if (spec.trafficDistribution === "PreferClose") {
    yield 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"';
  }
}

const stickySeconds = 10_800;

function defaultService(service: Service): void {
  (service as ApiObject)["spec"] ??= {};
  const { spec } = service;
  spec.sessionAffinity ||= "None";
  spec.type ||= "ClusterIP";
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (
    spec.sessionAffinity === "ClientIP" &&
    spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined
  ) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: stickySeconds } };
  }
  for (const port of spec.ports ?? []) {
    port.protocol ||= "TCP";
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === "")
      port.targetPort = port.port ?? 0;
  }
  if (["ClusterIP", "NodePort", "LoadBalancer"].includes(spec.type)) spec.internalTrafficPolicy ??= "Cluster";
  if (isExternal(spec)) spec.externalTrafficPolicy ??= "Cluster";
  if (spec.type === "LoadBalancer") spec.allocateLoadBalancerNodePorts ??= true;
  service.status ??= {};
  service.status.loadBalancer ??= {};
  for (const ingress of service.status.loadBalancer.ingress ?? []) {
    if (spec.type === "LoadBalancer" && ingress.ip) ingress.ipMode ??= "VIP";
  }
}

function externalIP(object: object): string {
  const type = readField<string>(object, "spec.type");
  if (type === "ExternalName") return text("spec.externalName")(object);
  const external = readField<string[]>(object, "spec.externalIPs") ?? [];
  if (type !== "LoadBalancer") return external.length > 0 ? external.join(",") : "<none>";
  const ingress = readField<core.LoadBalancerIngress[]>(object, "status.loadBalancer.ingress") ?? [];
  const found = [...ingress.map(({ ip, hostname }) => ip ?? hostname ?? ""), ...external];
  return found.length > 0 ? found.join(",") : "<pending>";
}

function ports(object: object): string {
  const list = readField<core.ServicePort[]>(object, "spec.ports") ?? [];
  if (list.length === 0) return "<none>";
  return list
    .map(({ port, nodePort, protocol = "TCP" }) => `${port}${nodePort ? `:${nodePort}` : ""}/${protocol}`)
    .join(",");
}
