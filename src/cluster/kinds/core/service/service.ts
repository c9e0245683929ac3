import { isIP, isIPv6 } from "node:net";
import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import { forbidden, invalid, invalidStruct, required } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { checkLabel, checkQualifiedName, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { formatSelector, readField, text } from "../../cells.ts";
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
import { allocateAddress, allocateNodePorts, settleFamilies } from "./allocation.ts";
import type { Service, ServiceSpec } from "./service-spec.ts";
import {
  hasAddress,
  hasNodePorts,
  isExternal,
  isHeadless,
  mayHaveNodePorts,
  needsHealthCheck,
} from "./service-spec.ts";

export const service: BuiltInKind = {
  resource: "services",
  strategy: (store) => ({ ...serviceStrategy(store), statusWritesMetadata: true, returnsDeleted: true }),
  cells: {
    Type: text("spec.type"),
    "Cluster-IP": text("spec.clusterIP", "<none>"),
    "External-IP": externalIPCell,
    "Port(s)": portsCell,
    Selector: (object) => formatSelector({ matchLabels: readField(object, "spec.selector") ?? {} }),
  },
};

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
      dropUnusedFields(object as Service, old as Service);
    },
    validate: (object) => [...serviceProblems(object as Service)],
    validateUpdate(object, old, { subresource }) {
      if (subresource === "status") return [...loadBalancerStatusProblems(object as Service)];
      const problems = [...serviceProblems(object as Service, old as Service)];
      if (problems.some(({ field }) => field.startsWith("spec.clusterIP"))) return problems;
      return [...addressChanges(object as Service, old as Service), ...problems];
    },
    warnings: (object) => serviceWarnings(object as Service),
    // A Service that a write of its status creates gets no address.
    beforeCommit(object, old, { subresource, dryRun }) {
      if (subresource !== "") return;
      const service = object as Service;
      if (!hasAddress(service.spec)) delete service.spec.internalTrafficPolicy;
      settleFamilies(service, old as Service | undefined);
      allocateAddress(service, store, old as Service | undefined);
      allocateNodePorts(service, old as Service | undefined, store.collection("services"), dryRun);
    },
  };
}

/**
 * Validates a Service, on creation and on update. Its IPs are checked first: if they are invalid, nothing
 * else is reported.
 */
function* serviceProblems({ metadata: { annotations = {} }, spec }: Service, old?: Service): Problems {
  const { ports = [] } = spec;
  const wrong = hasAddress(spec) ? [...clusterIPProblems(spec, old?.spec)] : [];
  yield* wrong;
  if (wrong.length > 0) return;
  const [mode, hints] = [annotations[topologyMode], annotations[topologyHints]];
  if (mode !== undefined && hints !== undefined && mode !== hints) {
    const detail = `must match annotations[${topologyHints}] when both are specified`;
    yield invalid(`metadata.annotations[${topologyMode}]`, mode, detail);
  }
  if (ports.length === 0 && !isHeadless(spec) && hasAddress(spec)) yield required("spec.ports");
  yield* typeProblems(spec);
  yield* portProblems(spec);
  yield* labelProblems("spec.selector", spec.selector);
  yield* affinityProblems(spec);
  const newAddress = unlessKept(old?.spec.externalIPs, checkReachable);
  yield* eachChecked("spec.externalIPs", spec.externalIPs, newAddress);
  yield* choice("spec.type", spec.type, "core/v1.ServiceSpec");
  yield* portConflicts(spec);
  yield* loadBalancerProblems(spec, old?.spec);
  const ranges = annotations[sourceRanges];
  if (ranges !== undefined && !spec.loadBalancerSourceRanges?.length)
    yield* rangesAnnotationProblems(spec, ranges, old?.metadata.annotations?.[sourceRanges]);
  yield* trafficProblems(spec);
}

/** Ratcheting: what an update keeps is not checked again. */
function unlessKept(
  before: readonly string[] = [],
  check: (text: string) => readonly string[],
): (text: string) => readonly string[] {
  return (text) => (before.includes(text) ? [] : check(text));
}

const topologyMode = "service.kubernetes.io/topology-mode";
const topologyHints = "service.kubernetes.io/topology-aware-hints";

