import type { KindDescription } from "../generators/describe-kinds.ts";
import type { ManifestObject } from "../ship/manifest.ts";
import type { CrdDescription } from "./csv.ts";
import { type DescribedSchema, describeFields, kindInWords } from "./descriptors.ts";

/** A CRD of the rendered deployment. */
export interface Crd extends ManifestObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly versions: readonly {
      readonly name: string;
      readonly served: boolean;
      readonly schema?: { readonly openAPIV3Schema?: DescribedSchema };
    }[];
  };
}

/** Describes each served version of a CRD by its schema, and by the markers of its kind. */
export function describeCrd({ metadata, spec }: Crd, marked: readonly KindDescription[]): CrdDescription[] {
  const { kind } = spec.names;
  return spec.versions
    .filter(({ served }) => served)
    .map(({ name: version, schema }) => {
      const { description, properties } = schema?.openAPIV3Schema ?? {};
      const said = marked.find((each) => each.name === metadata.name && each.version === version);
      const fields = describeFields(properties?.["spec"], "spec", said?.spec);
      const status = describeFields(properties?.["status"], "status", said?.status);
      const resources = said?.resources.map(toResource) ?? [];
      return {
        kind,
        name: metadata.name,
        version,
        displayName: said?.displayName ?? kindInWords(kind),
        ...(description === undefined ? {} : { description: description.split("\n")[0]! }),
        ...(resources.length > 0 ? { resources } : {}),
        ...(fields.length > 0 ? { specDescriptors: fields } : {}),
        ...(status.length > 0 ? { statusDescriptors: status } : {}),
      };
    });
}

/** OLM requires a name, which may be empty. */
function toResource([kind = "", version = "", name = ""]: readonly string[]) {
  return { kind, name, version };
}

/** The order of kinds that markers set; those without one follow. */
export function byMarkers(
  marked: readonly KindDescription[],
): (a: CrdDescription, b: CrdDescription) => number {
  const position = (crd: CrdDescription): number =>
    marked.find(({ name, version }) => name === crd.name && version === crd.version)?.order ??
    Number.MAX_SAFE_INTEGER;
  return (a, b) => position(a) - position(b);
}

/** What the base says about a CRD overrides what its schema says; of CRDs that are gone it says nothing. */
export function mergeOwned(
  described: readonly CrdDescription[],
  base: readonly CrdDescription[],
): CrdDescription[] {
  const isSame = (a: CrdDescription, b: CrdDescription): boolean =>
    a.name === b.name && a.version === b.version && a.kind === b.kind;
  const order = (crd: CrdDescription): number => {
    const index = base.findIndex((other) => isSame(crd, other));
    return index === -1 ? base.length : index;
  };
  return described
    .map((crd) => ({ ...crd, ...base.find((other) => isSame(crd, other)) }))
    .sort((a, b) => order(a) - order(b));
}
