import type { RuleWithOperations } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import { invalid, notSupported, required } from "@tsbuilder/apimachinery/errors";
import type { Sent } from "../../contract/sent.ts";
import { optionalChoice, type Problems } from "./problems.ts";

const operations = ["*", "CONNECT", "CREATE", "DELETE", "UPDATE"];

/** Validates a rule that says which requests a webhook or a policy matches. */
export function* requestRule(field: string, rule: Sent<RuleWithOperations>): Problems {
  const { operations: verbs = [], apiGroups = [], apiVersions = [], resources = [] } = rule;
  if (verbs.length === 0) yield required(`${field}.operations`);
  yield* alone(`${field}.operations`, verbs, "operations");
  for (const [index, verb] of verbs.entries()) {
    if (!operations.includes(verb)) yield notSupported(`${field}.operations[${index}]`, verb, operations);
  }
  if (apiGroups.length === 0) yield required(`${field}.apiGroups`);
  yield* alone(`${field}.apiGroups`, apiGroups, "API groups");
  if (apiVersions.length === 0) yield required(`${field}.apiVersions`);
  yield* alone(`${field}.apiVersions`, apiVersions, "API versions");
  for (const [index, version] of apiVersions.entries()) {
    if (version === "") yield required(`${field}.apiVersions[${index}]`);
  }
  yield* resourceNames(`${field}.resources`, resources);
  yield* optionalChoice(`${field}.scope`, rule.scope, ["*", "Cluster", "Namespaced"]);
}

/** `*` must be the only item of a list. */
export function* alone(field: string, list: readonly string[], what: string): Problems {
  if (list.length < 2 || !list.includes("*")) return;
  yield invalid(field, list, `if '*' is present, must not specify other ${what}`);
}

function* resourceNames(field: string, list: readonly string[]): Problems {
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
