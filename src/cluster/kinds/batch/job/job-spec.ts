import type * as batch from "@tsbuilder/apimachinery/k8s/batch/v1";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { checkQualifiedName, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import {
  type FieldError,
  duplicate,
  forbidden,
  invalid,
  invalidStruct,
  notSupported,
  omitted,
  required,
  tooLong,
  tooMany,
} from "@tsbuilder/apimachinery/errors";
import type { Sent, SentObject } from "../../../contract/api-object.ts";
import { type Problems, each, nonNegative, optionalChoice, refused, itemsOf } from "../../checks/problems.ts";
import { defaultTemplate } from "../../core/pod-spec/defaults.ts";
import { podTemplateProblems } from "../../core/pod-spec/validate.ts";
import { countIndexes } from "./indexes.ts";
import { toGoStruct } from "../../checks/go-struct.ts";
import { knownValues } from "../../checks/known-values.ts";

export type JobSpec = Sent<batch.JobSpec>;

const nonNegativeFields = [
  "parallelism",
  "completions",
  "activeDeadlineSeconds",
  "backoffLimit",
  "ttlSecondsAfterFinished",
  "backoffLimitPerIndex",
  "maxFailedIndexes",
] as const;

/** Returns how a Job's pods are scheduled together: only Jobs have it that were stored while that feature was on. Since 1.37. */
function schedulingOf(spec: JobSpec) {
  type Scheduling = { schedulingPolicy?: { gang?: { minCount?: number } } };
  return (spec as { scheduling?: Scheduling }).scheduling;
}

/** Reports a change of `scheduling`. */
export function* schedulingChanges(field: string, spec: JobSpec, old: JobSpec): Problems {
  const [now, before] = [schedulingOf(spec), schedulingOf(old)];
  if (isEqual(now, before)) return;
  if (now) yield forbidden(`${field}.scheduling`, "");
  else yield invalid(`${field}.scheduling`, null, "field cannot be cleared once set");
}

/** The rules of a JobSpec: that of a Job, or one in the template of another kind. */
export function* jobSpecProblems(field: string, spec: JobSpec): Problems {
  for (const name of nonNegativeFields) yield* nonNegative(`${field}.${name}`, spec[name]);
  if (spec.maxFailedIndexes !== undefined && spec.backoffLimitPerIndex === undefined)
    yield required(`${field}.backoffLimitPerIndex`, "when maxFailedIndexes is specified");
  yield* managerProblems(`${field}.managedBy`, spec.managedBy);
  yield* optionalChoice(`${field}.completionMode`, spec.completionMode, ["NonIndexed", "Indexed"]);
  if (spec.completionMode === "Indexed") yield* indexedJobProblems(field, spec);
  else if (spec.completionMode === undefined || spec.completionMode === "NonIndexed") {
    for (const name of ["backoffLimitPerIndex", "maxFailedIndexes"] as const) {
      if (spec[name] === undefined) continue;
      yield invalid(`${field}.${name}`, spec[name], "requires indexed completion mode");
    }
  }
  yield* policyProblems(field, spec);
  const minCount = schedulingOf(spec)?.schedulingPolicy?.gang?.minCount;
  const { parallelism = 1 } = spec;
  if (minCount !== undefined && minCount > parallelism) {
    const detail = `must not be greater than parallelism (${parallelism})`;
    yield invalid(`${field}.scheduling.schedulingPolicy.gang.minCount`, minCount, detail);
  }
  yield* podTemplateProblems(spec.template, `${field}.template`);
  yield* restartPolicyProblems(`${field}.template.spec.restartPolicy`, spec);
}

export type JobStatus = Sent<batch.JobStatus>;
export type Job = SentObject<JobSpec, JobStatus>;

/** Sets the defaults of a JobSpec, wherever it is. */
export function defaultJobSpec(spec: JobSpec): void {
  defaultTemplate(spec.template);
  for (const { onPodConditions = [] } of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of onPodConditions) pattern.status ||= "True";
  }
}

const longestManager = 63;

function* managerProblems(field: string, name: string | undefined): Problems {
  if (name === undefined) return;
  if (name === "") return yield required(field);
  const [, host = "", path = ""] = /^([^/]+)\/(.+)$/s.exec(name) ?? [];
  if (path === "") yield invalid(field, name, 'must be a domain-prefixed path (such as "acme.io/foo")');
  else yield* refused(field, host, checkSubdomain(host));
  if (name.length > longestManager) yield tooLong(field, longestManager);
}

