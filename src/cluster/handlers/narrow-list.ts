import type { Entry } from "../storage/entry.ts";
import type { ListOptions } from "./list-options.ts";
import type { Target } from "./target.ts";

/**
 * The entries that the real server looks at for the first page of a list: a field selector that requires a name or a
 * namespace narrows it before the limit is counted.
 */
export function lookedAt(
  entries: readonly Entry[],
  { resource: { namespaced }, namespace }: Pick<Target, "resource" | "namespace">,
  { fields }: Pick<ListOptions, "fields">,
): readonly Entry[] {
  if (!fields) return entries;
  const within = namespaced ? namespace || (fields.only("metadata.namespace") ?? "") : "";
  const prefix = within === "" ? "" : `${within}/`;
  const name = fields.only("metadata.name");
  if (name === undefined || (namespaced && within === "")) {
    return entries.filter(({ key }) => key.startsWith(prefix));
  }
  return entries.filter(({ key }) => key === prefix + name);
}
