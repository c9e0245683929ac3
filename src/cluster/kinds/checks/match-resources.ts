import type { MatchResources } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import { duplicate, notSupported } from "@tsbuilder/apimachinery/errors";
import { pathSegmentName } from "../../registry/validate-name.ts";
import { selectorProblems } from "./label-selector.ts";
import { optionalChoice, type Problems, refused } from "./problems.ts";
import { requestRule } from "./request-rule.ts";

/** Validates which requests a policy or a binding matches. */
export function* matchResources(field: string, match: MatchResources): Problems {
  yield* optionalChoice(`${field}.matchPolicy`, match.matchPolicy, ["Equivalent", "Exact"]);
  yield* selectorProblems(`${field}.namespaceSelector`, match.namespaceSelector);
  yield* selectorProblems(`${field}.objectSelector`, match.objectSelector);
  for (const list of ["resourceRules", "excludeResourceRules"] as const) {
    for (const [index, rule] of (match[list] ?? []).entries()) {
      yield* resourceNames(`${field}.${list}[${index}].resourceNames`, rule.resourceNames ?? []);
      yield* requestRule(`${field}.${list}[${index}]`, rule);
    }
  }
}

function* resourceNames(field: string, names: readonly string[]): Problems {
  for (const [index, name] of names.entries()) {
    yield* refused(`${field}[${index}]`, name, pathSegmentName(name, false));
    if (names.indexOf(name) < index) yield duplicate(`${field}[${index}]`, name);
  }
}

const operations = ["*", "CONNECT", "CREATE", "UPDATE"];

/** DELETE has no object to mutate. */
export function* mutatedOperations(field: string, match: MatchResources | undefined): Problems {
  for (const rule of match?.resourceRules ?? []) {
    for (const operation of rule.operations ?? []) {
      if (operations.includes(operation)) continue;
      yield notSupported(`${field}.resourceRules.operations`, operation, operations);
    }
  }
}
