import type { MetadataCheck, MetadataChecks } from "../registry/resource.ts";

/** Reads the validations of metadata from the notation of built-in kinds. */
export function parseMetadataChecks(text = "new/update/update"): MetadataChecks {
  const [create, update, status] = text.replace("~", "").split("/").map(parseChecks);
  return {
    create: create!,
    update: update!,
    status: status!,
    qualifiedFinalizers: !text.startsWith("~"),
  };
}

function parseChecks(text: string): MetadataCheck[] {
  return text.split("+").filter((word): word is MetadataCheck => word === "new" || word === "update");
}
