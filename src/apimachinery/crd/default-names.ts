import type { CRDSpec } from "./custom-resource-definition.ts";

/** Sets the defaults of a CRD's names and conversion, as the API server does before validation. */
export function defaultNames(spec: CRDSpec | undefined): void {
  const names = spec?.names;
  if (!names?.kind) return;
  names.singular ??= names.kind.toLowerCase();
  names.listKind ??= `${names.kind}List`;
  spec!.conversion ??= { strategy: "None" };
}
