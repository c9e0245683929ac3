import type * as v1 from "@tsbuilder/apimachinery/k8s/networking/v1";
import { invalid, required, ruled } from "@tsbuilder/apimachinery/errors";
import { checkLabel, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import type { BuiltInKind } from "../built-in-kind.ts";
import { readField, text } from "../cells.ts";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import { checkAddress, isAddress } from "../checks/addresses.ts";
import { checkPort, checkPortName, checkWildcardDomain } from "../checks/names.ts";
import { type Problems, each, needed, refused, optionalChoice, ifSet } from "../checks/problems.ts";
import { typedReferenceProblems } from "./ingress-class.ts";

type Ingress = ApiObject & { spec?: Sent<v1.IngressSpec>; status?: Sent<v1.IngressStatus> };

const classAnnotation = "kubernetes.io/ingress.class";

export const ingress: BuiltInKind = {
  resource: "ingresses.networking.k8s.io",
  metadataChecks: { update: ["update", "new"] },
  strategy: {
    statusWritesMetadata: true,
    validate: (object) => [...ingressProblems(object), ...classAnnotationProblems(object)],
    validateUpdate: (object, old, { subresource }) => [
      ...(subresource === "status" ? ingressStatusProblems(object, old) : ingressProblems(object)),
    ],
    *warnings({ metadata, spec }: Ingress, old) {
      const hasAnnotation = metadata.annotations?.[classAnnotation] !== undefined;
      if (old || !hasAnnotation || spec?.ingressClassName !== undefined) return;
      yield `annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`;
    },
  },
  cells: {
    Class: text("spec.ingressClassName", "<none>"),
    Hosts: hostsCell,
    Address: addressCell,
    Ports: portsCell,
  },
};

function* ingressProblems({ spec = {} }: Ingress): Problems {
  const { rules = [], tls = [], defaultBackend, ingressClassName } = spec;
  if (rules.length === 0 && !defaultBackend) {
    yield invalid("spec", spec.rules ?? null, "either `defaultBackend` or `rules` must be specified");
  }
  if (defaultBackend) yield* backendProblems("spec.defaultBackend", defaultBackend);
  yield* each("spec.rules", rules, ruleProblems);
  yield* each("spec.tls", tls, tlsProblems);
  if (ingressClassName !== undefined) {
    yield* refused("spec.ingressClassName", ingressClassName, checkSubdomain(ingressClassName));
  }
}

/** On creation, the annotation of old clients must not contradict the class. */
function* classAnnotationProblems({ metadata, spec = {} }: Ingress): Problems {
  const annotation = metadata.annotations?.[classAnnotation];
  if (annotation === undefined || spec.ingressClassName === undefined) return;
  if (annotation === spec.ingressClassName) return;
  const detail = "must match `ingressClassName` when both are specified";
  yield invalid(`annotations.${classAnnotation}`, annotation, detail);
}

function* ruleProblems(field: string, { host = "", http }: Sent<v1.IngressRule>): Problems {
  if (isAddress(host)) yield notAnAddress(`${field}.host`, host);
  if (host !== "") yield* refused(`${field}.host`, host, checkHost(host));
  if (!http) return;
  const problems = pathListProblems(`${field}.http.paths`, http.paths ?? []);
  yield* host.includes("*") ? ruled("paths of wildcards", problems) : problems;
}

function* pathListProblems(field: string, paths: readonly Sent<v1.HTTPIngressPath>[]): Problems {
  if (paths.length === 0) yield required(field);
  yield* each(field, paths, pathProblems);
}

function notAnAddress(field: string, host: string) {
  return invalid(field, host, "must be a DNS name, not an IP address");
}

function checkHost(host: string): string[] {
  return host.includes("*") ? checkWildcardDomain(host) : checkSubdomain(host);
}

const forbiddenParts = ["//", "/./", "/../", "%2f", "%2F"];
const forbiddenEnds = ["/..", "/."];

function* pathProblems(field: string, { path = "", pathType, ...rest }: Sent<v1.HTTPIngressPath>): Problems {
  if (pathType === undefined) return yield required(`${field}.pathType`, "pathType must be specified");
  const isRelative = !path.startsWith("/");
  if (pathType === "Exact" || pathType === "Prefix") {
    if (isRelative) yield invalid(`${field}.path`, path, "must be an absolute path");
    for (const part of forbiddenParts) {
      if (path.includes(part)) yield invalid(`${field}.path`, path, `must not contain '${part}'`);
    }
    for (const end of forbiddenEnds) {
      if (path.endsWith(end)) yield invalid(`${field}.path`, path, `cannot end with '${end}'`);
    }
  } else if (pathType === "ImplementationSpecific") {
    if (path !== "" && isRelative) yield invalid(`${field}.path`, path, "must be an absolute path");
  } else yield* optionalChoice(`${field}.pathType`, pathType, "networking/v1.HTTPIngressPath");
  yield* backendProblems(`${field}.backend`, rest.backend ?? {});
}

function* backendProblems(field: string, { service, resource }: Sent<v1.IngressBackend>): Problems {
  if (service && resource) yield invalid(field, "", "cannot set both resource and service backends");
  else if (resource) yield* typedReferenceProblems(`${field}.resource`, resource);
  else if (service) yield* serviceProblems(field, service);
  else yield invalid(field, "", "resource or service backend is required");
}

function* serviceProblems(field: string, { name, port = {} }: Sent<v1.IngressServiceBackend>): Problems {
  yield* needed(`${field}.service.name`, name, checkLabel);
  if (port.name && port.number) yield invalid(field, "", "cannot set both port name & port number");
  else if (port.name) yield* refused(`${field}.service.port.name`, port.name, checkPortName(port.name));
  else if (port.number) yield* refused(`${field}.service.port.number`, port.number, checkPort(port.number));
  else yield required(field, "port name or number is required");
}

function* tlsProblems(field: string, { hosts = [], secretName }: Sent<v1.IngressTLS>): Problems {
  yield* each(`${field}.hosts`, hosts, (at, host) => refused(at, host, checkHost(host)));
  yield* ruled("secret", ifSet(`${field}.secretName`, secretName, checkSubdomain));
}

/** Addresses that the object already has are not checked again. */
function* ingressStatusProblems({ status }: Ingress, old: Ingress): Problems {
  const known = (old.status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip);
  for (const [index, { ip = "", hostname = "" }] of (status?.loadBalancer?.ingress ?? []).entries()) {
    const field = `status.loadBalancer.ingress[${index}]`;
    if (ip !== "" && !known.includes(ip)) yield* refused(`${field}.ip`, ip, checkAddress(ip));
    if (hostname === "") continue;
    yield* refused(`${field}.hostname`, hostname, checkSubdomain(hostname));
    if (isAddress(hostname)) yield notAnAddress(`${field}.hostname`, hostname);
  }
}

function hostsCell(object: object): string {
  const rules = readField<Sent<v1.IngressRule>[]>(object, "spec.rules") ?? [];
  const named = rules.flatMap(({ host }) => (host ? [host] : []));
  if (named.length === 0) return "*";
  return named.length > 3 ? `${named.slice(0, 3).join(",")} + ${named.length - 3} more...` : named.join(",");
}

function addressCell(object: object): string {
  const list = readField<Sent<v1.IngressLoadBalancerIngress>[]>(object, "status.loadBalancer.ingress") ?? [];
  return list.map(({ ip, hostname }) => ip ?? hostname ?? "").join(",");
}

function portsCell(object: object): string {
  return readField(object, "spec.tls") === undefined ? "80" : "80, 443";
}
