import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Sent } from "../../../contract/api-object.ts";
import {
  checkLabel,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
} from "@tsbuilder/apimachinery/naming";
import { duplicate, forbidden, invalid, notSupported, required, ruled } from "@tsbuilder/apimachinery/errors";
import { operatorProblems, selectorProblems } from "../../checks/meta-types.ts";
import {
  type Problems,
  checked,
  each,
  eachChecked,
  ifSet,
  itemsOf,
  optionalChoice,
  positive,
  unique,
} from "../../checks/problems.ts";
import type { PodSpec } from "./types.ts";

/** The effects of taints, in the order of messages. */
export const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];

export function* tolerationProblems(field: string, list: readonly Sent<core.Toleration>[] = []): Problems {
  for (const [at, toleration] of itemsOf(field, list)) {
    const { key = "", operator = "", value = "", effect = "", tolerationSeconds } = toleration;
    yield* ifSet(`${at}.key`, key, checkQualifiedName);
    if (key === "" && operator !== "Exists") {
      const detail =
        'operator must be Exists when `key` is empty, which means "match all values and all keys"';
      yield invalid(`${at}.operator`, operator, detail);
    }
    if (tolerationSeconds !== undefined && effect !== "NoExecute") {
      const detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
      yield invalid(`${at}.effect`, effect, detail);
    }
    yield* tolerationOperatorProblems(`${at}.operator`, operator, value);
    if (effect !== "") yield* optionalChoice(`${at}.effect`, effect, taintEffects);
  }
}

function* tolerationOperatorProblems(field: string, operator: string, value: string): Problems {
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

export function* spreadProblems(
  field: string,
  list: readonly Sent<core.TopologySpreadConstraint>[] = [],
): Problems {
  const type = "core/v1.TopologySpreadConstraint";
  for (const [at, constraint, index] of itemsOf(field, list)) {
    const { maxSkew = 0, topologyKey = "", whenUnsatisfiable = "", minDomains } = constraint;
    yield* positive(`${at}.maxSkew`, maxSkew);
    if (topologyKey === "") yield required(`${at}.topologyKey`, "can not be empty");
    yield* optionalChoice(`${at}.whenUnsatisfiable`, whenUnsatisfiable, type);
    const again = list
      .slice(index + 1)
      .some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable);
    if (again)
      yield duplicate(`${at}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`);
    if (minDomains !== undefined)
      yield* minDomainsProblems(`${at}.minDomains`, minDomains, whenUnsatisfiable);
    yield* optionalChoice(`${at}.nodeAffinityPolicy`, constraint.nodeAffinityPolicy, type);
    yield* optionalChoice(`${at}.nodeTaintsPolicy`, constraint.nodeTaintsPolicy, type);
    yield* labelKeyProblems(at, constraint);
    yield* ruled("spread", selectorProblems(`${at}.labelSelector`, constraint.labelSelector));
  }
}