const mostIndexes = 100_000;
const mostIndexesOfLargeJob = 10_000;

function* indexedJobProblems(field: string, spec: JobSpec): Problems {
  const { completions, parallelism, maxFailedIndexes: failed, backoffLimitPerIndex } = spec;
  if (completions === undefined) yield required(`${field}.completions`, "when completion mode is Indexed");
  if (parallelism !== undefined && parallelism > mostIndexes) {
    const detail = `must be less than or equal to ${mostIndexes} when completion mode is Indexed`;
    yield invalid(`${field}.parallelism`, parallelism, detail);
  }
  const at = `${field}.maxFailedIndexes`;
  if (completions !== undefined && failed !== undefined && failed > completions)
    yield invalid(at, failed, "must be less than or equal to completions");
  if (failed !== undefined && failed > mostIndexes)
    yield invalid(at, failed, `must be less than or equal to ${mostIndexes}`);
  if (completions === undefined || completions <= mostIndexes || backoffLimitPerIndex === undefined) return;
  if (failed === undefined) yield required(at, `must be specified when completions is above ${mostIndexes}`);
  for (const [name, value] of Object.entries({ parallelism, maxFailedIndexes: failed })) {
    if (value === undefined || value <= mostIndexesOfLargeJob) continue;
    const detail = `must be less than or equal to ${mostIndexesOfLargeJob} when completions are above ${mostIndexes} and used with backoff limit per index`;
    yield invalid(`${field}.${name}`, value, detail);
  }
}

function* policyProblems(field: string, spec: JobSpec): Problems {
  if (spec.podFailurePolicy)
    yield* failurePolicyProblems(`${field}.podFailurePolicy`, spec.podFailurePolicy, spec);
  if (spec.successPolicy) {
    if (spec.completionMode === "Indexed")
      yield* successPolicyProblems(`${field}.successPolicy`, spec.successPolicy, spec);
    else {
      const shown = toGoStruct(spec.successPolicy, "batch/v1.SuccessPolicy");
      yield invalidStruct(`${field}.successPolicy`, shown, "requires indexed completion mode");
    }
  }
  const replacements = spec.podFailurePolicy
    ? ["Failed"]
    : knownValues("batch/v1.JobSpec.podReplacementPolicy");
  yield* optionalChoice(`${field}.podReplacementPolicy`, spec.podReplacementPolicy, replacements);
}

type PodFailurePolicy = Sent<batch.PodFailurePolicy>;

const mostRules = 20;

function* failurePolicyProblems(field: string, policy: PodFailurePolicy, spec: JobSpec): Problems {
  const rules = policy.rules ?? [];
  if (rules.length > mostRules) yield tooMany(`${field}.rules`, rules.length, mostRules);
  yield* each(`${field}.rules`, rules, (at, rule) => failureRuleProblems(at, rule, spec));
}

type PodFailurePolicyRule = Sent<batch.PodFailurePolicyRule>;

function* failureRuleProblems(field: string, rule: PodFailurePolicyRule, spec: JobSpec): Problems {
  const { action = "", onExitCodes, onPodConditions = [] } = rule;
  const at = `${field}.action`;
  yield* listedChoiceProblems(at, action, knownValues("batch/v1.PodFailurePolicyRule.action"));
  if (action === "FailIndex" && spec.backoffLimitPerIndex === undefined)
    yield invalid(at, action, "requires the backoffLimitPerIndex to be set");
  if (onExitCodes) yield* exitCodeProblems(`${field}.onExitCodes`, onExitCodes, spec);
  yield* podConditionProblems(`${field}.onPodConditions`, onPodConditions);
  if (onExitCodes && onPodConditions.length > 0)
    yield withoutValue(field, "specifying both OnExitCodes and OnPodConditions is not supported");
  if (!onExitCodes && onPodConditions.length === 0)
    yield withoutValue(field, "specifying one of OnExitCodes and OnPodConditions is required");
}

function withoutValue(field: string, detail: string): FieldError {
  return omitted(invalid(field, undefined, detail), detail);
}

/** Validates a required value from a list of choices, which the message shows as Go prints it. */
function* listedChoiceProblems(field: string, value: string, choices: readonly string[]): Problems {
  if (value !== "") return yield* optionalChoice(field, value, choices);
  yield required(field, `valid values: [${choices.map((each) => JSON.stringify(each)).join(" ")}]`);
}

