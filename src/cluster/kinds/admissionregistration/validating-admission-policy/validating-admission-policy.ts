import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { size } from "../../cells/read-field.ts";
import { paramKind } from "../cells.ts";
import { defaultPolicy } from "../defaults.ts";
import { validatingPolicyProblems } from "../policy-rules.ts";

const validatingPolicyStrategy: Partial<Strategy> = {
  createOnStatusApply: true,
  validate: (object) => [...validatingPolicyProblems(object)],
  validateUpdate: (object, old) => [...validatingPolicyProblems(object, old)],
  default(object) {
    defaultPolicy(object);
    object["status"] ??= {};
  },
};

export const validatingAdmissionPolicy: BuiltInKind = {
  resource: "validatingadmissionpolicies.admissionregistration.k8s.io",
  metadataChecks: "~new/new/none",
  strategy: validatingPolicyStrategy,
  cells: { Validations: size("spec.validations"), ParamKind: paramKind },
  emptyObject: { spec: {}, status: {} },
};
