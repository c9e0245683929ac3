import type { ValidatingAdmissionPolicyStatus } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { Sent } from "../../../contract/sent.ts";
import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { size } from "../../cells/read-field.ts";
import { paramKind } from "../cells.ts";
import { conditionProblems } from "../../checks/conditions.ts";
import { defaultPolicy } from "../defaults.ts";
import { validatingPolicyProblems } from "../policy-rules.ts";

const validatingPolicyStrategy: Partial<Strategy> = {
  createOnStatusApply: true,
  validate: (object) => [...validatingPolicyProblems(object)],
  validateUpdate: (object, old, { subresource }) => [
    ...(subresource === "status"
      ? conditionProblems("status.conditions", statusOf(object).conditions)
      : validatingPolicyProblems(object, old)),
  ],
  default(object) {
    defaultPolicy(object);
    object["status"] ??= {};
  },
};

function statusOf(object: ApiObject): Sent<ValidatingAdmissionPolicyStatus> {
  return object["status"] ?? {};
}

export const validatingAdmissionPolicy: BuiltInKind = {
  resource: "validatingadmissionpolicies.admissionregistration.k8s.io",
  metadataChecks: "~new/new/none",
  strategy: validatingPolicyStrategy,
  cells: { Validations: size("spec.validations"), ParamKind: paramKind },
  emptyObject: { spec: {}, status: {} },
};
