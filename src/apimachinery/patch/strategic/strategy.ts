import { PatchError } from "../patch-error.ts";
import { isDeclared } from "../member-schema.ts";
import type { SchemaNode } from "../schema-node.ts";

/** How a member is merged. */
export interface Strategy {
  readonly kind: "merge" | "replace" | undefined;
  /** The member that identifies items; undefined for lists of plain values. */
  readonly mergeKey: string | undefined;
  /** The schema of the member. */
  readonly schema: SchemaNode | undefined;
}

/**
 * Looks up how an object or list is merged that both the object and the patch have.
 * @throws PatchError where Go's type of the object is a map, or has no such field
 */
export function strategyOf(schema: SchemaNode | undefined, name: string): Strategy {
  if (isDeclared(schema, name)) {
    const member = schema!.properties![name]!;
    const strategies = member["x-kubernetes-patch-strategy"]?.split(",") ?? [];
    return {
      kind: strategies.find((each) => each === "merge" || each === "replace"),
      mergeKey: member["x-kubernetes-patch-merge-key"],
      schema: member,
    };
  }
  if (schema?.additionalProperties || schema?.type === "string")
    throw new PatchError(
      "unforeseen",
      `merging an object in json but data type is not struct, instead is: ${goKindOf(schema)}`,
    );
  if (schema?.typeName !== undefined) {
    const struct = schema.typeName.split(".").at(-1)!;
    throw new PatchError(
      "unforeseen",
      `unable to find api field in struct ${struct} for the json field ${JSON.stringify(name)}`,
    );
  }
  return { kind: undefined, mergeKey: undefined, schema: undefined };
}

/** The kind of Go's type for a value of a schema. */
export function goKindOf(schema: SchemaNode | undefined): string {
  if (schema?.additionalProperties) return "map";
  return schema?.type === "string" ? "string" : "struct";
}
