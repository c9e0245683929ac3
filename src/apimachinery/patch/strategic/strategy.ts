import type { SchemaNode } from "../schema-node.ts";

/** How lists of one place are patched. */
export interface ListStrategy {
  /** Merged with the current list; else put in its place. */
  readonly merges: boolean;
  /** The member that tells items apart; none for lists of plain values. */
  readonly mergeKey: string | undefined;
}

/** Reads a list's strategy off its schema. A list is replaced unless its schema says otherwise. */
export function listStrategy(schema: SchemaNode | undefined): ListStrategy {
  return {
    merges: strategiesOf(schema).includes("merge"),
    mergeKey: schema?.["x-kubernetes-patch-merge-key"],
  };
}

/** Tells whether an object is put in the place of the current one instead of being merged into it. */
export function replacesWhole(schema: SchemaNode | undefined): boolean {
  return strategiesOf(schema).includes("replace");
}

function strategiesOf(schema: SchemaNode | undefined): string[] {
  return schema?.["x-kubernetes-patch-strategy"]?.split(",") ?? [];
}
