import { formatSpan } from "@tsbuilder/apimachinery/text";
import type { JobCondition } from "@tsbuilder/apimachinery/k8s/batch/v1";
import type { FieldError } from "@tsbuilder/apimachinery/errors";
import { duplicate, invalid, invalidStruct, omitted, required } from "@tsbuilder/apimachinery/errors";
import { copyJSON, isEqual } from "@tsbuilder/apimachinery/json";
import { checkLabel } from "@tsbuilder/apimachinery/naming";
import { matchesLabelSelector } from "@tsbuilder/apimachinery/selector";
import { fieldText, type Resource, type WriteRequest } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { count, readField } from "../../cells.ts";
import { selectorCell, templateCells, workloadWarnings, templateLabelProblems } from "../../apps/workload.ts";
import type { PodTemplateSpec } from "../../core/pod-spec/types.ts";
import { jobController } from "./job-controller.ts";
import type { ApiObject } from "../../../contract/api-object.ts";
import { servesSince } from "../../../contract/version.ts";
import { runCheck } from "../../../registry/validate-metadata.ts";
import { toGoStruct } from "../../checks/go-struct.ts";
import { isValidSelector, selectorProblems } from "../../checks/meta-types.ts";
import { type Problems, nonNegative, itemsOf } from "../../checks/problems.ts";
import type { Job, JobSpec, JobStatus } from "./job-spec.ts";
import { defaultJobSpec, jobSpecProblems, schedulingChanges } from "./job-spec.ts";
import { countIndexes, firstCommonIndex } from "./indexes.ts";

/**
 * Creations of Jobs without labels. Defaulting gives such a Job the labels of its pod template; in Go, both are then the
 * same map, so that the labels that the server adds to the template appear in the Job, too.
 */
const labelledByPods = new WeakMap<WriteRequest, boolean>();

export const job: BuiltInKind<"job"> = {
  resource: "jobs.batch",
  metadataChecks: { update: ["new"] },
  /** Jobs select their pods by their own uid, and their template is immutable. */
  strategy: {
    statusWritesMetadata: true,
    refuseSelector: (field) => `field label ${JSON.stringify(field)} not supported for Job`,
    deletionWarning: ({ propagationPolicy, orphanDependents }) =>
      propagationPolicy === undefined && orphanDependents === undefined
        ? "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"
        : undefined,
    default(object, context) {
      const { spec } = object as Job;
      defaultJobSpec(spec);
      if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
      spec.parallelism ??= 1;
      spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1;
      spec.completionMode ??= "NonIndexed";
      spec.suspend ??= false;
      spec.manualSelector ??= false;
      spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed";
      // The decoded request has the labels of its own template, and not those of the stored one.
      if (labelledByPods.has(context)) return;
      labelledByPods.set(context, !object.metadata.labels);
      const { labels } = spec.template?.metadata ?? {};
      if (!object.metadata.labels && labels) object.metadata.labels = { ...labels };
    },
    prepareForCreate(object, context) {
      const { spec, metadata } = object as Job;
      if (spec.manualSelector) return;
      const template = spec.template!;
      // Labels and a selector that contradict the generated ones stay, and are rejected for that.
      const labels = { ...generatedLabels(object), ...template.metadata?.labels };
      if (labelledByPods.get(context)) metadata.labels = { ...metadata.labels, ...labels };
      template.metadata = { ...template.metadata, labels };
      const uidLabel = { "batch.kubernetes.io/controller-uid": metadata.uid! };
      spec.selector = { ...spec.selector, matchLabels: { ...uidLabel, ...spec.selector?.matchLabels } };
    },
    validate: (object) => [...jobProblems(object as Job)],
    validateUpdate: (object, old, { subresource, resource }) =>
      subresource === "status"
        ? [...statusProblems(object as Job, old as Job)]
        : [...jobChanges(object as Job, old as Job, resource)],
    warnings: (object, old) => workloadWarnings(object, old),
  },
  cells: {
    Status: statusCell,
    Completions: completionsCell,
    Duration: durationCell,
    ...templateCells,
    Selector: selectorCell,
  },
  selectors: { "status.successful": (object) => fieldText(object, "status.succeeded") || "0" },
  podTemplate: "spec.template",
  controllers: { job: jobController },
};

/**
 * Validates a change of a Job's status, which another controller than the cluster's may write (managedBy). As in
 * Kubernetes, a rule is checked only if one of the fields that it reads has changed.
 */
