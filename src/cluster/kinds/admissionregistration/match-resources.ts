import type * as v1 from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import { duplicate, invalid, notSupported, required } from "@tsbuilder/apimachinery/errors";
import { pathSegmentName } from "../../registry/validate-metadata.ts";
import { selectorProblems } from "../checks/meta-types.ts";
import type { Problems } from "../checks/problems.ts";
import { optionalChoice, needed, refused, itemsOf, wildcardAlone, each } from "../checks/problems.ts";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import { isFeatureOn } from "../../contract/version.ts";
import { type Fields, fillIn } from "../fill-in.ts";

/** Validates which requests a policy or a binding matches. */
export function* matchResourcesProblems(field: string, match: v1.MatchResources): Problems {
  yield* optionalChoice(`${field}.matchPolicy`, match.matchPolicy, "admissionregistration/v1.MatchResources");
  yield* selectorProblems(`${field}.namespaceSelector`, match.namespaceSelector);
  yield* selectorProblems(`${field}.objectSelector`, match.objectSelector);
  for (const list of ["resourceRules", "excludeResourceRules"] as const) {
    yield* each(`${field}.${list}`, match[list], function* (at, rule) {
      yield* resourceNameProblems(`${at}.resourceNames`, rule.resourceNames ?? []);
      yield* requestRuleProblems(at, rule);
    });
  }
}

/** Validates a rule that says which requests a webhook or a policy matches. */
export function* requestRuleProblems(field: string, rule: Sent<v1.RuleWithOperations>): Problems {
  const { operations: verbs = [], apiGroups = [], apiVersions = [], resources = [] } = rule;
  if (verbs.length === 0) yield required(`${field}.operations`);
  yield* wildcardAlone(`${field}.operations`, verbs, "operations");
  yield* each(`${field}.operations`, verbs, (at, verb) =>
    optionalChoice(at, verb, "admissionregistration/v1.RuleWithOperations"),
  );
  if (apiGroups.length === 0) yield required(`${field}.apiGroups`);
  yield* wildcardAlone(`${field}.apiGroups`, apiGroups, "API groups");
  if (apiVersions.length === 0) yield required(`${field}.apiVersions`);
  yield* wildcardAlone(`${field}.apiVersions`, apiVersions, "API versions");
  yield* each(`${field}.apiVersions`, apiVersions, needed);
  yield* ruleResourceProblems(`${field}.resources`, resources);
  yield* optionalChoice(`${field}.scope`, rule.scope, "admissionregistration/v1.RuleWithOperations");
}

function* ruleResourceProblems(field: string, list: readonly string[]): Problems {
  if (list.length === 0) yield required(field);
  const withAllParts = new Set<string>();
  const partOfAll = new Set<string>();
  for (const [at, name] of itemsOf(field, list)) {
    if (name === "") yield required(at);
    const [resource = "", ...rest] = name.split("/");
    if (rest.length === 0) continue;
    const part = rest.join("/");
    if (withAllParts.has(resource)) {
      yield invalid(at, name, `if '${resource}/*' is present, must not specify ${name}`);
    }
    if (partOfAll.has(part)) yield invalid(at, name, `if '*/${part}' is present, must not specify ${name}`);
    if (part === "*") withAllParts.add(resource);
    if (resource === "*") partOfAll.add(part);
  }
  if (list.length > 1 && list.includes("*/*")) {
    yield invalid(field, list, "if '*/*' is present, must not specify other resources");
  }
  // The server checks only the last name without a subresource.
  const last = list.findLast((name) => name !== "" && !name.includes("/"));
  if (list.includes("*") && last !== undefined && last !== "*") {
    const detail = "if '*' is present, must not specify other resources without subresources";
    yield invalid(field, list, detail);
  }
}

function* resourceNameProblems(field: string, names: readonly string[]): Problems {
  for (const [index, name] of names.entries()) {
    yield* refused(`${field}[${index}]`, name, pathSegmentName(name, false));
    if (names.indexOf(name) < index) yield duplicate(`${field}[${index}]`, name);
  }
}

const mutableOperations = ["*", "CONNECT", "CREATE", "UPDATE"];

/** Validates the operations that a mutating policy or its binding matches: DELETE has no object to mutate. */
export function* operationProblems(field: string, match: v1.MatchResources | undefined): Problems {
  for (const rule of match?.resourceRules ?? []) {
    for (const operation of rule.operations ?? []) {
      if (mutableOperations.includes(operation)) continue;
      yield notSupported(`${field}.resourceRules.operations`, operation, mutableOperations);
    }
  }
}

/** Sets the defaults of which requests a policy or a binding matches. */
export function defaultMatchResources(match: unknown): void {
  fillIn(match, matchEverythingDefaults);
}

/** The defaults of a policy, a binding and a webhook alike: no selector excludes anything. */
export function matchEverythingDefaults(): Fields {
  return { namespaceSelector: {}, objectSelector: {} };
}

/** Names that the server keeps for configurations which it reads from files at its start. */
export function* fileNameProblems({ metadata: { name = "" } }: ApiObject): Problems {
  if (!isFeatureOn("ManifestBasedAdmissionControlConfig") || !name.endsWith(".static.k8s.io")) return;
  const detail =
    'names ending with ".static.k8s.io" are reserved for static manifest-based configurations and cannot be managed via the API';
  yield invalid("metadata.name", name, detail);
}
