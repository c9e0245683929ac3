import {
  checkLabel,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
} from "@tsbuilder/apimachinery/naming";
import { forbidden, invalid, required } from "@tsbuilder/apimachinery/errors";
import { selectorProblems } from "../../checks/label-selector.ts";
import { type Problems, refused } from "../../checks/problems.ts";
import { labelKeys } from "./label-keys.ts";
import type {
  Affinity,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodAffinity,
  PodAffinityTerm,
} from "./types.ts";

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
