// The rules of pod specs, which pods and the templates of all workloads share. This file has the order in which they are
// checked; the others have the rules by subject (containers, volumes, scheduling, security, resources), defaults.ts the
// defaults, and warnings.ts the warnings.

import { isEqual } from "@tsbuilder/apimachinery/json";
import { checkLabel, checkQualifiedName, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import {
  duplicate,
  forbidden,
  invalid,
  invalidStruct,
  notFound,
  required,
  ruled,
  tooLong,
} from "@tsbuilder/apimachinery/errors";
import { checkSearchDomain, relativePathProblems, labelProblems } from "../../checks/names.ts";
import {
  type Problems,
  checked,
  choice,
  eachChecked,
  ifSet,
  inRange,
  itemsOf,
  optionalChoice,
} from "../../checks/problems.ts";
import { affinityProblems, gateProblems, spreadProblems, tolerationProblems } from "./scheduling.ts";
import type { PodContext } from "./containers.ts";
import {
  containerProblems,
  ephemeralContainerProblems,
  initContainerProblems,
  imageSpaceProblems,
} from "./containers.ts";
import { containerResourceProblems, podResourceProblems } from "../resources.ts";
import {
  hostProcessProblems,
  podSecurityProblems,
  userNamespaceProblems,
  windowsOnlyProblems,
} from "./security.ts";
import { mirrorAnnotation } from "../../../contract/api-object.ts";
import { type Pod, type PodSpec, type PodTemplateSpec, type SeccompProfile, containersIn } from "./types.ts";
import { checkVolumes } from "./volumes.ts";
import { checkAddress } from "../../checks/addresses.ts";
import { toGoStruct } from "../../checks/go-struct.ts";

/** Validates the pod template of a workload. */
export function* podTemplateProblems(template: PodTemplateSpec = {}, field: string): Problems {
  const { metadata = {}, spec = {} } = template;
  yield* labelProblems(`${field}.labels`, metadata.labels);
  for (const key of Object.keys(metadata.annotations ?? {})) {
    yield* checked(`${field}.annotations`, key, (name) => checkQualifiedName(name.toLowerCase()));
  }
  yield* annotationProblems(`${field}.annotations`, metadata.annotations, spec);
  yield* specProblems(`${field}.spec`, spec, undefined);
  yield* annotationMatchProblems(`${field}.spec`, metadata.annotations, spec, false);
  if (spec.ephemeralContainers?.length) {
    yield forbidden(`${field}.spec.ephemeralContainers`, "ephemeral containers not allowed in pod template");
  }
}

/** Validates a pod, on creation and on update. */
export function* podProblems({ metadata, spec }: Pod): Problems {
  yield* annotationProblems("metadata.annotations", metadata.annotations, spec);
  yield* specProblems("spec", spec, metadata.name ?? "");
  if (!spec.serviceAccountName) {
    for (const [at, { projected }] of itemsOf("spec.volumes", spec.volumes)) {
      for (const [source, { serviceAccountToken }] of itemsOf(
        `${at}.projected.sources`,
        projected?.sources,
      )) {
        if (!serviceAccountToken) continue;
        const detail = "must not be specified when serviceAccountName is not set";
        yield forbidden(`${source}.serviceAccountToken`, detail);
      }
    }
  }
  for (const [at, container] of containersIn("spec", spec, "containers", "initContainers")) {
    yield* imageSpaceProblems(at, container);
  }
}

const podSeccompAnnotation = "seccomp.security.alpha.kubernetes.io/pod";
const containerSeccompPrefix = "container.seccomp.security.alpha.kubernetes.io/";
const appArmorPrefix = "container.apparmor.security.beta.kubernetes.io/";

/** Pod annotations that the server validates. */
function* annotationProblems(
  field: string,
  annotations: Record<string, string> = {},
  spec: PodSpec,
): Problems {
  for (const [key, value] of Object.entries(annotations)) {
    if (key === mirrorAnnotation && !spec.nodeName) {
      yield invalid(`${field}[${key}]`, value, "must set spec.nodeName if mirror pod annotation is set");
    } else if (key === "controller.kubernetes.io/pod-deletion-cost" && !isInt32(value)) {
      yield* ruled("deletion cost", [invalid(`${field}[${key}]`, value, "must be a 32bit integer")]);
    } else if (key === podSeccompAnnotation || key.startsWith(containerSeccompPrefix)) {
      yield* seccompAnnotationProblems(`${field}.${key}`, value);
    } else if (key.startsWith(appArmorPrefix))
      yield* appArmorAnnotationProblems(`${field}[${key}]`, key, value, spec);
  }
}

/** Annotations that say what the kubelet does may not change. */
export function* podAnnotationChanges({ metadata }: Pod, { metadata: old }: Pod): Problems {
  const [now = {}, before = {}] = [metadata.annotations, old.annotations];
  for (const key of new Set([...Object.keys(before), ...Object.keys(now)])) {
    const what = key.startsWith(appArmorPrefix)
      ? "AppArmor annotations"
      : key === mirrorAnnotation && "mirror pod annotation";
    if (!what || now[key] === before[key]) continue;
    const verb = before[key] === undefined ? "add" : "remove or update";
    yield forbidden(`metadata.annotations[${key}]`, `may not ${verb} ${what}`);
  }
}

/** Annotations of older releases must name the profiles that the fields name; for AppArmor, only in new pods. */
export function* annotationMatchProblems(
  field: string,
  annotations: Record<string, string> = {},
  spec: PodSpec,
  isPod: boolean,
): Problems {
  const { seccompProfile, appArmorProfile } = spec.securityContext ?? {};
  yield* seccompMatchProblems(`${field}.securityContext`, annotations[podSeccompAnnotation], seccompProfile);
  const all = [...containersIn(field, spec, "initContainers", "containers", "ephemeralContainers")];
  for (const [at, { name = "", securityContext }] of all) {
    const annotation = annotations[`${containerSeccompPrefix}${name}`];
    yield* seccompMatchProblems(`${at}.securityContext`, annotation, securityContext?.seccompProfile);
  }
  if (!isPod || spec.os?.name === "windows") return;
  for (const [at, { name = "", securityContext }] of all) {
    const profile = securityContext?.appArmorProfile ?? appArmorProfile;
    const annotation = annotations[`${appArmorPrefix}${name}`];
    if (!profile || annotation === undefined) continue;
    const wanted = localProfile("apparmor", annotation, profile, ["runtime/default"]);
    if (wanted) yield forbidden(`${at}.securityContext.appArmorProfile.${wanted.at}`, wanted.detail);
  }
}

/** New pods get the AppArmor profiles that annotations of older releases name, as fields. */
export function adoptAppArmorAnnotations({ metadata, spec }: Pod): void {
  if (spec.os?.name === "windows") return;
  const { appArmorProfile: ofPod } = spec.securityContext ?? {};
  for (const [, container] of containersIn(
    "spec",
    spec,
    "initContainers",
    "containers",
    "ephemeralContainers",
  )) {
    const annotation = metadata.annotations?.[`${appArmorPrefix}${container.name}`];
    if (annotation === undefined || container.securityContext?.appArmorProfile) continue;
    const profile = appArmorProfileOf(annotation);
    if (profile && !isEqual(profile, ofPod))
      container.securityContext = { ...container.securityContext, appArmorProfile: profile };
  }
}

function appArmorProfileOf(annotation: string): SeccompProfile | undefined {
  if (annotation === "unconfined") return { type: "Unconfined" };
  if (annotation === "runtime/default") return { type: "RuntimeDefault" };
  const localhostProfile = /^localhost\/(?<name>\S.*\S|\S)$/su.exec(annotation)?.groups?.["name"];
  if (localhostProfile === undefined || localhostProfile.length > 4095) return undefined;
  return { type: "Localhost", localhostProfile };
}

function* seccompMatchProblems(
  field: string,
  annotation: string | undefined,
  profile: SeccompProfile | undefined,
): Problems {
  if (!profile || annotation === undefined) return;
  const wrong = localProfile("seccomp", annotation, profile, ["runtime/default", "docker/default"]);
  if (wrong) yield forbidden(`${field}.seccompProfile.${wrong.at}`, wrong.detail);
}

/** Returns which field of a profile an annotation contradicts. */
function localProfile(
  what: string,
  annotation: string,
  { type = "", localhostProfile }: SeccompProfile,
  defaults: readonly string[],
): { at: string; detail: string } | undefined {
  const local = "localhost/";
  const matches: Readonly<Record<string, boolean>> = {
    Unconfined: annotation === "unconfined",
    RuntimeDefault: defaults.includes(annotation),
    Localhost: annotation.startsWith(local),
  };
  if (matches[type] === false)
    return { at: "type", detail: `${what} type in annotation and field must match` };
  if (type !== "Localhost" || annotation.slice(local.length) === localhostProfile) return undefined;
  return { at: "localhostProfile", detail: `${what} profile in annotation and field must match` };
}

/** An integer as Go parses it: without a plus sign or leading zeros. */
function isInt32(text: string): boolean {
  return /^(0|-?[1-9]\d*)$/.test(text) && Math.abs(Number(text)) < 2 ** 31;
}

function* seccompAnnotationProblems(field: string, profile: string): Problems {
  const local = "localhost/";
  if (["runtime/default", "docker/default", "unconfined"].includes(profile)) return;
  if (profile.startsWith(local)) yield* relativePathProblems(field, profile.slice(local.length));
  else yield invalid(field, profile, "must be a valid seccomp profile");
}

function* appArmorAnnotationProblems(field: string, key: string, profile: string, spec: PodSpec): Problems {
  const name = key.slice(appArmorPrefix.length);
  const all = [...(spec.initContainers ?? []), ...(spec.containers ?? [])];
  if (!all.some((container) => container.name === name)) yield invalid(field, name, "container not found");
  if (["", "runtime/default", "unconfined"].includes(profile) || profile.startsWith("localhost/")) return;
  yield invalid(field, profile, `invalid AppArmor profile name: ${JSON.stringify(profile)}`);
}

const dnsPolicies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];

