import { type FieldError, invalid } from "@tsbuilder/apimachinery/errors";
import type { CustomResourceDefinition } from "./crd.ts";

/** There is a storage version, and no version can be removed while objects may be stored in it. */
export function validateStoredVersions(crd: CustomResourceDefinition): FieldError[] {
  const names = new Set((crd.spec?.versions ?? []).map(({ name }) => name));
  const stored = crd.status?.storedVersions ?? [];
  if (stored.length === 0) {
    return [invalid("status.storedVersions", null, "must have at least one stored version")];
  }
  return stored.flatMap((version, index) =>
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
