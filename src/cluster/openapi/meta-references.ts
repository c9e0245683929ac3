import { definitionName, loadSchemas, type SchemaTable } from "@tsbuilder/apimachinery/kinds";
import type { SchemaWriter } from "./schema-writer.ts";
import type { BodyReferences } from "./sketch.ts";

/** Types of meta/v1 that are kinds of every group. */
const inEveryGroup = new Set(["DeleteOptions", "WatchEvent"]);

/** References to what all groups send and answer with, for the document of one. */
export function metaReferences(
  writer: SchemaWriter,
  table: SchemaTable,
  groupVersion: { readonly group: string; readonly version: string },
): BodyReferences["meta"] {
  const refer: BodyReferences["meta"] = (name) => {
    if (name === "Patch") return writer.define(definitionName("meta/v1.Patch"), { type: "object" });
    if (name === "APIGroupList") refer("APIGroup");
    const reference = writer.reference(table.get(name)!);
    const kinds = inEveryGroup.has(name) && groupVersion.group !== "" ? [groupVersion] : [];
    writer.definitions[definitionName(`meta/v1.${name}`)]!["x-kubernetes-group-version-kind"] = [
      { group: "", kind: name, version: "v1" },
      ...kinds.map(({ group, version }) => ({ group, kind: name, version })),
    ];
    return reference;
  };
  return refer;
}

export async function loadMeta(): Promise<SchemaTable> {
  return (await loadSchemas("meta/v1", { descriptions: true }))!;
}
