import type * as batch from "@tsbuilder/apimachinery/k8s/batch/v1";
import type { Sent, SentObject } from "../../../contract/sent.ts";
import { checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { invalid, invalidStruct, notSupported, required, tooLong } from "@tsbuilder/apimachinery/errors";
import { nonNegative, optionalChoice, type Problems, refused } from "../../checks/problems.ts";
import { defaultTemplate } from "../../core/pod-spec/defaults.ts";
import { validateTemplate } from "../../core/pod-spec/validate.ts";
import { failurePolicy, successPolicy, successStruct } from "./job-policies.ts";

export type JobSpec = Sent<batch.JobSpec>;
export type JobStatus = Sent<batch.JobStatus>;
export type Job = SentObject<JobSpec, JobStatus>;

/** Sets the defaults of a JobSpec, wherever it is. */
export function defaultJobSpec(spec: JobSpec): void {
  spec.template = defaultTemplate(spec.template);
  for (const { onPodConditions = [] } of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of onPodConditions) pattern.status ||= "True";
  }
}

const counts = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
] as const;

const longestManager = 63;

/** The rules of a JobSpec: that of a Job, or one in the template of another kind. */
export function* jobSpec(field: string, spec: JobSpec): Problems {
  for (const name of counts) yield* nonNegative(`${field}.${name}`, spec[name]);
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined) {
    yield required(`${field}.backoffLimitPerIndex`, "when maxFailedIndexes is specified");
  }
  yield* manager(`${field}.managedBy`, spec.managedBy);
  yield* optionalChoice(`${field}.completionMode`, spec.completionMode, ["NonIndexed", "Indexed"]);
  if (spec.completionMode === "Indexed") yield* indexes(field, spec);
  else if (spec.completionMode === undefined || spec.completionMode === "NonIndexed") {
    for (const name of ["backoffLimitPerIndex", "maxFailedIndexes"] as const) {
      if (spec[name] === undefined) continue;
      yield invalid(`${field}.${name}`, spec[name], "requires indexed completion mode");
    }
  }
  yield* policies(field, spec);
  yield* validateTemplate(spec.template, `${field}.template`);
  yield* restarts(`${field}.template.spec.restartPolicy`, spec);
}

function* manager(field: string, name: string | undefined): Problems {
  if (name === undefined) return;
  if (name === "") return yield required(field);
  const [, host = "", path = ""] = /^([^/]+)\/(.+)$/s.exec(name) ?? [];
  if (path === "") yield invalid(field, name, 'must be a domain-prefixed path (such as "acme.io/foo")');
  else yield* refused(field, host, checkSubdomain(host));
  if (name.length > longestManager) yield tooLong(field, longestManager);
}

const mostIndexed = 100_000;
const mostAtOnce = 10_000;

function* indexes(field: string, spec: JobSpec): Problems {
  const { completions, parallelism, maxFailedIndexes: failed, backoffLimitPerIndex } = spec;
  if (completions === undefined) yield required(`${field}.completions`, "when completion mode is Indexed");
  if (parallelism !== undefined && parallelism > mostIndexed) {
    const detail = `must be less than or equal to ${mostIndexed} when completion mode is Indexed`;
    yield invalid(`${field}.parallelism`, parallelism, detail);
  }
  const at = `${field}.maxFailedIndexes`;
  if (completions !== undefined && failed !== undefined && failed > completions) {
    yield invalid(at, failed, "must be less than or equal to completions");
  }
  if (failed !== undefined && failed > mostIndexed) {
    yield invalid(at, failed, `must be less than or equal to ${mostIndexed}`);
  }
  if (completions === undefined || completions <= mostIndexed || backoffLimitPerIndex === undefined) return;
  if (failed === undefined) {
    yield required(at, `must be specified when completions is above ${mostIndexed}`);
  }
  for (const [name, value] of Object.entries({ parallelism, maxFailedIndexes: failed })) {
    if (value === undefined || value <= mostAtOnce) continue;
    const detail = `must be less than or equal to ${mostAtOnce} when completions are above ${mostIndexed} and used with backoff limit per index`;
    yield invalid(`${field}.${name}`, value, detail);
  }
}

function* policies(field: string, spec: JobSpec): Problems {
  if (spec.podFailurePolicy) yield* failurePolicy(`${field}.podFailurePolicy`, spec.podFailurePolicy, spec);
  if (spec.successPolicy) {
    if (spec.completionMode === "Indexed")
      yield* successPolicy(`${field}.successPolicy`, spec.successPolicy, spec);
    else {
      const shown = successStruct(spec.successPolicy);
      yield invalidStruct(`${field}.successPolicy`, shown, "requires indexed completion mode");
    }
  }
  const replacements = spec.podFailurePolicy ? ["Failed"] : ["Failed", "TerminatingOrFailed"];
  yield* optionalChoice(`${field}.podReplacementPolicy`, spec.podReplacementPolicy, replacements);
}

function* restarts(field: string, { template, podFailurePolicy }: JobSpec): Problems {
  const policy = template?.spec?.restartPolicy ?? "";
  if (policy === "" || policy === "Always") yield required(field, 'valid values: "OnFailure", "Never"');
  else if (policy !== "OnFailure" && policy !== "Never") {
    yield notSupported(field, policy, ["OnFailure", "Never"]);
  } else if (podFailurePolicy && policy !== "Never") {
    yield invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified');
  }
}
