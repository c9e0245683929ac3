import { checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { duplicate, forbidden, invalid, required } from "@tsbuilder/apimachinery/errors";
import type { ParamRef } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import type { PolicyBindingSpec } from "../../expressions/policy.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import { pathSegmentName } from "../../registry/validate-metadata.ts";
import { selectorProblems } from "../checks/meta-types.ts";
import {
  defaultMatchResources,
  fileNameProblems,
  matchResourcesProblems,
  operationProblems,
} from "./match-resources.ts";
import { type Problems, choice, needed, refused, optionalChoice } from "../checks/problems.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { readField, text } from "../cells.ts";
import type { Fields } from "../fill-in.ts";

export const validatingAdmissionPolicyBinding = defineBinding(
  "validatingadmissionpolicybindings",
  ({ validationActions }) => actionProblems("spec.validationActions", validationActions ?? []),
);

function* actionProblems(field: string, list: readonly string[]): Problems {
  for (const [index, action] of list.entries()) {
    yield* optionalChoice(
      `${field}[${index}]`,
      action,
      "admissionregistration/v1.ValidatingAdmissionPolicyBindingSpec",
    );
    if (list.indexOf(action) < index) yield duplicate(`${field}[${index}]`, action);
  }
  if (list.includes("Deny") && list.includes("Warn")) {
    const why =
      "repeating the same validation failure information in the API response and headers serves no purpose";
    yield invalid(field, list, `must not contain both Deny and Warn (${why})`);
  }
  if (list.length === 0) yield required(field, "at least one validation action is required");
}

function defineBinding(resource: string, ownProblems: (spec: PolicyBindingSpec) => Problems): BuiltInKind {
  function* problemsOf(object: ApiObject): Problems {
    const spec = (object["spec"] ?? {}) as PolicyBindingSpec;
    yield* commonProblems(spec);
    yield* ownProblems(spec);
  }
  return {
    resource: `${resource}.admissionregistration.k8s.io`,
    metadataChecks: { update: ["new"], status: [], qualifiedFinalizers: false },
    strategy: {
      validate: (object) => [...problemsOf(object), ...fileNameProblems(object)],
      validateUpdate: (object) => [...problemsOf(object)],
      default: (object) => defaultMatchResources((object["spec"] as Fields)["matchResources"]),
    },
    cells: { PolicyName: text("spec.policyName"), ParamRef: paramRefCell },
  };
}

function* commonProblems({ policyName, paramRef, matchResources: match }: PolicyBindingSpec): Problems {
  yield* needed("spec.policyName", policyName, checkSubdomain);
  if (paramRef) yield* paramProblems("spec.paramRef", paramRef);
  if (match) yield* matchResourcesProblems("spec.matchResources", match);
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

function paramRefCell(object: object): string {
  const reference = readField<ParamRef>(object, "spec.paramRef");
  if (!reference) return "<unset>";
  return `${reference.namespace ? `${reference.namespace}/` : ""}${reference.name ?? ""}`;
}

export const mutatingAdmissionPolicyBinding = defineBinding(
  "mutatingadmissionpolicybindings",
  ({ matchResources: match }) => operationProblems("spec.matchResources", match),
);
