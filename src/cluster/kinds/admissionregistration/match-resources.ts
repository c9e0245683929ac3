import type * as v1 from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import {
  duplicate,
  internalError,
  invalid,
  notSupported,
  required,
  tooMany,
} from "@tsbuilder/apimachinery/errors";
import { checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import { pathSegmentName } from "../../registry/validate-metadata.ts";
import { selectorProblems } from "../checks/meta-types.ts";
import { type Problems, each, optionalChoice, refused } from "../checks/problems.ts";
import type { Sent } from "../../contract/sent.ts";
import { PolicyCompiler } from "../../expressions/policy-compiler.ts";
import type { Compilation } from "../../expressions/expression.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import { type Fields, eachOf, fillIn } from "../fill-in.ts";

/** Validates which requests a policy or a binding matches. */
export function* matchResources(field: string, match: v1.MatchResources): Problems {
  yield* optionalChoice(`${field}.matchPolicy`, match.matchPolicy, "admissionregistration/v1.MatchResources");
  yield* selectorProblems(`${field}.namespaceSelector`, match.namespaceSelector);
  yield* selectorProblems(`${field}.objectSelector`, match.objectSelector);
  for (const list of ["resourceRules", "excludeResourceRules"] as const) {
    yield* each(`${field}.${list}`, match[list], function* (at, rule) {
      yield* resourceNames(`${at}.resourceNames`, rule.resourceNames ?? []);
      yield* requestRule(at, rule);
    });
  }
}

/** Validates a rule that says which requests a webhook or a policy matches. */
export function* requestRule(field: string, rule: Sent<v1.RuleWithOperations>): Problems {
  const { operations: verbs = [], apiGroups = [], apiVersions = [], resources = [] } = rule;
  if (verbs.length === 0) yield required(`${field}.operations`);
  yield* alone(`${field}.operations`, verbs, "operations");
  yield* each(`${field}.operations`, verbs, (at, verb) =>
    optionalChoice(at, verb, "admissionregistration/v1.RuleWithOperations"),
  );
  if (apiGroups.length === 0) yield required(`${field}.apiGroups`);
  yield* alone(`${field}.apiGroups`, apiGroups, "API groups");
  if (apiVersions.length === 0) yield required(`${field}.apiVersions`);
  yield* alone(`${field}.apiVersions`, apiVersions, "API versions");
  for (const [index, version] of apiVersions.entries()) {
    if (version === "") yield required(`${field}.apiVersions[${index}]`);
  }
  yield* ruleResources(`${field}.resources`, resources);
  yield* optionalChoice(`${field}.scope`, rule.scope, "admissionregistration/v1.RuleWithOperations");
}

/** `*` must be the only item of a list. */
export function* alone(field: string, list: readonly string[], what: string): Problems {
  if (list.length < 2 || !list.includes("*")) return;
  yield invalid(field, list, `if '*' is present, must not specify other ${what}`);
}

function* ruleResources(field: string, list: readonly string[]): Problems {
  if (list.length === 0) yield required(field);
  const withAllParts = new Set<string>();
  const partOfAll = new Set<string>();
  for (const [index, name] of list.entries()) {
    const at = `${field}[${index}]`;
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

function* resourceNames(field: string, names: readonly string[]): Problems {
  for (const [index, name] of names.entries()) {
    yield* refused(`${field}[${index}]`, name, pathSegmentName(name, false));
    if (names.indexOf(name) < index) yield duplicate(`${field}[${index}]`, name);
  }
}

const mutableOperations = ["*", "CONNECT", "CREATE", "UPDATE"];

/** DELETE has no object to mutate. */
export function* mutatedOperations(field: string, match: v1.MatchResources | undefined): Problems {
  for (const rule of match?.resourceRules ?? []) {
    for (const operation of rule.operations ?? []) {
      if (mutableOperations.includes(operation)) continue;
      yield notSupported(`${field}.resourceRules.operations`, operation, mutableOperations);
    }
  }
}

const conditionLimit = 64;

/** Validates match conditions, which can't use variables, and `params` only where the policy has them. */
export function* matchConditions(
  field: string,
  list: readonly Sent<v1.MatchCondition>[],
  options: { readonly params: boolean },
): Problems {
  if (list.length > conditionLimit) yield tooMany(field, list.length, conditionLimit);
  const compiler = new PolicyCompiler({ ...options, variables: false });
  const names = new Set<string>();
  for (const [index, { name = "", expression = "" }] of list.entries()) {
    const at = `${field}[${index}]`;
    const text = expression.trim();
    if (text === "") yield required(`${at}.expression`);
    else yield* celProblem(`${at}.expression`, text, compiler.condition(text));
    if (name === "") yield required(`${at}.name`);
    else {
      yield* refused(`${at}.name`, name, checkQualifiedName(name));
      if (names.has(name)) yield duplicate(`${at}.name`, name);
    }
    names.add(name);
  }
}

/** The error for an expression that does not compile. */
export function* celProblem(field: string, expression: string, compiled: Compilation): Problems {
  if (!("detail" in compiled)) return;
  if (compiled.internal) yield internalError(field, compiled.detail);
  else yield invalid(field, expression, compiled.detail);
}

export function defaultPolicy(object: ApiObject): void {
  object["spec"] ??= {};
  fillIn(object["spec"], () => ({ failurePolicy: "Fail" }));
  defaultMatch((object["spec"] as Fields)["matchConstraints"]);
}

export function defaultBinding(object: ApiObject): void {
  object["spec"] ??= {};
  defaultMatch((object["spec"] as Fields)["matchResources"]);
}

export function defaultWebhook(webhook: Fields): void {
  fillIn(webhook, () => ({ ...matchEverything(), failurePolicy: "Fail", timeoutSeconds: 10 }));
  for (const rule of eachOf(webhook, "rules")) rule["scope"] ??= "*";
  fillIn((webhook["clientConfig"] as Fields | undefined)?.["service"], () => ({ port: 443 }));
}

function defaultMatch(match: unknown): void {
  fillIn(match, matchEverything);
  const rules = [...eachOf(match, "resourceRules"), ...eachOf(match, "excludeResourceRules")];
  for (const rule of rules) rule["scope"] ??= "*";
}

function matchEverything(): Fields {
  return { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} };
}