/** `podName` is undefined for the spec of a template. */
function* specProblems(field: string, spec: PodSpec, podName: string | undefined): Problems {
  const validVolumes = yield* checkVolumes(`${field}.volumes`, spec, podName ?? "");
  const claims = new Set((spec.resourceClaims ?? []).map(({ name = "" }) => name).filter(Boolean));
  yield* resourceClaimProblems(`${field}.resourceClaims`, spec);
  const context: PodContext = { spec, volumes: validVolumes, claims };
  yield* containerProblems(`${field}.containers`, context);
  yield* initContainerProblems(`${field}.initContainers`, context);
  yield* ephemeralContainerProblems(`${field}.ephemeralContainers`, context);
  yield* podResourceProblems(spec, claims, `${field}.resources`);
  yield* hostNetworkPortProblems(field, spec, podName !== undefined);
  yield* choice(`${field}.restartPolicy`, spec.restartPolicy, ["Always", "OnFailure", "Never"]);
  yield* choice(`${field}.dnsPolicy`, spec.dnsPolicy, dnsPolicies);
  yield* labelProblems(`${field}.nodeSelector`, spec.nodeSelector);
  yield* podSecurityProblems(field, spec);
  if (spec.affinity) yield* affinityProblems(`${field}.affinity`, spec.affinity);
  yield* dnsProblems(field, spec);
  yield* gateProblems(field, spec);
  yield* spreadProblems(`${field}.topologySpreadConstraints`, spec.topologySpreadConstraints);
  yield* userNamespaceProblems(field, spec);
  yield* hostnameOverrideProblems(field, spec);
  yield* ifSet(`${field}.serviceAccountName`, spec.serviceAccountName, checkSubdomain);
  yield* ifSet(`${field}.nodeName`, spec.nodeName, checkSubdomain);
  yield* inRange(`${field}.activeDeadlineSeconds`, spec.activeDeadlineSeconds, 1, 2 ** 31 - 1);
  yield* ifSet(`${field}.hostname`, spec.hostname, checkLabel);
  yield* ifSet(`${field}.subdomain`, spec.subdomain, checkLabel);
  yield* tolerationProblems(`${field}.tolerations`, spec.tolerations);
  yield* hostAliasProblems(`${field}.hostAliases`, spec.hostAliases);
  yield* ifSet(`${field}.priorityClassName`, spec.priorityClassName, checkSubdomain);
  yield* checked(`${field}.runtimeClassName`, spec.runtimeClassName, checkSubdomain);
  if (spec.preemptionPolicy !== undefined) {
    yield* choice(`${field}.preemptionPolicy`, spec.preemptionPolicy, ["PreemptLowerPriority", "Never"]);
  }
  if (spec.overhead) yield* containerResourceProblems(`${field}.overhead`, { limits: spec.overhead });
  yield* hostProcessProblems(field, spec);
  yield* osProblems(`${field}.os`, spec);
  if (spec.os?.name === "windows") yield* windowsOnlyProblems(field, spec);
  yield* fileVariableProblems(field, spec);
}

