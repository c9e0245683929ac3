import { checkLabel, checkQualifiedName, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import {
  duplicate,
  type FieldError,
  forbidden,
  invalid,
  invalidStruct,
  notFound,
  notSupported,
  required,
} from "@tsbuilder/apimachinery/errors";
import { labelProblems } from "../../checks/names.ts";
import { choice, inRange, type Problems, refused } from "../../checks/problems.ts";
import { annotationProblems } from "./annotations.ts";
import { affinity } from "./affinity.ts";
import {
  containers,
  ephemeralContainers,
  initContainers,
  type ContainerContext,
  trimmedImage,
} from "./containers.ts";
import { dns, hostAliases, hostname, hostnameOverride, hostPorts } from "./network.ts";
import { containerResources, podResources } from "./resources.ts";
import { gates, spread, tolerations } from "./scheduling.ts";
import { ownUsers, podSecurity } from "./security.ts";
import type { Pod, PodSpec, PodTemplateSpec } from "./types.ts";
import { checkVolumes } from "./volumes.ts";

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
  yield* podSecurity(field, spec);
  if (spec.affinity) yield* affinity(`${field}.affinity`, spec.affinity);
  yield* dns(field, spec);
  yield* gates(field, spec);
  yield* spread(`${field}.topologySpreadConstraints`, spec.topologySpreadConstraints);
  yield* ownUsers(field, spec);
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
