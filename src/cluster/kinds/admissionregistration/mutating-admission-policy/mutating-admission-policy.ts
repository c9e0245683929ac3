import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { size } from "../../cells/read-field.ts";
import { paramKind } from "../cells.ts";
import { defaultPolicy } from "../defaults.ts";
import { mutatingPolicyProblems } from "../policy-rules.ts";

const mutatingPolicyStrategy: Partial<Strategy> = {
  validate: (object) => [...mutatingPolicyProblems(object)],
  validateUpdate: (object, old) => [...mutatingPolicyProblems(object, old)],
  default: defaultPolicy,
};

export const mutatingAdmissionPolicy: BuiltInKind = {
  resource: "mutatingadmissionpolicies.admissionregistration.k8s.io",
  metadataChecks: "~new/new/none",
  strategy: mutatingPolicyStrategy,
  cells: { Mutations: size("spec.mutations"), ParamKind: paramKind },
  emptyObject: { spec: {} },
};
