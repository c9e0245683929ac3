import type { ManifestObject } from "../ship/manifest.ts";
import type { CrdDescription } from "./csv.ts";
import { type DescribedSchema, describeFields, inWords } from "./descriptors.ts";

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

/** Describes each served version of a CRD from its schema. */
export function describeCrd({ metadata, spec }: Crd): CrdDescription[] {
  const { kind } = spec.names;
  return spec.versions
    .filter(({ served }) => served)
    .map(({ name: version, schema }) => {
      const { description, properties } = schema?.openAPIV3Schema ?? {};
      const fields = describeFields(properties?.["spec"]);
      const status = describeFields(properties?.["status"]);
      return {
        kind,
        name: metadata.name,
        version,
        displayName: inWords(kind),
        ...(description === undefined ? {} : { description: description.split("\n")[0]! }),
        ...(fields.length > 0 ? { specDescriptors: fields } : {}),
        ...(status.length > 0 ? { statusDescriptors: status } : {}),
      };
    });
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
