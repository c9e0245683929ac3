import type { AdmissionRequest } from "../../registry/admission-request.ts";

const group = "admissionregistration.k8s.io";

/** Policies are not asked about policies: one that refuses everything could not be taken back. */
const kinds = new Set([
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
]);

/** Reviews are questions: nothing comes of them that could be admitted. */
const reviews = new Set(["authentication.k8s.io", "authorization.k8s.io"]);

export function isExempt({ resource }: AdmissionRequest): boolean {
  return (resource.group === group && kinds.has(resource.kind)) || reviews.has(resource.group);
}