function* dnsProblems(field: string, { dnsPolicy, dnsConfig }: PodSpec): Problems {
  const at = `${field}.dnsConfig`;
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  if (dnsPolicy === "None") {
    if (!dnsConfig) return yield required(at, "must provide `dnsConfig` when `dnsPolicy` is None");
    if (nameservers.length === 0) {
      const detail = "must provide at least one DNS nameserver when `dnsPolicy` is None";
      return yield required(`${at}.nameservers`, detail);
    }
  }
  if (nameservers.length > 3) {
    yield invalid(`${at}.nameservers`, nameservers, "must not have more than 3 nameservers");
  }
  yield* eachChecked(`${at}.nameservers`, nameservers, checkAddress);
  if (searches.length > 32) {
    yield invalid(`${at}.searches`, searches, "must not have more than 32 search paths");
  }
  if (searches.join(" ").length > 2048) {
    const detail = "must not have more than 2048 characters (including spaces) in the search list";
    yield invalid(`${at}.searches`, searches, detail);
  }
  for (const [each, search] of itemsOf(`${at}.searches`, searches)) {
    if (search !== ".") yield* checked(each, search.replace(/\.$/, ""), checkSearchDomain);
  }
  for (const [each, { name }] of itemsOf(`${at}.options`, options)) {
    if (!name) yield required(each, "must not be empty");
  }
}

