import type * as batch from "@tsbuilder/apimachinery/k8s/batch/v1";
import type { Sent } from "../../../contract/sent.ts";
import { checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import {
  duplicate,
  type FieldError,
  invalid,
  notSupported,
  omitted,
  required,
  tooLong,
  tooMany,
} from "@tsbuilder/apimachinery/errors";
import { nonNegative, type Problems, refused } from "../../checks/problems.ts";
import { countIndexes } from "./indexes.ts";
import type { JobSpec } from "./job-spec.ts";

type PodFailurePolicyRule = Sent<batch.PodFailurePolicyRule>;
type PodFailurePolicy = Sent<batch.PodFailurePolicy>;
type SuccessPolicy = Sent<batch.SuccessPolicy>;

const ruleLimit = 20;
const exitCodeLimit = 255;
const indexesLimit = 64 * 1024;

/** Validates a podFailurePolicy. */
export function* failurePolicy(field: string, policy: PodFailurePolicy, spec: JobSpec): Problems {
  const rules = policy.rules ?? [];
  if (rules.length > ruleLimit) yield tooMany(`${field}.rules`, rules.length, ruleLimit);
  for (const [index, rule] of rules.entries()) yield* failureRule(`${field}.rules[${index}]`, rule, spec);
}

const actions = ["Count", "FailIndex", "FailJob", "Ignore"];

function* failureRule(field: string, rule: PodFailurePolicyRule, spec: JobSpec): Problems {
  const { action = "", onExitCodes, onPodConditions = [] } = rule;
  const at = `${field}.action`;
  if (action === "") yield required(at, `valid values: ${listed(actions)}`);
  else if (action === "FailIndex") {
    if (spec.backoffLimitPerIndex === undefined) {
      yield invalid(at, action, "requires the backoffLimitPerIndex to be set");
    }
  } else if (!actions.includes(action)) yield notSupported(at, action, actions);
  if (onExitCodes) yield* exitCodes(`${field}.onExitCodes`, onExitCodes, spec);
  yield* conditions(`${field}.onPodConditions`, onPodConditions);
  if (onExitCodes && onPodConditions.length > 0) {
    yield withoutValue(field, "specifying both OnExitCodes and OnPodConditions is not supported");
  }
  if (!onExitCodes && onPodConditions.length === 0) {
    yield withoutValue(field, "specifying one of OnExitCodes and OnPodConditions is required");
  }
}

function withoutValue(field: string, detail: string): FieldError {
  return omitted(invalid(field, undefined, detail), detail);
}

/** A list of strings as Go prints it. */
function listed(values: readonly string[]): string {
  return `[${values.map((value) => JSON.stringify(value)).join(" ")}]`;
}

const operators = ["In", "NotIn"];

function* exitCodes(
  field: string,
  rule: NonNullable<PodFailurePolicyRule["onExitCodes"]>,
  spec: JobSpec,
): Problems {
  const { containerName, operator = "", values = [] } = rule;
  if (operator === "") yield required(`${field}.operator`, `valid values: ${listed(operators)}`);
  else if (!operators.includes(operator)) yield notSupported(`${field}.operator`, operator, operators);
  const { containers = [], initContainers = [] } = spec.template?.spec ?? {};
  const names = [...containers, ...initContainers].map(({ name }) => name);
  if (containerName !== undefined && !names.includes(containerName)) {
    const detail = "must be one of the container or initContainer names in the pod template";
    yield invalid(`${field}.containerName`, containerName, detail);
  }
  const at = `${field}.values`;
  if (values.length === 0) yield invalid(at, rule.values ?? null, "at least one value is required");
  else if (values.length > exitCodeLimit) yield tooMany(at, values.length, exitCodeLimit);
  for (const [index, code] of values.entries()) {
    if (operator === "In" && code === 0)
      yield invalid(`${at}[${index}]`, code, "must not be 0 for the In operator");
    if (values.indexOf(code) < index) yield duplicate(`${at}[${index}]`, code);
  }
  if (values.some((code, index) => index > 0 && values[index - 1]! > code)) {
    yield invalid(at, values, "must be ordered");
  }
}

const statuses = ["False", "True", "Unknown"];

function* conditions(
  field: string,
  patterns: NonNullable<PodFailurePolicyRule["onPodConditions"]>,
): Problems {
  if (patterns.length > ruleLimit) yield tooMany(field, patterns.length, ruleLimit);
  for (const [index, { type = "", status = "" }] of patterns.entries()) {
    const at = `${field}[${index}]`;
    yield* refused(`${at}.type`, type, checkQualifiedName(type));
    if (status === "") yield required(`${at}.status`, `valid values: ${listed(statuses)}`);
    else if (!statuses.includes(status)) yield notSupported(`${at}.status`, status, statuses);
  }
}

/** The policy as messages show it. */
export function successStruct({ rules }: SuccessPolicy): object {
  const shown = rules?.map(({ succeededIndexes, succeededCount }) => ({
    SucceededIndexes: succeededIndexes ?? null,
    SucceededCount: succeededCount ?? null,
  }));
  return { Rules: shown ?? null };
}

/** Validates a successPolicy. */
export function* successPolicy(field: string, policy: SuccessPolicy, spec: JobSpec): Problems {
  const rules = policy.rules ?? [];
  const { completions = 0 } = spec;
  if (rules.length === 0) {
    const detail = "at least one rules must be specified when the successPolicy is specified";
    yield required(`${field}.rules`, detail);
  }
  if (rules.length > ruleLimit) yield tooMany(`${field}.rules`, rules.length, ruleLimit);
  for (const [index, { succeededIndexes, succeededCount: count }] of rules.entries()) {
    const at = `${field}.rules[${index}]`;
    if (succeededIndexes === undefined && count === undefined) {
      yield required(at, "at least one of succeededCount or succeededIndexes must be specified");
    }
    const counted = countIndexes(succeededIndexes ?? "", completions);
    if ((succeededIndexes ?? "").length > indexesLimit) yield tooLong(`${at}.succeededIndexes`, indexesLimit);
    if (typeof counted === "string") {
      yield invalid(`${at}.succeededIndexes`, succeededIndexes, `error parsing succeededIndexes: ${counted}`);
    }
    if (count === undefined) continue;
    yield* nonNegative(`${at}.succeededCount`, count);
    const most = (number: number, of: string): string =>
      `must be less than or equal to ${number} (the number of ${of})`;
    if (count > completions) {
      yield invalid(`${at}.succeededCount`, count, most(completions, "specified completions"));
    }
    const total = typeof counted === "string" ? 0 : counted;
    if (succeededIndexes !== undefined && count > total) {
      const detail = most(total, "indexes in the specified succeededIndexes field");
      yield invalid(`${at}.succeededCount`, count, detail);
    }
  }
}
