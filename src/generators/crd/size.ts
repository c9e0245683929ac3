import { compareText } from "@tsbuilder/apimachinery/text";
import { cutText, mapSchema } from "../schema/descriptions.ts";
import type { Schema } from "../schema/schema.ts";
import type { CustomResourceDefinition } from "./custom-resource-definition.ts";
import { toJson } from "./to-json.ts";

/** `kubectl apply` stores the whole object in an annotation, and the size of all annotations is limited. */
export const annotationLimit = 262_144;

/** The size of a CRD in the annotation of `kubectl apply`, in bytes. */
export function sizeOf(value: object): number {
  return Buffer.byteLength(JSON.stringify(toJson(value)));
}

/** The largest fields of a CRD, by their path from the root of the schema, largest first. */
export function largestFields(crd: CustomResourceDefinition, count = 3): { path: string; bytes: number }[] {
  const found = crd.spec.versions.flatMap(({ name, schema }) =>
    ["spec", "status"].flatMap((part) => {
      const properties = schema.openAPIV3Schema.properties?.[part]?.properties ?? {};
      return Object.entries(properties).map(([field, node]) => ({
        path: `${name}: .${part}.${field}`,
        bytes: sizeOf(node),
      }));
    }),
  );
  return found.sort((a, b) => b.bytes - a.bytes || compareText(a.path, b.path)).slice(0, count);
}

/**
 * Shortens descriptions until a CRD fits, starting with the most deeply nested ones, because users mostly read those at
 * the top. Each level is cut to its first sentence before it is removed. The structure is never changed.
 */
export function trimDescriptions(
  crd: CustomResourceDefinition,
  limit: number = annotationLimit,
): CustomResourceDefinition {
  let trimmed = crd;
  const deepest = Math.max(...crd.spec.versions.map(({ schema }) => depthOf(schema.openAPIV3Schema)));
  for (let depth = deepest; depth > 1 && sizeOf(trimmed) > limit; depth--) {
    trimmed = editDepth(trimmed, depth, firstSentence);
    if (sizeOf(trimmed) > limit) trimmed = editDepth(trimmed, depth, () => undefined);
  }
  return trimmed;
}

function editDepth(
  crd: CustomResourceDefinition,
  depth: number,
  edit: (text: string) => string | undefined,
): CustomResourceDefinition {
  const versions = crd.spec.versions.map((version) => ({
    ...version,
    schema: { openAPIV3Schema: editBelow(version.schema.openAPIV3Schema, depth, edit) },
  }));
  return { ...crd, spec: { ...crd.spec, versions } };
}

/** Edits the descriptions of all nodes at a depth and deeper. */
function editBelow(schema: Schema, depth: number, edit: (text: string) => string | undefined): Schema {
  if (depth <= 0) {
    return mapSchema(schema, (node) =>
      node.description === undefined ? node : { ...node, description: edit(node.description) },
    );
  }
  const below = (node: Schema): Schema => editBelow(node, depth - 1, edit);
  const copy: Schema = { ...schema };
  if (copy.properties) {
    const entries = Object.entries(copy.properties).map(([name, node]): [string, Schema] => [
      name,
      below(node),
    ]);
    copy.properties = Object.fromEntries(entries);
  }
  if (copy.items) copy.items = below(copy.items);
  if (typeof copy.additionalProperties === "object")
    copy.additionalProperties = below(copy.additionalProperties);
  return copy;
}

function depthOf(schema: Schema): number {
  const inner = [
    ...Object.values(schema.properties ?? {}),
    ...(schema.items ? [schema.items] : []),
    ...(typeof schema.additionalProperties === "object" ? [schema.additionalProperties] : []),
  ];
  return inner.length === 0 ? 0 : 1 + Math.max(...inner.map(depthOf));
}

function firstSentence(text: string): string {
  const end = /[.!?](?:\s|$)/u.exec(text);
  return end ? text.slice(0, end.index + 1) : cutText(text, 80);
}
