import { compareText } from "../../text/index.ts";
import { type FieldSet, pathsOf } from "./field-set.ts";
import type { FieldManager, Managers } from "./managers.ts";
import { formatPath } from "./path-element.ts";

/** One cause of a rejected apply, as in the `details` of a Status. */
export interface ConflictCause {
  readonly reason: "FieldManagerConflict";
  readonly message: string;
  readonly field: string;
}

/** An apply without force that would change fields of other managers. The API server responds with 409 Conflict. */
export class ApplyConflictError extends Error {
  override readonly name = "ApplyConflictError";
  readonly causes: readonly ConflictCause[];
  /** The conflicting fields, by the key of their manager. */
  readonly conflicts: ReadonlyMap<string, FieldSet>;

  constructor(conflicts: ReadonlyMap<string, FieldSet>, managers: Managers) {
    const found = listConflicts(conflicts, managers);
    super(summarize(found));
    this.conflicts = conflicts;
    this.causes = found.map(({ manager, field }) => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${manager}`,
      field,
    }));
  }
}

interface FoundConflict {
  readonly manager: string;
  readonly field: string;
}

function listConflicts(conflicts: ReadonlyMap<string, FieldSet>, managers: Managers): FoundConflict[] {
  return [...conflicts]
    .map(([key, fields]) => ({ manager: describeManager(managers.get(key)!), fields }))
    .sort((a, b) => compareText(a.manager, b.manager))
    .flatMap(({ manager, fields }) => pathsOf(fields).map((path) => ({ manager, field: formatPath(path) })));
}

function summarize(found: readonly FoundConflict[]): string {
  const [first] = found;
  if (found.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${first!.manager}: ${first!.field}`;
  }
  const lines = [...new Set(found.map(({ manager }) => manager))].flatMap((manager) => [
    `conflicts with ${manager}:`,
    ...found.filter((conflict) => conflict.manager === manager).map(({ field }) => `- ${field}`),
  ]);
  return `Apply failed with ${found.length} conflicts: ${lines.join("\n")}`;
}

function describeManager({ manager, operation, apiVersion, subresource }: FieldManager): string {
  const name = JSON.stringify(manager);
  const where = subresource ? ` with subresource ${JSON.stringify(subresource)}` : "";
  return operation === "Update" ? `${name}${where} using ${apiVersion}` : `${name}${where}`;
}
