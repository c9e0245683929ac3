import type { AdmissionRequest } from "../../registry/admission-request.ts";

const group = "admissionregistration.k8s.io";

/** No policy applies to policies: one that denies everything could not be deleted. */
const kinds = new Set([
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
]);

/** Reviews are never stored, so there is nothing to admit. */
const reviews = new Set(["authentication.k8s.io", "authorization.k8s.io"]);

export function isExempt({ resource }: AdmissionRequest): boolean {
  return (resource.group === group && kinds.has(resource.kind)) || reviews.has(resource.group);
}
