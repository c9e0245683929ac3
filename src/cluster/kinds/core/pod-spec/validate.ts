// The rules of pod specs, which pods and the templates of all workloads share. This file has the order in which they are
// checked; the others have the rules by subject (containers, volumes, scheduling, security, resources), defaults.ts the
// defaults, and warnings.ts the warnings.

import { checkLabel, checkQualifiedName, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import {
  type FieldError,
  duplicate,
  forbidden,
  invalid,
  invalidStruct,
  notFound,
  notSupported,
  required,
  tooLong,
} from "@tsbuilder/apimachinery/errors";
import { checkSearchDomain, descendingPath, labelProblems } from "../../checks/names.ts";
import { type Problems, choice, inRange, refused } from "../../checks/problems.ts";
import { affinity, gates, spread, tolerations } from "./scheduling.ts";
import {
  type ContainerContext,
  containers,
  ephemeralContainers,
  initContainers,
  trimmedImage,
} from "./containers.ts";
import { containerResources, podResources } from "./resources.ts";
import { podSecurityProblems, userNamespaceProblems } from "./security.ts";
import type { Pod, PodSpec, PodTemplateSpec } from "./types.ts";
import { checkVolumes } from "./volumes.ts";
import { checkAddress } from "../../checks/addresses.ts";

/** Validates the pod template of a workload. */
export function validateTemplate(template: PodTemplateSpec = {}, field: string): FieldError[] {
  return [...templateProblems(field, template)];
}

function* templateProblems(field: string, { metadata = {}, spec = {} }: PodTemplateSpec): Problems {
  yield* labelProblems(`${field}.labels`, metadata.labels);
  for (const key of Object.keys(metadata.annotations ?? {})) {
    yield* refused(`${field}.annotations`, key, checkQualifiedName(key.toLowerCase()));
  }
  yield* annotationProblems(`${field}.annotations`, metadata.annotations, spec);
  yield* specProblems(`${field}.spec`, spec, undefined);
  if (spec.ephemeralContainers?.length) {
    yield forbidden(`${field}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template");
  }
}

/** Validates a pod, on creation and on update. */
export function* podProblems({ metadata, spec }: Pod): Problems {
  yield* annotationProblems("metadata.annotations", metadata.annotations, spec);
  yield* specProblems("spec", spec, metadata.name ?? "");
  if (!spec.serviceAccountName) {
    for (const [index, { projected }] of (spec.volumes ?? []).entries()) {
      for (const [each, { serviceAccountToken }] of (projected?.sources ?? []).entries()) {
        if (!serviceAccountToken) continue;
        const at = `spec.volumes[${index}].projected.sources[${each}].serviceAccountToken`;
        yield forbidden(at, "must not be specified when serviceAccountName is not set");
      }
    }
  }
  for (const list of ["containers", "initContainers"] as const) {
    for (const [index, container] of (spec[list] ?? []).entries()) {
      yield* trimmedImage(`spec.${list}[${index}]`, container);
    }
  }
}

const mirror = "kubernetes.io/config.mirror";

const deletionCost = "controller.kubernetes.io/pod-deletion-cost";

const seccompOfPod = "seccomp.security.alpha.kubernetes.io/pod";

const seccompOfContainer = "container.seccomp.security.alpha.kubernetes.io/";

const appArmor = "container.apparmor.security.beta.kubernetes.io/";

/** Pod annotations that the server validates. */
function* annotationProblems(
  field: string,
  annotations: Record<string, string> = {},
  spec: PodSpec,
): Problems {
  for (const [key, value] of Object.entries(annotations)) {
    if (key === mirror && !spec.nodeName) {
      yield invalid(`${field}[${key}]`, value, "must set spec.nodeName if mirror pod annotation is set");
    } else if (key === deletionCost && !isInt32(value)) {
      yield invalid(`${field}[${key}]`, value, "must be a 32bit integer");
    } else if (key === seccompOfPod || key.startsWith(seccompOfContainer)) {
      yield* seccomp(`${field}.${key}`, value);
    } else if (key.startsWith(appArmor)) yield* appArmorProblems(`${field}[${key}]`, key, value, spec);
  }
}

/** An integer as Go parses it: without a plus sign or leading zeros. */
function isInt32(text: string): boolean {
  return /^(0|-?[1-9]\d*)$/.test(text) && Math.abs(Number(text)) < 2 ** 31;
}

function* seccomp(field: string, profile: string): Problems {
  const local = "localhost/";
  if (["runtime/default", "docker/default", "unconfined"].includes(profile)) return;
  if (profile.startsWith(local)) yield* descendingPath(field, profile.slice(local.length));
  else yield invalid(field, profile, "must be a valid seccomp profile");
}

function* appArmorProblems(field: string, key: string, profile: string, spec: PodSpec): Problems {
  const name = key.slice(appArmor.length);
  const all = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  if (!all.some((container) => container.name === name)) yield invalid(field, name, "container not found");
  if (profile === "" || profile === "runtime/default" || profile === "unconfined") return;
  if (profile.startsWith("localhost/")) return;
  yield invalid(field, profile, `invalid AppArmor profile name: ${JSON.stringify(profile)}`);
}

/** Validates a new pod. */
export function* newPodProblems(pod: Pod): Problems {
  yield* podProblems(pod);
  const { ephemeralContainers: ephemeral, nodeName, schedulingGates } = pod.spec;
  if (ephemeral?.length) yield forbidden("spec.ephemeralContainers", "cannot be set on create");
  if (nodeName && schedulingGates?.length) {
    yield forbidden("spec.nodeName", "cannot be set until all schedulingGates have been cleared");
  }
}

const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

const longestDeadline = 2 ** 31 - 1;

/** `podName` is undefined for the spec of a template. */
function* specProblems(field: string, spec: PodSpec, podName: string | undefined): Problems {
  const { problems, sound } = checkVolumes(`${field}.volumes`, spec, podName ?? "");
  yield* problems;
  const claims = new Set((spec.resourceClaims ?? []).map(({ name = "" }) => name).filter(Boolean));
  yield* resourceClaims(`${field}.resourceClaims`, spec);
  const around: ContainerContext = { spec, volumes: sound, claims };
  yield* containers(`${field}.containers`, around);
  yield* initContainers(`${field}.initContainers`, around);
  yield* ephemeralContainers(`${field}.ephemeralContainers`, around);
  yield* podResources(spec, claims, `${field}.resources`);
  yield* hostPorts(field, spec, podName !== undefined);
  yield* choice(`${field}.restartPolicy`, spec.restartPolicy, ["Always", "OnFailure", "Never"]);
  yield* choice(`${field}.dnsPolicy`, spec.dnsPolicy, dnsPolicies);
  yield* labelProblems(`${field}.nodeSelector`, spec.nodeSelector);
  yield* podSecurityProblems(field, spec);
  if (spec.affinity) yield* affinity(`${field}.affinity`, spec.affinity);
  yield* dns(field, spec);
  yield* gates(field, spec);
  yield* spread(`${field}.topologySpreadConstraints`, spec.topologySpreadConstraints);
  yield* userNamespaceProblems(field, spec);
  yield* hostnameOverride(field, spec);
  yield* names(field, spec);
  yield* inRange(`${field}.activeDeadlineSeconds`, spec.activeDeadlineSeconds, 1, longestDeadline);
  yield* hostname(`${field}.hostname`, spec.hostname);
  yield* hostname(`${field}.subdomain`, spec.subdomain);
  yield* tolerations(`${field}.tolerations`, spec.tolerations);
  yield* hostAliases(`${field}.hostAliases`, spec.hostAliases);
  yield* classes(field, spec);
  if (spec.overhead) yield* containerResources(`${field}.overhead`, { limits: spec.overhead }, new Set());
  yield* system(`${field}.os`, spec);
  yield* fileVariables(field, spec);
}

const nameserverLimit = 3;

const searchLimit = 32;

const searchTextLimit = 2048;

/** The DNS policy and dnsConfig of a pod. */
function* dns(field: string, { dnsPolicy, dnsConfig }: PodSpec): Problems {
  const at = `${field}.dnsConfig`;
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  if (dnsPolicy === "None") {
    if (!dnsConfig) return yield required(at, "must provide `dnsConfig` when `dnsPolicy` is None");
    if (nameservers.length === 0) {
      const detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
      return yield required(`${at}.nameservers`, detail);
    }
  }
  if (nameservers.length > nameserverLimit) {
    const detail = `must not have more than ${nameserverLimit} nameservers`;
    yield invalid(`${at}.nameservers`, nameservers, detail);
  }
  for (const [index, server] of nameservers.entries()) {
    yield* refused(`${at}.nameservers[${index}]`, server, checkAddress(server));
  }
  if (searches.length > searchLimit) {
    yield invalid(`${at}.searches`, searches, `must not have more than ${searchLimit} search paths`);
  }
  if (searches.join(" ").length > searchTextLimit) {
    const detail = `must not have more than ${searchTextLimit} characters (including spaces) in the search list`;
    yield invalid(`${at}.searches`, searches, detail);
  }
  for (const [index, search] of searches.entries()) {
    const domain = search.replace(/\.$/, "");
    if (search !== ".") yield* refused(`${at}.searches[${index}]`, domain, checkSearchDomain(domain));
  }
  for (const [index, { name }] of options.entries()) {
    if (!name) yield required(`${at}.options[${index}]`, "must not be empty");
  }
}

/** The hostAliases of a pod. */
function* hostAliases(field: string, list: PodSpec["hostAliases"] = []): Problems {
  for (const [index, { ip = "", hostnames = [] }] of list.entries()) {
    yield* refused(`${field}[${index}].ip`, ip, checkAddress(ip));
    for (const [each, name] of hostnames.entries()) {
      yield* refused(`${field}[${index}].hostnames[${each}]`, name, checkSubdomain(name));
    }
  }
}

function* hostnameOverride(field: string, spec: PodSpec): Problems {
  const { hostnameOverride: name } = spec;
  if (name === undefined) return;
  const at = `${field}.hostnameOverride`;
  if (spec.setHostnameAsFQDN) yield forbidden(at, "may not be specified when setHostnameAsFQDN is true");
  if (spec.hostNetwork) yield forbidden(at, "may not be specified when hostNetwork is true");
  if (name.length > 64) yield tooLong(at, 64);
  yield* refused(at, name, checkSubdomain(name));
}

/** With hostNetwork, containerPort and hostPort must be equal. A template may omit hostPort. */
function* hostPorts(field: string, { hostNetwork, containers = [] }: PodSpec, isPod: boolean): Problems {
  if (!hostNetwork) return;
  for (const [index, { ports = [] }] of containers.entries()) {
    for (const [each, { hostPort = 0, containerPort = 0 }] of ports.entries()) {
      if (hostPort === containerPort || (!isPod && hostPort === 0)) continue;
      const at = `${field}.containers[${index}].ports[${each}].hostPort`;
      yield invalid(at, hostPort, "must match `containerPort` when `hostNetwork` is true");
    }
  }
}

function* hostname(field: string, name: string | undefined): Problems {
  if (name) yield* refused(field, name, checkLabel(name));
}

function* names(field: string, { serviceAccountName = "", nodeName = "" }: PodSpec): Problems {
  for (const [name, value] of Object.entries({ serviceAccountName, nodeName })) {
    if (value !== "") yield* refused(`${field}.${name}`, value, checkSubdomain(value));
  }
}

function* classes(field: string, spec: PodSpec): Problems {
  const { priorityClassName, runtimeClassName, preemptionPolicy } = spec;
  if (priorityClassName) {
    yield* refused(`${field}.priorityClassName`, priorityClassName, checkSubdomain(priorityClassName));
  }
  if (runtimeClassName !== undefined) {
    yield* refused(`${field}.runtimeClassName`, runtimeClassName, checkSubdomain(runtimeClassName));
  }
  if (preemptionPolicy !== undefined) {
    yield* choice(`${field}.preemptionPolicy`, preemptionPolicy, ["PreemptLowerPriority", "Never"]);
  }
}

function* system(field: string, { os }: PodSpec): Problems {
  if (!os) return;
  if (!os.name) yield required(`${field}.name`);
  else if (os.name !== "linux" && os.name !== "windows") {
    yield notSupported(field, os.name, ["linux", "windows"]);
  }
}

function* resourceClaims(field: string, { resourceClaims: list = [] }: PodSpec): Problems {
  const seen = new Set<string>();
  for (const [index, claim] of list.entries()) {
    const at = `${field}[${index}]`;
    const { name = "", resourceClaimName: claimName, resourceClaimTemplateName: template } = claim;
    if (name === "") yield required(`${at}.name`);
    else if (seen.has(name)) yield duplicate(`${at}.name`, name);
    else yield* refused(`${at}.name`, name, checkLabel(name));
    seen.add(name);
    if ((claimName === undefined) === (template === undefined)) {
      const detail =
        claimName === undefined
          ? "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
          : "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
      const shown = {
        Name: name,
        ResourceClaimName: claimName ?? null,
        ResourceClaimTemplateName: template ?? null,
      };
      yield invalidStruct(at, shown, detail);
    }
    if (claimName !== undefined)
      yield* refused(`${at}.resourceClaimName`, claimName, checkSubdomain(claimName));
    if (template !== undefined) {
      yield* refused(`${at}.resourceClaimTemplateName`, template, checkSubdomain(template));
    }
  }
}

/** Variables from files need an emptyDir volume. */
function* fileVariables(field: string, spec: PodSpec): Problems {
  for (const list of ["initContainers", "containers"] as const) {
    for (const [index, { env = [] }] of (spec[list] ?? []).entries()) {
      for (const [each, { valueFrom }] of env.entries()) {
        const name = valueFrom?.fileKeyRef?.volumeName;
        if (!valueFrom?.fileKeyRef) continue;
        const at = `${field}.${list}[${index}].env[${each}].valueFrom.fileKeyRef.volumeName`;
        const volume = spec.volumes?.find((candidate) => candidate.name === name);
        if (!volume) yield notFound(at, name ?? "");
        else if (!volume.emptyDir) {
          yield invalid(at, name, "referenced volume must be of type emptyDir");
        }
      }
    }
  }
}
