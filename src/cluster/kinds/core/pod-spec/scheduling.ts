import {
  checkLabel,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
} from "@tsbuilder/apimachinery/naming";
import { duplicate, forbidden, invalid, notSupported, required } from "@tsbuilder/apimachinery/errors";
import { selectorProblems } from "../../checks/meta-types.ts";
import { type Problems, optionalChoice, positive, refused } from "../../checks/problems.ts";
import type {
  Affinity,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
  PodSpec,
  Toleration,
  TopologySpreadConstraint,
} from "./types.ts";

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

/** The topologySpreadConstraints of a pod. */
export function* spread(field: string, list: readonly TopologySpreadConstraint[] = []): Problems {
  for (const [index, constraint] of list.entries()) {
    const at = `${field}[${index}]`;
    const { maxSkew = 0, topologyKey = "", whenUnsatisfiable = "", minDomains } = constraint;
    yield* positive(`${at}.maxSkew`, maxSkew);
    if (topologyKey === "") yield required(`${at}.topologyKey`, "can not be empty");
    yield* optionalChoice(`${at}.whenUnsatisfiable`, whenUnsatisfiable, "core/v1.TopologySpreadConstraint");
    const again = list
      .slice(index + 1)
      .some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable);
    if (again) {
      yield duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`);
    }
    if (minDomains !== undefined) yield* domains(`${at}.minDomains`, minDomains, whenUnsatisfiable);
    yield* optionalChoice(
      `${at}.nodeAffinityPolicy`,
      constraint.nodeAffinityPolicy,
      "core/v1.TopologySpreadConstraint",
    );
    yield* optionalChoice(
      `${at}.nodeTaintsPolicy`,
      constraint.nodeTaintsPolicy,
      "core/v1.TopologySpreadConstraint",
    );
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

const requiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";

const preferredTerms = "preferredDuringSchedulingIgnoredDuringExecution";

/** The affinity of a pod. */
export function* affinity(field: string, { nodeAffinity, podAffinity, podAntiAffinity }: Affinity): Problems {
  if (nodeAffinity) yield* nodes(`${field}.nodeAffinity`, nodeAffinity);
  if (podAffinity) yield* pods(`${field}.podAffinity`, podAffinity);
  if (podAntiAffinity) yield* pods(`${field}.podAntiAffinity`, podAntiAffinity);
}

function* nodes(field: string, rules: NonNullable<Affinity["nodeAffinity"]>): Problems {
  const needs = rules[requiredTerms];
  if (needs) yield* nodeSelectorProblems(`${field}.${requiredTerms}`, needs.nodeSelectorTerms);
  for (const [index, { weight = 0, preference = {} }] of (rules[preferredTerms] ?? []).entries()) {
    const each = `${field}.${preferredTerms}[${index}]`;
    yield* weightProblems(`${each}.weight`, weight);
    yield* nodeTerm(`${each}.preference`, preference, false);
  }
}

/** The terms of a node selector, of which one must match. */
export function* nodeSelectorProblems(field: string, terms: readonly NodeSelectorTerm[] = []): Problems {
  const at = `${field}.nodeSelectorTerms`;
  if (terms.length === 0) yield required(at, "must have at least one node selector term");
  for (const [index, term] of terms.entries()) yield* nodeTerm(`${at}[${index}]`, term, true);
}

function* weightProblems(field: string, weight: number): Problems {
  if (weight <= 0 || weight > 100) yield invalid(field, weight, "must be in the range 1-100");
}

/** Invalid label values are rejected only in required terms. */
function* nodeTerm(
  field: string,
  { matchExpressions = [], matchFields = [] }: NodeSelectorTerm,
  checksValues: boolean,
): Problems {
  for (const [index, requirement] of matchExpressions.entries()) {
    yield* labelRequirement(`${field}.matchExpressions[${index}]`, requirement, checksValues);
  }
  for (const [index, requirement] of matchFields.entries()) {
    yield* fieldRequirement(`${field}.matchFields[${index}]`, requirement);
  }
}

function* labelRequirement(
  field: string,
  { key = "", operator = "", values = [] }: NodeSelectorRequirement,
  checksValues: boolean,
): Problems {
  const at = `${field}.values`;
  switch (operator) {
    case "In":
    case "NotIn":
      if (values.length === 0) {
        yield required(at, "must be specified when `operator` is 'In' or 'NotIn'");
      }
      break;
    case "Exists":
    case "DoesNotExist":
      if (values.length > 0) {
        yield forbidden(at, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
      }
      break;
    case "Gt":
    case "Lt":
      if (values.length !== 1) {
        yield required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'");
      }
      break;
    default:
      yield invalid(`${field}.operator`, operator, "not a valid selector operator");
  }
  yield* refused(`${field}.key`, key, checkQualifiedName(key));
  if (!checksValues) return;
  for (const [index, value] of values.entries()) {
    yield* refused(`${at}[${index}]`, value, checkLabelValue(value));
  }
}

function* fieldRequirement(
  field: string,
  { key = "", operator = "", values = [] }: NodeSelectorRequirement,
): Problems {
  if (operator !== "In" && operator !== "NotIn") {
    yield invalid(`${field}.operator`, operator, "not a valid selector operator");
  } else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    yield required(`${field}.values`, detail);
  }
  if (key !== "metadata.name") yield invalid(`${field}.key`, key, "not a valid field selector key");
  else {
    for (const [index, value] of values.entries()) {
      yield* refused(`${field}.values[${index}]`, value, checkSubdomain(value));
    }
  }
}

function* pods(field: string, rules: PodAffinity): Problems {
  for (const [index, term] of (rules[requiredTerms] ?? []).entries()) {
    yield* podTerm(`${field}.${requiredTerms}[${index}]`, term);
  }
  for (const [index, { weight = 0, podAffinityTerm = {} }] of (rules[preferredTerms] ?? []).entries()) {
    const each = `${field}.${preferredTerms}[${index}]`;
    yield* weightProblems(`${each}.weight`, weight);
    yield* podTerm(`${each}.podAffinityTerm`, podAffinityTerm);
  }
}

function* podTerm(field: string, term: PodAffinityTerm): Problems {
  const { labelSelector, namespaceSelector, namespaces = [], topologyKey = "" } = term;
  yield* selectorProblems(`${field}.labelSelector`, labelSelector);
  yield* selectorProblems(`${field}.namespaceSelector`, namespaceSelector);
  for (const name of namespaces) yield* refused(`${field}.namespace`, name, checkLabel(name));
  yield* labelKeys(field, term);
  if (topologyKey === "") yield required(`${field}.topologyKey`, "can not be empty");
  yield* refused(`${field}.topologyKey`, topologyKey, checkQualifiedName(topologyKey));
}

/** The matchLabelKeys and mismatchLabelKeys of a selector. */
function* labelKeys(
  field: string,
  { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] }: PodAffinityTerm,
): Problems {
  for (const [name, keys] of Object.entries({ matchLabelKeys, mismatchLabelKeys })) {
    const at = `${field}.${name}`;
    if (keys.length > 0 && !labelSelector) {
      yield forbidden(at, "must not be specified when labelSelector is not set");
      continue;
    }
    for (const [index, key] of keys.entries()) {
      yield* refused(`${at}[${index}]`, key, checkQualifiedName(key));
    }
  }
  const selected = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  for (const { key } of labelSelector?.matchExpressions ?? []) {
    const index = matchLabelKeys.lastIndexOf(key);
    if (index !== -1 && selected.has(key)) {
      yield invalid(`${field}[${index}]`, key, "exists in both matchLabelKeys and labelSelector");
    }
    selected.add(key);
  }
  for (const [index, key] of matchLabelKeys.entries()) {
    if (!mismatchLabelKeys.includes(key)) continue;
    const detail = "exists in both matchLabelKeys and mismatchLabelKeys";
    yield invalid(`${field}.matchLabelKeys[${index}]`, key, detail);
  }
}