const mostExitCodes = 255;

function* exitCodeProblems(
  field: string,
  rule: NonNullable<PodFailurePolicyRule["onExitCodes"]>,
  spec: JobSpec,
): Problems {
  const { containerName, operator = "", values = [] } = rule;
  const operators = knownValues("batch/v1.PodFailurePolicyOnExitCodesRequirement.operator");
  yield* listedChoiceProblems(`${field}.operator`, operator, operators);
  const { containers = [], initContainers = [] } = spec.template?.spec ?? {};
  const names = [...containers, ...initContainers].map(({ name }) => name);
  if (containerName !== undefined && !names.includes(containerName)) {
    const detail = "must be one of the container or initContainer names in the pod template";
    yield invalid(`${field}.containerName`, containerName, detail);
  }
  const at = `${field}.values`;
  if (values.length === 0) yield invalid(at, rule.values ?? null, "at least one value is required");
  else if (values.length > mostExitCodes) yield tooMany(at, values.length, mostExitCodes);
  for (const [index, code] of values.entries()) {
    if (operator === "In" && code === 0)
      yield invalid(`${at}[${index}]`, code, "must not be 0 for the In operator");
    if (values.indexOf(code) < index) yield duplicate(`${at}[${index}]`, code);
  }
  if (values.some((code, index) => index > 0 && values[index - 1]! > code))
    yield invalid(at, values, "must be ordered");
}

function* podConditionProblems(
  field: string,
  patterns: NonNullable<PodFailurePolicyRule["onPodConditions"]>,
): Problems {
  if (patterns.length > mostRules) yield tooMany(field, patterns.length, mostRules);
  for (const [at, { type = "", status = "" }] of itemsOf(field, patterns)) {
    yield* refused(`${at}.type`, type, checkQualifiedName(type));
    yield* listedChoiceProblems(`${at}.status`, status, ["False", "True", "Unknown"]);
  }
}

type SuccessPolicy = Sent<batch.SuccessPolicy>;

/** The policy as messages show it. */
const longestIndexes = 64 * 1024;

function* successPolicyProblems(field: string, policy: SuccessPolicy, spec: JobSpec): Problems {
  const rules = policy.rules ?? [];
  const { completions = 0 } = spec;
  if (rules.length === 0) {
    const detail = "at least one rules must be specified when the successPolicy is specified";
    yield required(`${field}.rules`, detail);
  }
  if (rules.length > mostRules) yield tooMany(`${field}.rules`, rules.length, mostRules);
  for (const [at, { succeededIndexes, succeededCount: count }] of itemsOf(`${field}.rules`, rules)) {
    if (succeededIndexes === undefined && count === undefined)
      yield required(at, "at least one of succeededCount or succeededIndexes must be specified");
    const counted = countIndexes(succeededIndexes ?? "", completions);
    if ((succeededIndexes ?? "").length > longestIndexes)
      yield tooLong(`${at}.succeededIndexes`, longestIndexes);
    if (typeof counted === "string")
      yield invalid(`${at}.succeededIndexes`, succeededIndexes, `error parsing succeededIndexes: ${counted}`);
    if (count === undefined) continue;
    yield* nonNegative(`${at}.succeededCount`, count);
    const most = (number: number, of: string): string =>
      `must be less than or equal to ${number} (the number of ${of})`;
    if (count > completions)
      yield invalid(`${at}.succeededCount`, count, most(completions, "specified completions"));
    const total = typeof counted === "string" ? 0 : counted;
    if (succeededIndexes !== undefined && count > total) {
      const detail = most(total, "indexes in the specified succeededIndexes field");
      yield invalid(`${at}.succeededCount`, count, detail);
    }
  }
}

function* restartPolicyProblems(field: string, { template, podFailurePolicy }: JobSpec): Problems {
  const policy = template?.spec?.restartPolicy ?? "";
  if (policy === "" || policy === "Always") yield required(field, 'valid values: "OnFailure", "Never"');
  else if (policy !== "OnFailure" && policy !== "Never") {
    yield notSupported(field, policy, ["OnFailure", "Never"]);
  } else if (podFailurePolicy && policy !== "Never") {
    yield invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified');
  }
}
