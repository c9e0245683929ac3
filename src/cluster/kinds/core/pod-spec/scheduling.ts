import { checkLabelValue, checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import { duplicate, invalid, notSupported, required } from "@tsbuilder/apimachinery/errors";
import { selectorProblems } from "../../checks/label-selector.ts";
import { optionalChoice, positive, type Problems, refused } from "../../checks/problems.ts";
import { labelKeys } from "./label-keys.ts";
import type { PodSpec, TopologySpreadConstraint, Toleration } from "./types.ts";

const effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

/** The tolerations of a pod. */
export function* tolerations(field: string, list: readonly Toleration[] = []): Problems {
  for (const [index, toleration] of list.entries()) {
    const at = `${field}[${index}]`;
    const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration;
    if (key !== "") yield* refused(`${at}.key`, key, checkQualifiedName(key));
    if (key === "" && operator !== "Exists") {
      const detail =
        'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      yield invalid(`${at}.operator`, operator, detail);
    }
    if (tolerationSeconds !== undefined && effect !== "NoExecute") {
      const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      yield invalid(`${at}.effect`, effect, detail);
    }
    yield* tolerated(`${at}.operator`, operator, value);
    if (effect !== "") yield* optionalChoice(`${at}.effect`, effect, effects);
  }
}

function* tolerated(field: string, operator: string, value: string): Problems {
  switch (operator) {
    case "":
    case "Equal": {
      const reasons = checkLabelValue(value);
      if (reasons.length > 0) yield invalid(field, value, reasons.join(";"));
      break;
    }
    case "Exists":
      if (value !== "") yield invalid(field, value, "value must be empty when `operator` is 'Exists'");
      break;
    case "Lt":
    case "Gt":
      yield notSupported(field, operator, ["Equal", "Exists", "Lt", "Gt"]);
      break;
    default:
      yield notSupported(field, operator, ["Equal", "Exists"]);
  }
}

const actions = ["DoNotSchedule", "ScheduleAnyway"];
const policies = ["Honor", "Ignore"];

/** The topologySpreadConstraints of a pod. */
export function* spread(field: string, list: readonly TopologySpreadConstraint[] = []): Problems {
  for (const [index, constraint] of list.entries()) {
    const at = `${field}[${index}]`;
    const { maxSkew = 0, topologyKey = "", whenUnsatisfiable = "", minDomains } = constraint;
    yield* positive(`${at}.maxSkew`, maxSkew);
    if (topologyKey === "") yield required(`${at}.topologyKey`, "can not be empty");
    yield* optionalChoice(`${at}.whenUnsatisfiable`, whenUnsatisfiable, actions);
    const again = list
      .slice(index + 1)
      .some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable);
    if (again) {
      yield duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`);
    }
    if (minDomains !== undefined) yield* domains(`${at}.minDomains`, minDomains, whenUnsatisfiable);
    yield* optionalChoice(`${at}.nodeAffinityPolicy`, constraint.nodeAffinityPolicy, policies);
    yield* optionalChoice(`${at}.nodeTaintsPolicy`, constraint.nodeTaintsPolicy, policies);
    yield* labelKeys(at, constraint);
    yield* selectorProblems(`${at}.labelSelector`, constraint.labelSelector);
  }
}

function* domains(field: string, minDomains: number, action: string): Problems {
  yield* positive(field, minDomains);
  if (action === "DoNotSchedule") return;
  const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  yield invalid(field, minDomains, detail);
}

/** The readinessGates and schedulingGates of a pod. */
export function* gates(field: string, { readinessGates = [], schedulingGates = [] }: PodSpec): Problems {
  for (const [index, { conditionType = "" }] of readinessGates.entries()) {
    const at = `${field}.readinessGates[${index}].conditionType`;
    yield* refused(at, conditionType, checkQualifiedName(conditionType));
  }
  const seen = new Set<string>();
  for (const [index, { name = "" }] of schedulingGates.entries()) {
    const at = `${field}.schedulingGates[${index}]`;
    yield* refused(at, name, checkQualifiedName(name));
    if (seen.has(name)) yield duplicate(at, name);
    seen.add(name);
  }
}
