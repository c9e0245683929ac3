import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  invalidStruct,
  notSupported,
  required,
} from "@tsbuilder/apimachinery/errors";
import { isIP, isIPv6 } from "node:net";
import { checkLabel, checkQualifiedName, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { checkAddress, checkAddressRange } from "../../checks/addresses.ts";
import { checkPort, checkReachable, labelProblems } from "../../checks/names.ts";
import { choice, optionalChoice, type Problems, refused } from "../../checks/problems.ts";
import {
  hasAddress,
  isExternal,
  isHeadless,
  needsHealthCheck,
  type Service,
  type ServiceSpec,
} from "./types.ts";

/**
 * Validates a Service, on creation and on update. Its IPs are checked first: if they are invalid, nothing
 * else is reported.
 */
export function* serviceProblems({ spec }: Service): Problems {
  const { ports = [] } = spec;
  const wrong = hasAddress(spec) ? [...addresses(spec)] : [];
  yield* wrong;
  if (wrong.length > 0) return;
  if (ports.length === 0 && !isHeadless(spec) && hasAddress(spec)) yield required("spec.ports");
  yield* byType(spec);
  yield* portList(spec);
  yield* labelProblems("spec.selector", spec.selector);
  yield* affinity(spec);
  for (const [index, address] of (spec.externalIPs ?? []).entries()) {
    yield* refused(`spec.externalIPs[${index}]`, address, checkReachable(address));
  }
  yield* choice("spec.type", spec.type, ["ClusterIP", "ExternalName", "LoadBalancer", "NodePort"]);
  yield* uniquePorts(spec);
  yield* balancer(spec);
  yield* traffic(spec);
}

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
    const name = (spec.externalName ?? "").replace(/\.$/, "");
    if (name === "") yield required("spec.externalName");
    else yield* refused("spec.externalName", name, checkSubdomain(name));
  }
}

const protocols = ["SCTP", "TCP", "UDP"];

function* portList({ ports = [] }: ServiceSpec): Problems {
  const names = new Set<string>();
  for (const [index, each] of ports.entries()) {
    const field = `spec.ports[${index}]`;
    const { name = "", port = 0, protocol, targetPort = 0, appProtocol } = each;
    if (name === "") {
      if (ports.length > 1) yield required(`${field}.name`);
    } else {
      yield* refused(`${field}.name`, name, checkLabel(name));
      if (names.has(name)) yield duplicate(`${field}.name`, name);
      names.add(name);
    }
    yield* refused(`${field}.port`, port, checkPort(port));
    yield* choice(`${field}.protocol`, protocol, protocols);
    yield* refused(`${field}.targetPort`, targetPort, checkPort(targetPort));
    if (appProtocol !== undefined) {
      yield* refused(`${field}.appProtocol`, appProtocol, checkQualifiedName(appProtocol));
    }
  }
}

/** Ports must be unique; the server shows a struct with the fields that the two share. */
function* uniquePorts({ type, ports = [] }: ServiceSpec): Problems {
  for (const [index, { nodePort }] of ports.entries()) {
    if (type !== "ClusterIP" || !nodePort) continue;
    yield forbidden(`spec.ports[${index}].nodePort`, "may not be used when `type` is 'ClusterIP'");
  }
  for (const [index, { port = 0, protocol = "" }] of ports.entries()) {
    const again = ports.slice(0, index).some((other) => other.port === port && other.protocol === protocol);
    if (!again) continue;
    const shown = { Name: "", Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 };
    const error = invalidStruct(`spec.ports[${index}]`, shown, "");
    yield { ...error, reason: "FieldValueDuplicate", body: error.body.replace("Invalid", "Duplicate") };
  }
}

const longestAffinity = 86_400;

function* affinity({ sessionAffinity, sessionAffinityConfig }: ServiceSpec): Problems {
  yield* choice("spec.sessionAffinity", sessionAffinity, ["ClientIP", "None"]);
  if (sessionAffinity !== "ClientIP") return;
  const seconds = sessionAffinityConfig?.clientIP?.timeoutSeconds ?? 0;
  if (seconds > 0 && seconds <= longestAffinity) return;
  const field = "spec.sessionAffinityConfig.clientIP.timeoutSeconds";
  yield invalid(field, seconds, `must be greater than 0 and less than ${longestAffinity}`);
}

const families = ["IPv4", "IPv6"];
const familyPolicies = ["PreferDualStack", "RequireDualStack", "SingleStack"];