function* minDomainsProblems(field: string, minDomains: number, action: string): Problems {
  yield* positive(field, minDomains);
  if (action === "DoNotSchedule") return;
  const detail = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`;
  yield invalid(field, minDomains, detail);
}

export function* gateProblems(field: string, { readinessGates, schedulingGates }: PodSpec): Problems {
  for (const [at, { conditionType = "" }] of itemsOf(`${field}.readinessGates`, readinessGates))
    yield* checked(`${at}.conditionType`, conditionType, checkQualifiedName);
  const uniqueName = unique();
  for (const [at, { name = "" }] of itemsOf(`${field}.schedulingGates`, schedulingGates)) {
    yield* checked(at, name, checkQualifiedName);
    yield* uniqueName(at, name);
  }
}

export function* affinityProblems(
  field: string,
  { nodeAffinity, podAffinity, podAntiAffinity }: Sent<core.Affinity>,
): Problems {
  if (nodeAffinity) yield* nodeAffinityProblems(`${field}.nodeAffinity`, nodeAffinity);
  if (podAffinity) yield* podAffinityProblems(`${field}.podAffinity`, podAffinity);
  if (podAntiAffinity) yield* podAffinityProblems(`${field}.podAntiAffinity`, podAntiAffinity);
}

const requiredTerms = "requiredDuringSchedulingIgnoredDuringExecution";
const preferredTerms = "preferredDuringSchedulingIgnoredDuringExecution";

function* nodeAffinityProblems(field: string, rules: Sent<core.NodeAffinity>): Problems {
  const needs = rules[requiredTerms];
  if (needs)
    yield* nodeSelectorProblems(`${field}.${requiredTerms}`, needs.nodeSelectorTerms, "node affinity");
  const preferred = itemsOf(`${field}.${preferredTerms}`, rules[preferredTerms]);
  for (const [at, { weight = 0, preference = {} }] of preferred) {
    yield* weightProblems(`${at}.weight`, weight);
    yield* nodeTermProblems(`${at}.preference`, preference);
  }
}

/** The terms of a node selector, of which one must match. `rule` is that of values, if stored objects may break it. */
export function* nodeSelectorProblems(
  field: string,
  terms: readonly Sent<core.NodeSelectorTerm>[] = [],
  rule?: string,
): Problems {
  const at = `${field}.nodeSelectorTerms`;
  if (terms.length === 0) yield required(at, "must have at least one node selector term");
  for (const [each, term] of itemsOf(at, terms))
    yield* nodeTermProblems(each, term, (field, values) => {
      const problems = eachChecked(field, values, checkLabelValue);
      return rule === undefined ? problems : ruled(rule, problems);
    });
}

function* weightProblems(field: string, weight: number): Problems {
  if (weight <= 0 || weight > 100) yield invalid(field, weight, "must be in the range 1-100");
}

/** Invalid label values are rejected only in required terms. */
function* nodeTermProblems(
  field: string,
  { matchExpressions, matchFields }: Sent<core.NodeSelectorTerm>,
  valueProblems?: (field: string, values: readonly string[]) => Problems,
): Problems {
  for (const [at, requirement] of itemsOf(`${field}.matchExpressions`, matchExpressions)) {
    yield* labelRequirementProblems(at, requirement);
    if (valueProblems) yield* valueProblems(`${at}.values`, requirement.values ?? []);
  }
  yield* each(`${field}.matchFields`, matchFields, fieldRequirementProblems);
}

function* labelRequirementProblems(
  field: string,
  { key = "", operator = "", values = [] }: Sent<core.NodeSelectorRequirement>,
): Problems {
  const at = `${field}.values`;
  if (operator !== "Gt" && operator !== "Lt") yield* operatorProblems(field, operator, values);
  else if (values.length !== 1) {
    yield required(at, "must be specified single value when `operator` is 'Lt' or 'Gt'");
  }
  yield* checked(`${field}.key`, key, checkQualifiedName);
}

function* fieldRequirementProblems(
  field: string,
  { key = "", operator = "", values = [] }: Sent<core.NodeSelectorRequirement>,
): Problems {
  if (operator !== "In" && operator !== "NotIn") {
    yield invalid(`${field}.operator`, operator, "not a valid selector operator");
  } else if (values.length !== 1) {
    const detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector";
    yield required(`${field}.values`, detail);
  }
  if (key !== "metadata.name") yield invalid(`${field}.key`, key, "not a valid field selector key");
  else yield* eachChecked(`${field}.values`, values, checkSubdomain);
}

function* podAffinityProblems(field: string, rules: Sent<core.PodAffinity>): Problems {
  yield* each(`${field}.${requiredTerms}`, rules[requiredTerms], podTermProblems);
  const preferred = itemsOf(`${field}.${preferredTerms}`, rules[preferredTerms]);
  for (const [at, { weight = 0, podAffinityTerm = {} }] of preferred) {
    yield* weightProblems(`${at}.weight`, weight);
    yield* podTermProblems(`${at}.podAffinityTerm`, podAffinityTerm);
  }
}

function* podTermProblems(field: string, term: Sent<core.PodAffinityTerm>): Problems {
  const { labelSelector, namespaceSelector, namespaces = [], topologyKey = "" } = term;
  yield* selectorProblems(`${field}.labelSelector`, labelSelector, "pod affinity");
  yield* selectorProblems(`${field}.namespaceSelector`, namespaceSelector, "pod affinity");
  for (const name of namespaces) yield* checked(`${field}.namespace`, name, checkLabel);
  yield* labelKeyProblems(field, term);
  if (topologyKey === "") yield required(`${field}.topologyKey`, "can not be empty");
  yield* checked(`${field}.topologyKey`, topologyKey, checkQualifiedName);
}

/** A term or constraint that selects pods by labels, and by the values that the new pod itself has for some keys. */
type KeyedTerm = Pick<Sent<core.PodAffinityTerm>, "labelSelector" | "matchLabelKeys" | "mismatchLabelKeys">;

/** Adds the values of a new pod's labels to its selectors, for the keys in matchLabelKeys and mismatchLabelKeys. */
export function mergeLabelKeys(
  { affinity = {}, topologySpreadConstraints = [] }: PodSpec,
  labels: object,
): void {
  const values = new Map(Object.entries(labels));
  const ofPods = [affinity.podAffinity, affinity.podAntiAffinity].flatMap((rules) => [
    ...(rules?.[preferredTerms] ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
    ...(rules?.[requiredTerms] ?? []),
  ]);
  for (const term of [...ofPods, ...topologySpreadConstraints] as readonly (KeyedTerm | undefined)[]) {
    const { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] } = term ?? {};
    if (!labelSelector) continue;
    const asked = [
      ["In", matchLabelKeys],
      ["NotIn", mismatchLabelKeys],
    ] as const;
    for (const [operator, keys] of asked) {
      const merged = keys.filter((key) => values.has(key));
      const added = merged.map((key) => ({ key, operator, values: [values.get(key)!] }));
      if (added.length > 0)
        labelSelector.matchExpressions = [...(labelSelector.matchExpressions ?? []), ...added];
    }
  }
}

/** The matchLabelKeys and mismatchLabelKeys of a selector. */
function* labelKeyProblems(
  field: string,
  { labelSelector, matchLabelKeys = [], mismatchLabelKeys = [] }: KeyedTerm,
): Problems {
  for (const [name, keys] of Object.entries({ matchLabelKeys, mismatchLabelKeys })) {
    const at = `${field}.${name}`;
    if (keys.length > 0 && !labelSelector) {
      yield forbidden(at, "must not be specified when labelSelector is not set");
    } else yield* eachChecked(at, keys, checkQualifiedName);
  }
  const selected = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  for (const { key } of labelSelector?.matchExpressions ?? []) {
    const index = matchLabelKeys.lastIndexOf(key);
    if (index !== -1 && selected.has(key))
      yield invalid(`${field}[${index}]`, key, "exists in both matchLabelKeys and labelSelector");
    selected.add(key);
  }
  for (const [at, key] of itemsOf(`${field}.matchLabelKeys`, matchLabelKeys)) {
    if (!mismatchLabelKeys.includes(key)) continue;
    yield invalid(at, key, "exists in both matchLabelKeys and mismatchLabelKeys");
  }
}