function* hostAliasProblems(field: string, list: PodSpec["hostAliases"]): Problems {
  for (const [at, { ip = "", hostnames }] of itemsOf(field, list)) {
    yield* checked(`${at}.ip`, ip, checkAddress);
    yield* eachChecked(`${at}.hostnames`, hostnames, checkSubdomain);
  }
}

function* hostnameOverrideProblems(field: string, spec: PodSpec): Problems {
  const { hostnameOverride: name } = spec;
  if (name === undefined) return;
  const at = `${field}.hostnameOverride`;
  if (spec.setHostnameAsFQDN) yield forbidden(at, "may not be specified when setHostnameAsFQDN is true");
  if (spec.hostNetwork) yield forbidden(at, "may not be specified when hostNetwork is true");
  if (name.length > 64) yield tooLong(at, 64);
  yield* checked(at, name, checkSubdomain);
}

/** With hostNetwork, containerPort and hostPort must be equal. A template may omit hostPort. */
function* hostNetworkPortProblems(field: string, spec: PodSpec, isPod: boolean): Problems {
  if (!spec.hostNetwork) return;
  for (const [at, { ports }] of containersIn(field, spec, "containers")) {
    for (const [port, { hostPort = 0, containerPort = 0 }] of itemsOf(`${at}.ports`, ports)) {
      if (hostPort === containerPort || (!isPod && hostPort === 0)) continue;
      yield invalid(`${port}.hostPort`, hostPort, "must match `containerPort` when `hostNetwork` is true");
    }
  }
}

function* osProblems(field: string, { os }: PodSpec): Problems {
  if (!os) return;
  if (!os.name) yield required(`${field}.name`);
  else yield* optionalChoice(field, os.name, ["linux", "windows"]);
}

function* resourceClaimProblems(field: string, spec: PodSpec): Problems {
  const seen = new Set<string>();
  for (const [at, claim] of itemsOf(field, spec.resourceClaims)) {
    const { name = "", resourceClaimName: claimName, resourceClaimTemplateName: template } = claim;
    if (name === "") yield required(`${at}.name`);
    else if (seen.has(name)) yield duplicate(`${at}.name`, name);
    else yield* checked(`${at}.name`, name, checkLabel);
    seen.add(name);
    if ((claimName === undefined) === (template === undefined)) {
      const detail =
        claimName === undefined
          ? "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
          : "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
      yield invalidStruct(at, toGoStruct(claim, "core/v1.PodResourceClaim"), detail);
    }
    yield* checked(`${at}.resourceClaimName`, claimName, checkSubdomain);
    yield* checked(`${at}.resourceClaimTemplateName`, template, checkSubdomain);
  }
}

/** Variables from files need an emptyDir volume. */
function* fileVariableProblems(field: string, spec: PodSpec): Problems {
  for (const [container, { env }] of containersIn(field, spec, "initContainers", "containers")) {
    for (const [each, { valueFrom }] of itemsOf(`${container}.env`, env)) {
      if (!valueFrom?.fileKeyRef) continue;
      const { volumeName: name } = valueFrom.fileKeyRef;
      const at = `${each}.valueFrom.fileKeyRef.volumeName`;
      const volume = spec.volumes?.find((candidate) => candidate.name === name);
      if (!volume) yield notFound(at, name ?? "");
      else if (!volume.emptyDir) yield invalid(at, name, "referenced volume must be of type emptyDir");
    }
  }
}
