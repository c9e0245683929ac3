import { invalid, invalidStruct, required } from "@tsbuilder/apimachinery/errors";
import { copyJSON, isEqual } from "@tsbuilder/apimachinery/json";
import { checkLabel } from "@tsbuilder/apimachinery/naming";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { WriteRequest } from "../../../registry/api-request.ts";
import type { Resource, Strategy } from "../../../registry/resource.ts";
import { runCheck } from "../../../registry/validate-metadata.ts";
import { hostnameWarning } from "../../checks/hostname-warning.ts";
import { isUsable, selectorProblems } from "../../checks/label-selector.ts";
import type { Problems } from "../../checks/problems.ts";
import type { PodTemplateSpec } from "../../core/pod-spec/types.ts";
import { podWarnings } from "../../core/pod-spec/warnings.ts";
import { successStruct } from "./job-policies.ts";
import { statusProblems } from "./status-rules.ts";
import { defaultJobSpec, jobSpec, type Job, type JobSpec } from "./job-spec.ts";

/**
 * Creations of Jobs without labels. Defaulting gives such a Job the labels of its pod template; in Go, both are then the
 * same map, so that the labels that the server adds to the template appear in the Job, too.
 */
const labelledByPods = new WeakSet<WriteRequest>();

/** Jobs select their pods by their own uid, and their template is immutable. */
export const jobStrategy: Partial<Strategy> = {
  deletionWarning: ({ propagationPolicy, orphanDependents }) =>
    propagationPolicy === undefined && orphanDependents === undefined
      ? "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"
      : undefined,
  default(object, context) {
    object["spec"] ??= {};
    const { spec } = object as Job;
    defaultJobSpec(spec);
    if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
    spec.parallelism ??= 1;
    spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1;
    spec.completionMode ??= "NonIndexed";
    spec.suspend ??= false;
    spec.manualSelector ??= false;
    spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed";
    if (!object.metadata.labels) {
      labelledByPods.add(context);
      const { labels } = spec.template?.metadata ?? {};
      if (labels) object.metadata.labels = { ...labels };
    }
    object["status"] ??= {};
  },
  prepareForCreate(object, context) {
    const { spec, metadata } = object as Job;
    if (spec.manualSelector) return;
    const labels = ownLabels(object);
    const template = spec.template!;
    if (labelledByPods.has(context)) metadata.labels = { ...metadata.labels, ...labels };
    template.metadata = { ...template.metadata, labels: { ...template.metadata?.labels, ...labels } };
    const own = { "batch.kubernetes.io/controller-uid": metadata.uid! };
    spec.selector = { ...spec.selector, matchLabels: { ...spec.selector?.matchLabels, ...own } };
  },
  validate: (object) => [...jobProblems(object as Job)],
  validateUpdate: (object, old, { subresource, resource }) =>
    subresource === "status"
      ? [...statusProblems(object as Job, old as Job)]
      : [...jobChanges(object as Job, old as Job, resource)],
  *warnings(object, old) {
    if (!old) yield* hostnameWarning(object, "Pod names and hostnames");
    else if (old.metadata.generation === object.metadata.generation) return;
    const { template = {} } = (object as Job).spec;
    yield* podWarnings("spec.template", template.spec ?? {}, template.metadata?.annotations);
  },
};

/** A Job without a name is rejected for that, not for its labels. */
function ownLabels({ metadata }: ApiObject): Record<string, string> {
  const { name = "" } = metadata;
  return {
    "controller-uid": metadata.uid!,
    "job-name": name,
    "batch.kubernetes.io/controller-uid": metadata.uid!,
    "batch.kubernetes.io/job-name": name,
  };
}

function* jobProblems(job: Job): Problems {
  yield* generatedSelector(job);
  yield* problems(job);
  yield* podNames(job);
}