function* typeProblems(spec: ServiceSpec): Problems {
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

function* portProblems({ ports = [] }: ServiceSpec): Problems {
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
function* portConflicts({ type, ports = [] }: ServiceSpec): Problems {
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

function* affinityProblems({ sessionAffinity, sessionAffinityConfig }: ServiceSpec): Problems {
  yield* choice("spec.sessionAffinity", sessionAffinity, "core/v1.ServiceSpec");
  if (sessionAffinity !== "ClientIP") return;
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 0;
  if (seconds > 0 && seconds <= 86_400) return;
  const field = "spec.sessionAffinityConfig.clientIP.timeoutSeconds";
  yield invalid(field, seconds, "must be greater than 0 and less than 86400");
}

function* clusterIPProblems(spec: ServiceSpec, old: ServiceSpec | undefined): Problems {
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
  const malformed = [...clusterIPListProblems(clusterIPs, old?.clusterIPs)];
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

function* clusterIPListProblems(list: readonly string[], before?: readonly string[]): Problems {
  const check = unlessKept(before, checkAddress);
  for (const [at, address, index] of itemsOf("spec.clusterIPs", list)) {
    if (index > 0 || address !== "None") yield* checked(at, address, check);
    else if (list.length > 1) {
      yield invalid("spec.clusterIPs", list, "'None' must be the first and only value");
    }
  }
}

const loadBalancerOnly = "may only be used when `type` is 'LoadBalancer'";

const sourceRanges = "service.beta.kubernetes.io/load-balancer-source-ranges";

/** The older form of `loadBalancerSourceRanges`: ranges with commas between them. */
function* rangesAnnotationProblems(
  { type }: ServiceSpec,
  value: string,
  before: string | undefined,
): Problems {
  const field = `metadata.annotations[${sourceRanges}]`;
  if (type !== "LoadBalancer") yield forbidden(field, loadBalancerOnly);
  if (value === before || value.trim() === "") return;
  for (const range of value.split(",")) yield* checked(field, range.trim(), checkAddressRange);
}

function* loadBalancerProblems(spec: ServiceSpec, old: ServiceSpec | undefined): Problems {
  const isBalancer = spec.type === "LoadBalancer";
  const { loadBalancerSourceRanges: ranges = [] } = spec;
  // The server capitalizes this field.
  const field = "spec.LoadBalancerSourceRanges";
  if (ranges.length > 0 && !isBalancer) yield forbidden(field, loadBalancerOnly);
  const check = unlessKept(
    old?.loadBalancerSourceRanges?.map((range) => range.trim()),
    checkAddressRange,
  );
  for (const [at, range] of itemsOf(field, ranges)) yield* checked(at, range.trim(), check);
  if (spec.allocateLoadBalancerNodePorts !== undefined && !isBalancer)
    yield forbidden("spec.allocateLoadBalancerNodePorts", loadBalancerOnly);
  yield* loadBalancerClassProblems(spec);
}

/** As in the real server, an update reports this error twice. */
function* loadBalancerClassProblems({ type, loadBalancerClass }: ServiceSpec): Problems {
  if (loadBalancerClass === undefined) return;
  if (type !== "LoadBalancer") yield forbidden("spec.loadBalancerClass", loadBalancerOnly);
  else yield* checked("spec.loadBalancerClass", loadBalancerClass, checkQualifiedName);
}

function* trafficProblems(spec: ServiceSpec): Problems {
  const { externalTrafficPolicy: external, healthCheckNodePort: health } = spec;
  const field = "spec.externalTrafficPolicy";
  if (isExternal(spec)) yield* choice(field, external, "core/v1.ServiceSpec");
  else if (external) yield invalid(field, external, "may only be set for externally-accessible services");
  if (health && !needsHealthCheck(spec)) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    yield invalid("spec.healthCheckNodePort", health, detail);
  } else if (health) yield* checked("spec.healthCheckNodePort", health, checkPort);
  yield* optionalChoice("spec.internalTrafficPolicy", spec.internalTrafficPolicy, "core/v1.ServiceSpec");
  const distributions = ["PreferClose", "PreferSameZone", "PreferSameNode"];
  yield* optionalChoice("spec.trafficDistribution", spec.trafficDistribution, distributions);
}

/** Reports changes of the immutable fields of a Service. */
function* addressChanges({ spec }: Service, { spec: old }: Service): Problems {
  const detail = "may not change once set";
  if (hasAddress(spec) && hasAddress(old) && !(isHeadless(spec) && isHeadless(old))) {
    const [now = [], before = []] = [spec.clusterIPs, old.clusterIPs];
    if (before[0] !== undefined && now[0] !== before[0]) yield invalid("spec.clusterIPs[0]", now, detail);
    const [family, oldFamily] = [spec.ipFamilies?.[0], old.ipFamilies?.[0]];
    if (isHeadless(spec) === isHeadless(old) && oldFamily !== undefined && family !== oldFamily)
      yield invalid("spec.ipFamilies[0]", spec.ipFamilies ?? null, detail);
  }
  const balancers = spec.type === "LoadBalancer" && old.type === "LoadBalancer";
  if (balancers && spec.loadBalancerClass !== old.loadBalancerClass)
    yield invalid("spec.loadBalancerClass", spec.loadBalancerClass ?? null, detail);
  yield* loadBalancerClassProblems(spec);
  if (
    needsHealthCheck(spec) &&
    needsHealthCheck(old) &&
    spec.healthCheckNodePort !== old.healthCheckNodePort
  ) {
    yield forbidden("spec.healthCheckNodePort", "field is immutable");
  }
}

function* loadBalancerStatusProblems({ spec, status }: Service): Problems {
  const list = status?.loadBalancer?.ingress ?? [];
  const field = "status.loadBalancer.ingress";
  if (spec.type !== "LoadBalancer" && list.length > 0)
    return yield forbidden(field, "may only be used when `spec.type` is 'LoadBalancer'");
  for (const [at, { ip = "", ipMode, hostname = "" }] of itemsOf(field, list)) {
    yield* ifSet(`${at}.ip`, ip, checkAddress);
    if (ipMode !== undefined && ip === "") {
      yield forbidden(`${at}.ipMode`, "may not be specified when `ip` is not set");
    } else yield* optionalChoice(`${at}.ipMode`, ipMode, ["Proxy", "VIP"]);
    yield* ifSet(`${at}.hostname`, hostname, checkSubdomain);
    if (isIP(hostname) !== 0)
      yield invalid(`${at}.hostname`, hostname, "must be a DNS name, not an IP address");
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
  alignClusterIPs(spec, old);
  if (needsHealthCheck(spec) && needsHealthCheck(old) && old.healthCheckNodePort)
    spec.healthCheckNodePort ||= old.healthCheckNodePort;
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
function alignClusterIPs(spec: ServiceSpec, old: ServiceSpec): void {
  if (spec.clusterIP === old.clusterIP) {
    if (!spec.clusterIPs?.length && old.clusterIPs) spec.clusterIPs = [...old.clusterIPs];
  } else if (isEqual(spec.clusterIPs, old.clusterIPs)) {
    if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
    else delete spec.clusterIPs;
  }
}

/** Removes fields that the new type of a Service does not use, unless this update sets them. */
function dropUnusedFields(service: Service, { spec: old }: Service): void {
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
  if (old.type === "LoadBalancer" && spec.type !== "LoadBalancer")
    drop("allocateLoadBalancerNodePorts", "loadBalancerClass");
  if (isExternal(old) && !isExternal(spec)) drop("externalTrafficPolicy");
  if (spec.type !== "LoadBalancer") service.status = { loadBalancer: {} };
}

function nodePorts({ ports = [] }: ServiceSpec): Set<number> {
  return new Set(ports.flatMap(({ nodePort }) => nodePort || []));
}

function* serviceWarnings({ spec, metadata }: Service): Generator<string, void> {
  const hints = "service.kubernetes.io/topology-aware-hints";
  if (metadata.annotations && hints in metadata.annotations)
    yield `annotation ${hints} is deprecated, please use service.kubernetes.io/topology-mode instead`;
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
  if (spec.trafficDistribution === "PreferClose")
    yield 'spec.trafficDistribution: "PreferClose" is deprecated; use "PreferSameZone"';
}

const defaultAffinitySeconds = 10_800;

function defaultService(service: Service): void {
  const { spec } = service;
  if (spec.sessionAffinity === "None") delete spec.sessionAffinityConfig;
  if (
    spec.sessionAffinity === "ClientIP" &&
    spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined
  ) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: defaultAffinitySeconds } };
  }
  for (const port of spec.ports ?? []) {
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === "")
      port.targetPort = port.port ?? 0;
  }
  if (["ClusterIP", "NodePort", "LoadBalancer"].includes(spec.type ?? ""))
    spec.internalTrafficPolicy ??= "Cluster";
  if (isExternal(spec)) spec.externalTrafficPolicy ??= "Cluster";
  if (spec.type === "LoadBalancer") spec.allocateLoadBalancerNodePorts ??= true;
  for (const ingress of service.status?.loadBalancer?.ingress ?? []) {
    if (spec.type === "LoadBalancer" && ingress.ip) ingress.ipMode ??= "VIP";
  }
}

function externalIPCell(object: object): string {
  const type = readField<string>(object, "spec.type");
  if (type === "ExternalName") return text("spec.externalName")(object);
  const external = readField<string[]>(object, "spec.externalIPs") ?? [];
  if (type !== "LoadBalancer") return external.length > 0 ? external.join(",") : "<none>";
  const ingress = readField<core.LoadBalancerIngress[]>(object, "status.loadBalancer.ingress") ?? [];
  const found = [...ingress.map(({ ip, hostname }) => ip ?? hostname ?? ""), ...external];
  return found.length > 0 ? found.join(",") : "<pending>";
}

function portsCell(object: object): string {
  const list = readField<core.ServicePort[]>(object, "spec.ports") ?? [];
  if (list.length === 0) return "<none>";
  return list
    .map(({ port, nodePort, protocol = "TCP" }) => `${port}${nodePort ? `:${nodePort}` : ""}/${protocol}`)
    .join(",");
}