export function* statusProblems({ spec, status: now = {} }: Job, { status: before = {} }: Job): Problems {
  const changed = (...fields: readonly (keyof JobStatus)[]): boolean =>
    fields.some((field) => !isEqual(now[field] ?? zeroValue(field), before[field] ?? zeroValue(field)));
  const turned = (...types: readonly string[]): boolean =>
    types.some((type) => hasTrueCondition(now, type) !== hasTrueCondition(before, type));
  for (const field of ["active", "succeeded", "failed", "ready", "terminating"] as const)
    yield* nonNegative(`status.${field}`, now[field]);
  yield* uncountedPodProblems(now);
  const [complete, failed, met] = ["Complete", "Failed", "SuccessCriteriaMet"].map((type) =>
    hasTrueCondition(now, type),
  );
  const finished = complete || failed;
  const finishes = finished !== (hasTrueCondition(before, "Complete") || hasTrueCondition(before, "Failed"));
  if (turned("Complete", "Failed") && complete && failed)
    yield conditionsError("cannot set Complete=True and Failed=true conditions");
  if (turned("Complete", "FailureTarget") && complete && hasTrueCondition(now, "FailureTarget"))
    yield conditionsError("cannot set Complete=True and FailureTarget=true conditions");
  yield* completionTimeProblems(
    now,
    turned("Complete") || changed("completionTime"),
    changed("startTime", "completionTime"),
  );
  if ((turned("Failed") || changed("failedIndexes")) && failed && !hasTrueCondition(now, "FailureTarget"))
    yield conditionsError("cannot set Failed=True condition without the FailureTarget=true condition");
  if (turned("Complete", "SuccessCriteriaMet") && complete && !met)
    yield conditionsError("cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
  if (met && failed) yield conditionsError("cannot set SuccessCriteriaMet=True and Failed=true conditions");
  if (met && hasTrueCondition(now, "FailureTarget"))
    yield conditionsError("cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
  if ((finishes || changed("active")) && finished && (now.active ?? 0) > 0)
    yield invalid("status.active", now.active, "active>0 is invalid for finished job");
  const isSuspendedForGood = spec.suspend === true && spec.completions === 0;
  if ((finishes || changed("startTime")) && finished && !now.startTime && !isSuspendedForGood)
    yield required("status.startTime", "startTime is required for finished job");
  const { succeeded = [], failed: lost = [] } = now.uncountedTerminatedPods ?? {};
  if ((finishes || changed("uncountedTerminatedPods")) && finished && succeeded.length + lost.length > 0) {
    const shown = { Succeeded: succeeded, Failed: lost };
    yield invalidStruct("status.uncountedTerminatedPods", shown, "must be empty for finished job");
  }
  yield* indexProblems(spec, now, changed);
  if ((finishes || changed("terminating")) && finished && (now.terminating ?? 0) > 0)
    yield invalid("status.terminating", now.terminating, "terminating>0 is invalid for finished job");
  if (changed("ready", "active") && (now.ready ?? 0) > (now.active ?? 0))
    yield invalid("status.ready", now.ready, "cannot set more ready pods than active");
  yield* transitionProblems(spec, now, before);
}

/** Returns the zero value of a field of the status that is no pointer in Go; undefined for pointers. */
function zeroValue(field: keyof JobStatus): unknown {
  if (field === "completedIndexes") return "";
  return field === "active" || field === "succeeded" || field === "failed" ? 0 : undefined;
}

function hasTrueCondition({ conditions = [] }: JobStatus, type: string): boolean {
  return conditions.some((each) => each.type === type && each.status === "True");
}

function conditionsError(detail: string): FieldError {
  return omitted(invalid("status.conditions", undefined, detail), detail);
}

function* uncountedPodProblems({ uncountedTerminatedPods: pods = {} }: JobStatus): Problems {
  const seen = new Set<string>();
  for (const list of ["succeeded", "failed"] as const) {
    for (const [at, uid] of itemsOf(`status.uncountedTerminatedPods.${list}`, pods[list])) {
      if (uid === "") yield invalid(at, uid, "must not be empty");
      else if (seen.has(uid)) yield duplicate(at, uid);
      seen.add(uid);
    }
  }
}

function* completionTimeProblems(now: JobStatus, isDecided: boolean, isMoved: boolean): Problems {
  const field = "status.completionTime";
  const { completionTime: end, startTime: start } = now;
  const complete = hasTrueCondition(now, "Complete");
  if (isDecided && end && !complete)
    yield invalid(field, end, "cannot set completionTime when there is no Complete=True condition");
  if (isDecided && !end && complete) yield required(field, "completionTime is required for Complete jobs");
  if (isMoved && start && end && Date.parse(end) < Date.parse(start))
    yield invalid(field, end, "must be equal to or after `startTime`");
}

function* indexProblems(
  { completions, backoffLimitPerIndex, completionMode }: JobSpec,
  { completedIndexes: completed = "", failedIndexes: failed }: JobStatus,
  changed: (...fields: readonly (keyof JobStatus)[]) => boolean,
): Problems {
  const [completedField, failedField] = ["status.completedIndexes", "status.failedIndexes"];
  const wrong = (text: string): string | undefined => {
    const counted = completions === undefined ? 0 : countIndexes(text, completions);
    return typeof counted === "string" ? counted : undefined;
  };
  const ofCompleted = changed("completedIndexes") ? wrong(completed) : undefined;
  if (ofCompleted) yield invalid(completedField, completed, `error parsing completedIndexes: ${ofCompleted}`);
  const isPerIndex = backoffLimitPerIndex !== undefined;
  const ofFailed = changed("failedIndexes") && isPerIndex ? wrong(failed ?? "") : undefined;
  if (ofFailed) yield invalid(failedField, failed, `error parsing failedIndexes: ${ofFailed}`);
  if (changed("completedIndexes") && completed !== "" && completionMode !== "Indexed") {
    const detail = "cannot set non-empty completedIndexes when non-indexed completion mode";
    yield invalid(completedField, completed, detail);
  }
  if (changed("failedIndexes") && failed !== undefined && !isPerIndex) {
    const detail = "cannot set non-null failedIndexes when backoffLimitPerIndex is null";
    yield invalid(failedField, failed, detail);
  }
  if (!changed("failedIndexes", "completedIndexes") || completions === undefined) return;
  const both = firstCommonIndex(completed, failed ?? "", completions);
  if (both !== undefined)
    yield invalid(failedField, failed, `failedIndexes and completedIndexes overlap at index: ${both}`);
}

/** A terminal condition stays true, and counters of ended pods only grow. */
function* transitionProblems(spec: JobSpec, now: JobStatus, before: JobStatus): Problems {
  for (const type of ["Failed", "Complete", "FailureTarget"]) {
    if (hasTrueCondition(before, type) && !hasTrueCondition(now, type))
      yield conditionsError(`cannot disable the terminal ${type}=True condition`);
  }
  // An Indexed Job whose completions equal its parallelism may be scaled down.
  const mayShrink = spec.completionMode === "Indexed" && spec.completions === spec.parallelism;
  for (const counter of mayShrink ? (["failed"] as const) : (["failed", "succeeded"] as const)) {
    if ((now[counter] ?? 0) < (before[counter] ?? 0))
      yield invalid(`status.${counter}`, now[counter] ?? 0, `cannot decrease the ${counter} counter`);
  }
  const { completionTime: end, startTime: start } = now;
  if (end && before.completionTime && end !== before.completionTime)
    yield invalid("status.completionTime", end, "field is immutable");
  const isResuming =
    hasTrueCondition(before, "Suspended") &&
    (now.conditions ?? []).some(({ type, status }) => type === "Suspended" && status === "False");
  if (before.startTime && before.startTime !== start && !spec.suspend && !isResuming)
    yield invalid("status.startTime", start ?? null, "field is immutable for unsuspended job once set");
  const wasMet = hasTrueCondition(before, "SuccessCriteriaMet");
  const met = hasTrueCondition(now, "SuccessCriteriaMet");
  if (wasMet && !met) yield conditionsError("cannot disable the SuccessCriteriaMet=True condition");
  if (hasTrueCondition(before, "Complete") && !wasMet && met)
    yield conditionsError("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
}

/** The labels by which a Job selects its pods. One without a name is rejected for that, not for these labels. */
function generatedLabels({ metadata }: ApiObject): Record<string, string> {
  const { name = "" } = metadata;
  return {
    "controller-uid": metadata.uid!,
    "job-name": name,
    "batch.kubernetes.io/controller-uid": metadata.uid!,
    "batch.kubernetes.io/job-name": name,
  };
}

function* jobProblems(job: Job, old?: Job): Problems {
  yield* generatedSelectorProblems(job, old);
  yield* specProblems(job);
  yield* podNameProblems(job);
}

/** Until 1.37, the server checks both the rules for all writes and those for changes, which include those of the spec. */
function* jobChanges(job: Job, old: Job, resource: Resource): Problems {
  if (servesSince("1.37")) yield* podNameProblems(job);
  else yield* jobProblems(job, old);
  yield* runCheck("update", job, old, resource);
  yield* specProblems(job);
  yield* fixedFieldProblems(job.spec, old);
  yield* schedulingChanges("spec", job.spec, old.spec);
}

/**
 * Without manualSelector, selector and labels are generated, and different ones are rejected. Jobs that were stored before
 * their labels had prefixes need none with them.
 */
function* generatedSelectorProblems(job: Job, old?: Job): Problems {
  const { manualSelector, selector, template } = job.spec;
  if (manualSelector || !selector) return;
  const { labels = {} } = template?.metadata ?? {};
  const generated = generatedLabels(job);
  const stored = old && (old.spec.template?.metadata?.labels ?? {});
  const prefixed = Object.keys(generated).filter((key) => key.includes("/"));
  if (stored && !prefixed.every((key) => key in stored)) for (const key of prefixed) delete generated[key];
  for (const [key, value] of Object.entries(generated)) {
    const field = `spec.template.metadata.labels[${key}]`;
    if (labels[key] === undefined) yield required(field, `must be '${value}'`);
    else if (labels[key] !== value) yield invalid(field, labels, `must be '${value}'`);
  }
  if (isValidSelector(selector) && !matchesLabelSelector(selector, generated))
    yield invalid("spec.selector", selector, "`selector` not auto-generated");
}

function* specProblems({ spec }: Job): Problems {
  yield* jobSpecProblems("spec", spec);
  if (!spec.selector) yield required("spec.selector");
  yield* selectorProblems("spec.selector", spec.selector);
  if (isValidSelector(spec.selector)) yield* templateLabelProblems(spec.selector, spec.template);
}

/** Reports a name with which the pod of the highest index, whose name is the longest, would be invalid. */
function* podNameProblems({ metadata, spec }: Job): Problems {
  if (spec.completionMode !== "Indexed" || !spec.completions) return;
  const { name = "" } = metadata;
  const longest = `${name}-${spec.completions - 1}`;
  if (checkLabel(longest).length === 0) return;
  yield invalid("metadata.name", name, `will not able to create pod with invalid DNS label: ${longest}`);
}

const immutableFields = [
  "completionMode",
  "podFailurePolicy",
  "backoffLimitPerIndex",
  "managedBy",
  "successPolicy",
] as const;

function* fixedFieldProblems(now: JobSpec, { spec: before, status = {} }: Job): Problems {
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
  // A Job that ran before it was suspended has pods until its condition says so.
  const isIdle = !status.active && (!status.startTime || hasTrueCondition(status, "Suspended"));
  if (before.suspend && isIdle) {
    const [pods, old] = [withoutMutableFields(now.template), withoutMutableFields(before.template)];
    if (!isEqual(pods.spec, old.spec))
      yield invalid("spec.template.spec", now.template?.spec ?? null, detail);
  } else if (!isEqual(now.template, before.template)) {
    yield invalid("spec.template", now.template ?? null, detail);
  }
  for (const field of immutableFields) {
    if (isEqual(now[field], before[field])) continue;
    const struct =
      field === "successPolicy" && now[field] && toGoStruct(now[field], "batch/v1.SuccessPolicy");
    yield struct
      ? invalidStruct(`spec.${field}`, struct, detail)
      : invalid(`spec.${field}`, now[field] ?? null, detail);
  }
}

/** A template without the fields that may change while the Job is suspended: scheduling and resources. */
function withoutMutableFields(template: PodTemplateSpec = {}): PodTemplateSpec {
  const { spec = {}, ...rest } = copyJSON(template);
  const { nodeSelector: _selector, tolerations: _tolerations, schedulingGates: _gates, ...fixed } = spec;
  if (fixed.affinity) delete fixed.affinity.nodeAffinity;
  if (fixed.affinity && Object.keys(fixed.affinity).length === 0) delete fixed.affinity;
  for (const container of [...(fixed.containers ?? []), ...(fixed.initContainers ?? [])])
    delete container.resources;
  return { ...rest, spec: fixed };
}

function statusCell(object: object): string {
  const conditions = readField<JobCondition[]>(object, "status.conditions") ?? [];
  const holds = (type: string) => conditions.some((each) => each.type === type && each.status === "True");
  const end = ["Complete", "Failed"].find(holds);
  if (end) return end;
  if (readField(object, "metadata.deletionTimestamp")) return "Terminating";
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(holds) ?? "Running";
}

function completionsCell(object: object): string {
  const succeeded = count("status.succeeded")(object);
  const wanted = readField<number>(object, "spec.completions");
  if (wanted !== undefined) return `${succeeded}/${wanted}`;
  const parallelism = readField<number>(object, "spec.parallelism") ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function durationCell(object: object, now: number): string {
  const start = readField<string>(object, "status.startTime");
  if (start === undefined) return "";
  const end = readField<string>(object, "status.completionTime");
  const until = end === undefined ? now : Date.parse(end);
  return formatSpan(Math.floor((until - Date.parse(start)) / 1000));
}
