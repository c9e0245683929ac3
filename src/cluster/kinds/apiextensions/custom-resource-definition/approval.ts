import { type FieldError, invalid, required } from "@tsbuilder/apimachinery/errors";
import { parseRequestURI } from "@tsbuilder/apimachinery/schema";
import type { CustomResourceDefinition } from "./crd.ts";

const annotation = "api-approved.kubernetes.io";
const rule = `protected groups must have approval annotation ${JSON.stringify(annotation)}`;
const where = "see https://github.com/kubernetes/enhancements/pull/1111";

/** The groups of Kubernetes' own projects are protected: their CRDs name the review of their API, or why there is none. */
export function approvalProblems(
  crd: CustomResourceDefinition,
  old?: CustomResourceDefinition,
): FieldError[] {
  if (!/(?:^|\.)(?:k8s|kubernetes)\.io$/u.test(crd.spec?.group ?? "")) return [];
  const state = approvalOf(crd);
  if (old && approvalOf(old) === state) return [];
  const field = `metadata.annotations[${annotation}]`;
  if (state === "missing") return [required(field, `${rule}, ${where}`)];
  if (state !== "invalid") return [];
  const detail = `${rule} with either a URL or a reason starting with "unapproved", ${where}`;
  return [invalid(field, crd.metadata.annotations?.[annotation], detail)];
}

function approvalOf({ metadata }: CustomResourceDefinition): "missing" | "bypassed" | "approved" | "invalid" {
  const text = metadata.annotations?.[annotation] ?? "";
  if (text === "") return "missing";
  if (text.startsWith("unapproved")) return "bypassed";
  const url = parseRequestURI(text);
  return url?.host && url.scheme ? "approved" : "invalid";
}
