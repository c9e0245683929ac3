import type { ParamKind, ParamRef } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import { readField } from "../cells/read-field.ts";

export function paramKind(object: object): string {
  const kind = readField<ParamKind>(object, "spec.paramKind");
  return kind ? `${kind.apiVersion}/${kind.kind}` : "<unset>";
}

export function paramRef(object: object): string {
  const reference = readField<ParamRef>(object, "spec.paramRef");
  if (!reference) return "<unset>";
  return `${reference.namespace ? `${reference.namespace}/` : ""}${reference.name ?? ""}`;
}
