import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { text } from "../../cells/read-field.ts";
import { paramRef } from "../cells.ts";
import { mutatingBindingProblems } from "../binding-rules.ts";
import { defaultBinding } from "../defaults.ts";

const mutatingBindingStrategy: Partial<Strategy> = {
  validate: (object) => [...mutatingBindingProblems(object)],
  validateUpdate: (object) => [...mutatingBindingProblems(object)],
  default: defaultBinding,
};

export const mutatingAdmissionPolicyBinding: BuiltInKind = {
  resource: "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
  metadataChecks: "~new/new/none",
  strategy: mutatingBindingStrategy,
  cells: { PolicyName: text("spec.policyName"), ParamRef: paramRef },
  emptyObject: { spec: {} },
};