function* addresses(spec: ServiceSpec): Problems {
  const { clusterIP = "", clusterIPs = [], ipFamilies = [] } = spec;
  if (clusterIP !== "" && clusterIPs.length === 0) yield required("spec.clusterIPs");
  else if (clusterIP !== "" && clusterIPs[0] !== clusterIP) {
    yield invalid("spec.clusterIPs", clusterIPs, "first value must match `clusterIP`");
  } else if (clusterIP === "" && clusterIPs.length > 0) {
    yield invalid("spec.clusterIPs", clusterIPs, "must be empty when `clusterIP` is not specified");
  }
  for (const [index, family] of ipFamilies.entries()) {
    if (!families.includes(family)) yield notSupported(`spec.ipFamilies[${index}]`, family, families);
    if (ipFamilies.indexOf(family) < index) yield duplicate(`spec.ipFamilies[${index}]`, family);
  }
  yield* optionalChoice("spec.ipFamilyPolicy", spec.ipFamilyPolicy, familyPolicies);
  const malformed = [...addressList(clusterIPs)];
  yield* malformed;
  if (clusterIPs.length > 2) yield invalid("spec.clusterIPs", clusterIPs, "may only hold up to 2 values");
  if (malformed.length > 0) return;
  if (clusterIPs.length > 1 && isIPv6(clusterIPs[0]!) === isIPv6(clusterIPs[1]!)) {
    const detail = "may specify no more than one IP for each IP family";
    yield invalid("spec.clusterIPs", clusterIPs, detail);
  }
  if (isHeadless(spec)) return;
  for (const [index, address] of clusterIPs.entries()) {
    const family = ipFamilies[index];
    if (family === undefined || (family === "IPv6") === isIPv6(address)) continue;
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    yield invalid(`spec.clusterIPs[${index}]`, address, detail);
  }
}

function* addressList(list: readonly string[]): Problems {
  for (const [index, address] of list.entries()) {
    if (index > 0 || address !== "None") {
      yield* refused(`spec.clusterIPs[${index}]`, address, checkAddress(address));
    } else if (list.length > 1) {
      yield invalid("spec.clusterIPs", list, "'None' must be the first and only value");
    }
  }
}

const refusal = "may only be used when `type` is 'LoadBalancer'";

/** An update is checked for it twice. */
function* balancerClass({ type, loadBalancerClass }: ServiceSpec): Problems {
  if (loadBalancerClass === undefined) return;
  if (type !== "LoadBalancer") yield forbidden("spec.loadBalancerClass", refusal);
  else yield* refused("spec.loadBalancerClass", loadBalancerClass, checkQualifiedName(loadBalancerClass));
}

function* balancer(spec: ServiceSpec): Problems {
  const isBalancer = spec.type === "LoadBalancer";
  const { loadBalancerSourceRanges: ranges = [] } = spec;
  // The server capitalizes this field.
  const field = "spec.LoadBalancerSourceRanges";
  if (ranges.length > 0 && !isBalancer) yield forbidden(field, refusal);
  for (const [index, range] of ranges.entries()) {
    yield* refused(`${field}[${index}]`, range.trim(), checkAddressRange(range.trim()));
  }
  if (spec.allocateLoadBalancerNodePorts !== undefined && !isBalancer) {
    yield forbidden("spec.allocateLoadBalancerNodePorts", refusal);
  }
  yield* balancerClass(spec);
}

const policies = ["Cluster", "Local"];

function* traffic(spec: ServiceSpec): Problems {
  const { externalTrafficPolicy: external, healthCheckNodePort: health } = spec;
  const field = "spec.externalTrafficPolicy";
  if (isExternal(spec)) yield* choice(field, external, policies);
  else if (external) yield invalid(field, external, "may only be set for externally-accessible services");
  if (health && !needsHealthCheck(spec)) {
    const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
    yield invalid("spec.healthCheckNodePort", health, detail);
  } else if (health) yield* refused("spec.healthCheckNodePort", health, checkPort(health));
  yield* optionalChoice("spec.internalTrafficPolicy", spec.internalTrafficPolicy, policies);
  yield* optionalChoice("spec.trafficDistribution", spec.trafficDistribution, [
    "PreferClose",
    "PreferSameZone",
    "PreferSameNode",
  ]);
}

/** The immutable address fields of a Service. */
export function* addressChange({ spec }: Service, { spec: old }: Service): Problems {
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
export function* balancerStatus({ spec, status }: Service): Generator<FieldError, void> {
  const list = status?.loadBalancer?.ingress ?? [];
  const field = "status.loadBalancer.ingress";
  if (spec.type !== "LoadBalancer" && list.length > 0) {
    return yield forbidden(field, "may only be used when `spec.type` is 'LoadBalancer'");
  }
  for (const [index, { ip = "", ipMode, hostname = "" }] of list.entries()) {
    const at = `${field}[${index}]`;
    if (ip !== "") yield* refused(`${at}.ip`, ip, checkAddress(ip));
    if (ipMode !== undefined && ip === "") {
      yield forbidden(`${at}.ipMode`, "may not be specified when `ip` is not set");
    } else yield* optionalChoice(`${at}.ipMode`, ipMode, ["Proxy", "VIP"]);
    if (hostname === "") continue;
    yield* refused(`${at}.hostname`, hostname, checkSubdomain(hostname));
    if (isIP(hostname) !== 0) {
      yield invalid(`${at}.hostname`, hostname, "must be a DNS name, not an IP address");
    }
  }
}
