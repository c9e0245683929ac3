import type { CRDSpec } from "./custom-resource-definition.ts";

/** Fills in the names that a CRD may omit, and the conversion, as the API server does before it checks them. */
export function defaultNames(spec: CRDSpec | undefined): void {
  const names = spec?.names;
  if (!names?.kind) return;
  names.singular ??= names.kind.toLowerCase();
  names.listKind ??= `${names.kind}List`;
  spec!.conversion ??= { strategy: "None" };
}
