import type { ApiObject } from "../../storage/api-object.ts";
import type { CustomResourceDefinition } from "../custom/custom-resource-definition.ts";
import { validateDefinition, validateStoredVersions } from "../custom/validate-definition.ts";
import type { Strategy } from "../resource.ts";

/** Holds a CRD that is being deleted until the objects of its kind are gone. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** CRDs: names get defaults, and the versions ever stored are kept book of. */
export const definitionStrategy: Partial<Strategy> = {
  deletionFinalizers: [cleanupFinalizer],
  default: (object) => defaultNames(object as CustomResourceDefinition),
  prepareForCreate(object) {
    const crd = object as CustomResourceDefinition;
    crd.status = { storedVersions: storageVersions(crd) };
  },
  prepareForUpdate(object: ApiObject, old: ApiObject, { subresource }) {
    if (subresource !== "") return;
    const crd = object as CustomResourceDefinition;
    const before = (old as CustomResourceDefinition).status?.storedVersions ?? [];
    const stored = [...new Set([...before, ...storageVersions(crd)])];
    crd.status = { ...crd.status, storedVersions: stored };
  },
  validate: (object) => validateDefinition(object as CustomResourceDefinition),
  validateUpdate(object, _old, { subresource }) {
    const crd = object as CustomResourceDefinition;
    return subresource === "" ? [...validateDefinition(crd), ...validateStoredVersions(crd)] : [];
  },
};

function defaultNames({ spec }: CustomResourceDefinition): void {
  const { names } = spec ?? {};
  if (!names?.kind) return;
  names.singular ??= names.kind.toLowerCase();
  names.listKind ??= `${names.kind}List`;
  spec.conversion ??= { strategy: "None" };
}

function storageVersions({ spec }: CustomResourceDefinition): string[] {
  return (spec?.versions ?? []).filter(({ storage }) => storage).map(({ name }) => name);
}
