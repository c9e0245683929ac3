import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { text } from "../../cells/read-field.ts";
import { paramRef } from "../cells.ts";
import { validatingBindingProblems } from "../binding-rules.ts";
import { defaultBinding } from "../defaults.ts";

const validatingBindingStrategy: Partial<Strategy> = {
  validate: (object) => [...validatingBindingProblems(object)],
  validateUpdate: (object) => [...validatingBindingProblems(object)],
  default: defaultBinding,
};

export const validatingAdmissionPolicyBinding: BuiltInKind = {
  resource: "validatingadmissionpolicybindings.admissionregistration.k8s.io",
  metadataChecks: "~new/new/none",
  strategy: validatingBindingStrategy,
  cells: { PolicyName: text("spec.policyName"), ParamRef: paramRef },
  emptyObject: { spec: {} },
};
