import { type FieldTerm, matchesFields, parseFieldSelector as parse } from "@tsbuilder/apimachinery/selector";
import type { Resource } from "../registry/resource.ts";
import { badRequest } from "../contract/status-error.ts";
import type { ApiObject } from "../contract/api-object.ts";

type Reader = (object: ApiObject) => string;

export interface FieldSelector {
  readonly matches: (object: ApiObject) => boolean;
  /** The only value that a field may have; undefined if there may be several. */
  readonly only: (field: string) => string | undefined;
}

/** Reads the terms of `metadata.name=x,status.phase!=Running`. Each kind has its own selectable fields. */
export function readFieldSelector(
  terms: readonly FieldTerm[],
  resource: Resource,
): FieldSelector | undefined {
  if (terms.length === 0) return undefined;
  const readers = new Map(terms.map(({ field }) => [field, readerOf(field, resource)]));
  return {
    matches: (object) => matchesFields(terms, (field) => readers.get(field)!(object)),
    only: (field) => terms.find((term) => term.field === field && term.operator === "=")?.value,
  };
}

/** Parses a field selector, whatever its fields. */
export function parseTerms(text: string): FieldTerm[] {
  try {
    return parse(text);
  } catch (error) {
    throw badRequest((error as Error).message);
  }
}

/** A built-in kind without selectable fields of its own; its namespace can be selected even if it is cluster-scoped. */
function isUnselective({ custom, strategy }: Resource): boolean {
  return !custom && !strategy.fieldSelectors?.size;
}

function readerOf(field: string, resource: Resource): Reader {
  if (field === "metadata.name") return ({ metadata }) => metadata.name ?? "";
  if (field === "metadata.namespace" && (resource.namespaced || isUnselective(resource)))
    return ({ metadata }) => metadata.namespace ?? "";
  const { fieldSelectors } = resource.strategy;
  const own = fieldSelectors?.get(field);
  if (own) return own;
  if (!isUnselective(resource))
    throw badRequest(resource.strategy.refuseSelector?.(field) ?? `field label not supported: ${field}`);
  throw badRequest(
    `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
  );
}
