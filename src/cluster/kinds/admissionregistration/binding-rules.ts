import { checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { duplicate, forbidden, invalid, notSupported, required } from "@tsbuilder/apimachinery/errors";
import type { ParamRef } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import type { PolicyBindingSpec } from "../../expressions/policy.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import { pathSegmentName } from "../../registry/validate-name.ts";
import { selectorProblems } from "../checks/label-selector.ts";
import { matchResources, mutatedOperations } from "../checks/match-resources.ts";
import { choice, needed, type Problems, refused } from "../checks/problems.ts";

/** Validates a ValidatingAdmissionPolicyBinding. */
export function* validatingBindingProblems(object: ApiObject): Problems {
  const spec = (object["spec"] ?? {}) as PolicyBindingSpec;
  yield* commonProblems(spec);
  yield* actionProblems("spec.validationActions", spec.validationActions ?? []);
}

/** Validates a MutatingAdmissionPolicyBinding. */
export function* mutatingBindingProblems(object: ApiObject): Problems {
  const spec = (object["spec"] ?? {}) as PolicyBindingSpec;
  yield* commonProblems(spec);
  yield* mutatedOperations("spec.matchResources", spec.matchResources);
}

function* commonProblems({ policyName, paramRef, matchResources: match }: PolicyBindingSpec): Problems {
  yield* needed("spec.policyName", policyName, checkSubdomain);
  if (paramRef) yield* paramProblems("spec.paramRef", paramRef);
  if (match) yield* matchResources("spec.matchResources", match);
}

function* paramProblems(field: string, { name = "", selector, parameterNotFoundAction }: ParamRef): Problems {
  const exclusive = "name and selector are mutually exclusive";
  if (name !== "") {
    yield* refused(`${field}.name`, name, pathSegmentName(name, false));
    if (selector) yield forbidden(`${field}.name`, exclusive);
  }
  if (selector) {
    yield* selectorProblems(`${field}.selector`, selector);
    if (name !== "") yield forbidden(`${field}.selector`, exclusive);
  }
  if (name === "" && !selector) yield required(field, "one of name or selector must be specified");
  yield* choice(`${field}.parameterNotFoundAction`, parameterNotFoundAction, ["Deny", "Allow"]);
}

const actions = ["Audit", "Deny", "Warn"];

function* actionProblems(field: string, list: readonly string[]): Problems {
  for (const [index, action] of list.entries()) {
    if (!actions.includes(action)) yield notSupported(`${field}[${index}]`, action, actions);
    if (list.indexOf(action) < index) yield duplicate(`${field}[${index}]`, action);
  }
  if (list.includes("Deny") && list.includes("Warn")) {
    const why =
      "repeating the same validation failure information in the API response and headers serves no purpose";
    yield invalid(field, list, `must not contain both Deny and Warn (${why})`);
  }
  if (list.length === 0) yield required(field, "at least one validation action is required");
}
