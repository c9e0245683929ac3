import type { Kind } from "./read-kinds.ts";

/**
 * Kinds whose objects change how a server answers other requests: they are never stored, so that each story depends
 * on nothing but its own requests.
 */
const kinds: readonly string[] = [
  "APIService",
  "CustomResourceDefinition",
  "FlowSchema",
  "IngressClass",
  "IPAddress",
  "CSINode",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
  "MutatingWebhookConfiguration",
  "Namespace",
  "Node",
  "PriorityClass",
  "PriorityLevelConfiguration",
  "ServiceCIDR",
  "StorageClass",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "ValidatingWebhookConfiguration",
];

export function isDryRunOnly({ kind }: Kind): boolean {
  return kinds.includes(kind);
}
