import { readField } from "../cells/read-field.ts";

export function paramKind(object: object): string {
  const kind = readField<{ apiVersion: string; kind: string }>(object, "spec.paramKind");
  return kind ? `${kind.apiVersion}/${kind.kind}` : "<unset>";
}

export function paramRef(object: object): string {
  const reference = readField<{ namespace?: string; name?: string }>(object, "spec.paramRef");
  if (!reference) return "<unset>";
  return `${reference.namespace ? `${reference.namespace}/` : ""}${reference.name ?? ""}`;
}