/** The server checks both the rules for all writes and those for changes, which include those of the spec. */
function* jobChanges(job: Job, old: Job, resource: Resource): Problems {
  yield* jobProblems(job);
  yield* runCheck("update", job, old, resource);
  yield* problems(job);
  yield* fixedFields(job.spec, old.spec);
}

/** Without manualSelector, selector and labels are generated, and different ones are rejected. */
function* generatedSelector(job: Job): Problems {
  const { manualSelector, selector, template } = job.spec;
  if (manualSelector || !selector) return;
  const { labels = {} } = template?.metadata ?? {};
  for (const [key, value] of Object.entries(ownLabels(job))) {
    const field = `spec.template.metadata.labels[${key}]`;
    if (labels[key] === undefined) yield required(field, `must be '${value}'`);
    else if (labels[key] !== value) yield invalid(field, labels, `must be '${value}'`);
  }
  if (isUsable(selector) && !matchesLabelSelector(selector, ownLabels(job))) {
    yield invalid("spec.selector", selector, "`selector` not auto-generated");
  }
}

function* problems({ spec }: Job): Problems {
  yield* jobSpec("spec", spec);
  const { selector, template } = spec;
  if (!selector) yield required("spec.selector");
  yield* selectorProblems("spec.selector", selector);
  const labels = template?.metadata?.labels;
  if (isUsable(selector) && !(selector && matchesLabelSelector(selector, labels ?? {}))) {
    const field = "spec.template.metadata.labels";
    yield invalid(field, labels ?? null, "`selector` does not match template `labels`");
  }
}

/** The pod of the highest index has the longest name. */
function* podNames({ metadata, spec }: Job): Problems {
  if (spec.completionMode !== "Indexed" || !spec.completions) return;
  const { name = "" } = metadata;
  const longest = `${name}-${spec.completions - 1}`;
  if (checkLabel(longest).length === 0) return;
  yield invalid("metadata.name", name, `will not able to create pod with invalid DNS label: ${longest}`);
}

const immutable = [
  "completionMode",
  "podFailurePolicy",
  "backoffLimitPerIndex",
  "managedBy",
  "successPolicy",
] as const;

function* fixedFields(now: JobSpec, before: JobSpec): Problems {
  const detail = "field is immutable";
  if (!isEqual(now.completions, before.completions)) {
    if (now.completionMode !== "Indexed") yield invalid("spec.completions", now.completions ?? null, detail);
    else if (now.completions !== undefined && now.completions !== now.parallelism) {
      yield invalid(
        "spec.completions",
        now.completions,
        "can only be modified in tandem with spec.parallelism",
      );
    }
  }
  if (!isEqual(now.selector, before.selector)) yield invalid("spec.selector", now.selector ?? null, detail);
  if (before.suspend) {
    const [pods, old] = [movable(now.template), movable(before.template)];
    if (!isEqual(pods.spec, old.spec))
      yield invalid("spec.template.spec", now.template?.spec ?? null, detail);
  } else if (!isEqual(now.template, before.template)) {
    yield invalid("spec.template", now.template ?? null, detail);
  }
  for (const field of immutable) {
    if (isEqual(now[field], before[field])) continue;
    const struct = field === "successPolicy" && now[field] && successStruct(now[field]);
    yield struct
      ? invalidStruct(`spec.${field}`, struct, detail)
      : invalid(`spec.${field}`, now[field] ?? null, detail);
  }
}

/** A template without the fields that may change while the Job is suspended: scheduling and resources. */
function movable(template: PodTemplateSpec = {}): PodTemplateSpec {
  const { spec = {}, ...rest } = copyJSON(template);
  const { nodeSelector: _selector, tolerations: _tolerations, schedulingGates: _gates, ...fixed } = spec;
  if (fixed.affinity) delete fixed.affinity.nodeAffinity;
  if (fixed.affinity && Object.keys(fixed.affinity).length === 0) delete fixed.affinity;
  for (const container of [...(fixed.containers ?? []), ...(fixed.initContainers ?? [])]) {
    delete container.resources;
  }
  return { ...rest, spec: fixed };
}
