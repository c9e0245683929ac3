import { type FieldError, invalid, required } from "@tsbuilder/apimachinery/errors";
import type { Condition } from "@tsbuilder/apimachinery/meta";
import { parseRequestURI } from "@tsbuilder/apimachinery/schema";
import type { CustomResourceDefinition } from "./crd.ts";

const annotation = "api-approved.kubernetes.io";
const rule = `protected groups must have approval annotation ${JSON.stringify(annotation)}`;
const where = "see https://github.com/kubernetes/enhancements/pull/1111";
const form = `${rule} with either a URL or a reason starting with "unapproved", ${where}`;

/** The groups of Kubernetes' own projects are protected: their CRDs name the review of their API, or why there is none. */
export function approvalProblems(
  crd: CustomResourceDefinition,
  old?: CustomResourceDefinition,
): FieldError[] {
  const approval = approvalOf(crd);
  if (!approval || (old && approvalOf(old)?.state === approval.state)) return [];
  const field = `metadata.annotations[${annotation}]`;
  if (approval.state === "Missing") return [required(field, approval.message)];
  if (approval.state !== "Invalid") return [];
  return [invalid(field, crd.metadata.annotations?.[annotation], approval.message)];
}

/** The condition that tells of the approval of a CRD in a protected group. */
export function approvalCondition(
  crd: CustomResourceDefinition,
): Omit<Condition, "lastTransitionTime"> | undefined {
  const approval = approvalOf(crd);
  return (
    approval && {
      type: "KubernetesAPIApprovalPolicyConformant",
      status: approval.state === "Approved" ? "True" : "False",
      reason: `${approval.state}Annotation`,
      message: approval.message,
    }
  );
}

interface Approval {
  readonly state: "Missing" | "Unapproved" | "Approved" | "Invalid";
  readonly message: string;
}

/** Undefined for a group that needs no approval. */
function approvalOf({ spec, metadata }: CustomResourceDefinition): Approval | undefined {
  if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/u.test(spec?.group ?? "")) return undefined;
  const text = metadata.annotations?.[annotation] ?? "";
  if (text === "") return { state: "Missing", message: `${rule}, ${where}` };
  if (text.startsWith("unapproved")) {
    return { state: "Unapproved", message: `not approved: ${JSON.stringify(text)}` };
  }
  const url = parseRequestURI(text);
  if (url?.host && url.scheme) return { state: "Approved", message: `approved in ${text}` };
  return { state: "Invalid", message: form };
}
