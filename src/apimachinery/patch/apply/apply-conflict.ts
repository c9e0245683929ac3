import { compareText } from "../../text/index.ts";
import { type FieldSet, formatPath, pathsOf } from "./field-set.ts";
import type { FieldManager, Managers } from "./managers.ts";

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
    const list = listConflicts(conflicts, managers);
    super(summarize(list));
    this.conflicts = conflicts;
    this.causes = list.map(({ manager, field }) => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${manager}`,
      field,
    }));
  }
}

/** A field that another manager owns; the manager as in messages. */
interface Conflict {
  readonly manager: string;
  readonly field: string;
}

function listConflicts(conflicts: ReadonlyMap<string, FieldSet>, managers: Managers): Conflict[] {
  return [...conflicts]
    .map(([key, fields]) => ({ manager: describeManager(managers.get(key)!), fields }))
    .sort((a, b) => compareText(a.manager, b.manager))
    .flatMap(({ manager, fields }) => pathsOf(fields).map((path) => ({ manager, field: formatPath(path) })));
}

function summarize(conflicts: readonly Conflict[]): string {
  const [first] = conflicts;
  if (conflicts.length === 1) {
    return `Apply failed with 1 conflict: conflict with ${first!.manager}: ${first!.field}`;
  }
  const lines = [...new Set(conflicts.map(({ manager }) => manager))].flatMap((manager) => [
    `conflicts with ${manager}:`,
    ...conflicts.filter((conflict) => conflict.manager === manager).map(({ field }) => `- ${field}`),
  ]);
  return `Apply failed with ${conflicts.length} conflicts: ${lines.join("\n")}`;
}

function describeManager({ manager, operation, apiVersion, subresource }: FieldManager): string {
  const name = JSON.stringify(manager);
  const withSubresource = subresource ? `${name} with subresource ${JSON.stringify(subresource)}` : name;
  return operation === "Update" ? `${withSubresource} using ${apiVersion}` : withSubresource;
}
