import type { SchemaNode } from "../schema-node.ts";

/** The patch strategy of a list. */
export interface ListStrategy {
  /** True: merged into the current list. False: replaces it. */
  readonly merges: boolean;
  /** The member that identifies items; undefined for lists of plain values. */
  readonly mergeKey: string | undefined;
}

/** Returns the strategy of a list from its schema. Default: replace. */
export function listStrategy(schema: SchemaNode | undefined): ListStrategy {
  return {
    merges: strategiesOf(schema).includes("merge"),
    mergeKey: schema?.["x-kubernetes-patch-merge-key"],
  };
}

/** Returns true if an object replaces the current one instead of being merged into it. */
export function replacesWhole(schema: SchemaNode | undefined): boolean {
  return strategiesOf(schema).includes("replace");
}

function strategiesOf(schema: SchemaNode | undefined): string[] {
  return schema?.["x-kubernetes-patch-strategy"]?.split(",") ?? [];
}
