import type { StatusDetails } from "@tsbuilder/apimachinery/meta";
import { qualifiedName } from "../contract/status-error.ts";
import type { AdmissionRequest } from "../registry/admission-request.ts";

/** The object as a denial names it: by its `generateName` if it has no name yet. */
export function refusalSubject({ resource, name, object }: AdmissionRequest): {
  readonly text: string;
  readonly details: StatusDetails;
} {
  const { group, plural } = resource;
  const known = name || object?.metadata.name || object?.metadata.generateName || "Unknown";
  return {
    text: `${qualifiedName(resource)} ${JSON.stringify(known)}`,
    details: { name: known, ...(group !== "" && { group }), kind: plural },
  };
}
