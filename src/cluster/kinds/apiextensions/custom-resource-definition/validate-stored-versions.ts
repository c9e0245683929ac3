import { type FieldError, invalid } from "@tsbuilder/apimachinery/errors";
import type { CustomResourceDefinition } from "./crd.ts";

/** A version can't be removed while objects may be stored in it. */
export function validateStoredVersions(crd: CustomResourceDefinition): FieldError[] {
  const names = new Set((crd.spec.versions ?? []).map(({ name }) => name));
  return (crd.status?.storedVersions ?? []).flatMap((version, index) =>
    names.has(version)
      ? []
      : [
          invalid(
            `status.storedVersions[${index}]`,
            version,
            `missing from spec.versions; ${version} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${version} and removes ${version} from status.storedVersions`,
          ),
        ],
  );
}
