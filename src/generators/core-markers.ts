import type { Schema } from "./schema/schema.ts";

/**
 * Markers in the Go sources of built-in types that are missing in the published documents, by type. A type that inlines
 * another inherits its merge strategy; limits and defaults by reference only exist as markers.
 */
export function applyCoreMarkers(typeName: string | undefined, schema: Schema): Schema {
  if (typeName === undefined) return schema;
  if (inlinesLocalReference.has(typeName)) return { ...schema, "x-kubernetes-map-type": "atomic" };
  const edits = fields[typeName];
  if (!edits) return schema;
  const properties = { ...schema.properties };
  for (const [name, edit] of Object.entries(edits)) properties[name] = { ...properties[name], ...edit };
  return { ...schema, properties };
}

/** These inline LocalObjectReference, which is replaced as a whole. */
const inlinesLocalReference = new Set([
  "core/v1.ConfigMapEnvSource",
  "core/v1.ConfigMapProjection",
  "core/v1.ConfigMapVolumeSource",
  "core/v1.SecretEnvSource",
  "core/v1.SecretProjection",
]);

const qualifiedName =
  "^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])$";

const fields: Readonly<Record<string, Readonly<Record<string, Schema>>>> = {
  // Their defaults are references to Go constants, which a CRD cannot contain.
  "core/v1.AzureDiskVolumeSource": { cachingMode: { default: undefined }, kind: { default: undefined } },
  "core/v1.ImageVolumeStatus": { imageRef: { maxLength: 256 } },
  "core/v1.PortStatus": { error: { maxLength: 316, pattern: qualifiedName } },
  "networking/v1.IngressPortStatus": { error: { maxLength: 316, pattern: qualifiedName } },
};
