import { isEqual } from "@tsbuilder/apimachinery/patch";
import { type FieldError, invalid, notSupported, required } from "@tsbuilder/apimachinery/schema";
import type { LabelSelector } from "@tsbuilder/apimachinery/meta";
import type { ApiObject } from "../../../storage/api-object.ts";
import type { Strategy } from "../../resource.ts";
import { defaultPodSpec, defaultTemplate } from "./default-pod-spec.ts";
import type { PodTemplate } from "./pod-types.ts";
import { validatePodSpec } from "./validate-pod-spec.ts";

interface JobSpec {
  completions?: number;
  parallelism?: number;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  completionMode?: string;
  suspend?: boolean;
  manualSelector?: boolean;
  podReplacementPolicy?: string;
  podFailurePolicy?: unknown;
  selector?: LabelSelector;
  template?: PodTemplate;
}

interface Job extends ApiObject {
  spec: JobSpec;
}

interface CronJob extends ApiObject {
  spec: {
    schedule?: string;
    concurrencyPolicy?: string;
    suspend?: boolean;
    successfulJobsHistoryLimit?: number;
    failedJobsHistoryLimit?: number;
    jobTemplate?: { metadata?: object; spec?: JobSpec };
  };
}

/** Jobs choose their pods by their own uid, and keep their template. */
export const jobStrategy: Partial<Strategy> = {
  deletionWarning: (policy) =>
    policy === undefined
      ? "child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning"
      : undefined,
  default(object) {
    object["spec"] ??= {};
    const { spec } = object as Job;
    spec.template = defaultJobTemplate(spec.template);
    if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
    spec.parallelism ??= 1;
    spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1;
    spec.completionMode ??= "NonIndexed";
    spec.suspend ??= false;
    spec.manualSelector ??= false;
    spec.podReplacementPolicy ??= spec.podFailurePolicy === undefined ? "TerminatingOrFailed" : "Failed";
    if (spec.template.metadata?.labels) object.metadata.labels ??= { ...spec.template.metadata.labels };
    object["status"] ??= {};
  },
  prepareForCreate(object) {
    const { spec, metadata } = object as Job;
    if (spec.manualSelector) return;
    const uid = metadata.uid!;
    const labels = {
      "batch.kubernetes.io/controller-uid": uid,
      "batch.kubernetes.io/job-name": metadata.name!,
      "controller-uid": uid,
      "job-name": metadata.name!,
    };
    metadata.labels = { ...metadata.labels, ...labels };
    const template = spec.template!;
    template.metadata = { ...template.metadata, labels: { ...template.metadata?.labels, ...labels } };
    spec.selector = { matchLabels: { "batch.kubernetes.io/controller-uid": uid } };
  },
  validate: (object) => validateJob((object as Job).spec, "spec"),
  validateUpdate(object, old) {
    const [now, before] = [(object as Job).spec, (old as Job).spec];
    const errors = validateJob(now, "spec");
    for (const field of ["completions", "selector", "template", "completionMode"] as const) {
      const suspended = before.suspend === true && field === "template";
      if (suspended || isEqual(now[field], before[field])) continue;
      errors.push(invalid(`spec.${field}`, now[field], "field is immutable"));
    }
    return errors;
  },
};

export const cronJobStrategy: Partial<Strategy> = {
  default(object) {
    object["spec"] ??= {};
    const { spec } = object as CronJob;
    spec.concurrencyPolicy ||= "Allow";
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
    const { metadata = {}, spec: job = {} } = spec.jobTemplate ?? {};
    job.template = defaultJobTemplate(job.template);
    spec.jobTemplate = { ...spec.jobTemplate, metadata, spec: job };
    object["status"] ??= {};
  },
  validate: (object) => validateCronJob(object as CronJob),
  validateUpdate: (object) => validateCronJob(object as CronJob),
};

/** A job must say itself whether its pods restart: the usual default is refused. */
function defaultJobTemplate(template: PodTemplate | undefined): PodTemplate {
  const policy = template?.spec?.restartPolicy;
  const full = defaultTemplate(template);
  defaultPodSpec(full.spec!);
  if (!policy) full.spec!.restartPolicy = "Always";
  return full;
}

function validateJob(
  { template, parallelism = 0, completions = 0, backoffLimit = 0 }: JobSpec,
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, value] of Object.entries({ parallelism, completions, backoffLimit })) {
    if (value < 0) errors.push(invalid(`${field}.${name}`, value, "must be greater than or equal to 0"));
  }
  const spec = template?.spec ?? {};
  errors.push(...validatePodSpec(spec, `${field}.template.spec`));
  if (spec.restartPolicy === "Always" || !spec.restartPolicy) {
    errors.push(required(`${field}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"'));
  }
  return errors;
}

function validateCronJob({ spec }: CronJob): FieldError[] {
  const errors: FieldError[] = [];
  const { schedule = "", concurrencyPolicy } = spec;
  if (schedule === "") errors.push(required("spec.schedule"));
  else {
    const fields = schedule.trim().split(/\s+/);
    if (!schedule.startsWith("@") && fields.length !== 5) {
      const detail = `expected exactly 5 fields, found ${fields.length}: [${fields.join(" ")}]`;
      errors.push(invalid("spec.schedule", schedule, detail));
    }
  }
  const policies = ["Allow", "Forbid", "Replace"];
  if (!policies.includes(concurrencyPolicy ?? "")) {
    errors.push(notSupported("spec.concurrencyPolicy", concurrencyPolicy, policies));
  }
  return [...errors, ...validateJob(spec.jobTemplate?.spec ?? {}, "spec.jobTemplate.spec")];
}
