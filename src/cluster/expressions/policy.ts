import type {
  MutatingAdmissionPolicySpec,
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
} from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import type { ApiObject } from "../contract/api-object.ts";

/** The fields that validating and mutating policies share. */
export type PolicySpec = Pick<
  ValidatingAdmissionPolicySpec,
  keyof ValidatingAdmissionPolicySpec & keyof MutatingAdmissionPolicySpec
>;

/** The bindings of both kinds of policies: only bindings of validating policies have `validationActions`. */
export type PolicyBindingSpec = Partial<ValidatingAdmissionPolicyBindingSpec>;

export interface Policy<Spec extends PolicySpec = PolicySpec> extends ApiObject {
  readonly spec: Spec;
}

export interface PolicyBinding extends ApiObject {
  readonly spec: PolicyBindingSpec;
}
