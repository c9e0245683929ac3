import type { ApiObject } from "../contract/api-object.ts";
import { fieldText } from "../registry/field-text.ts";
import { findKind } from "./find-kind.ts";

type Reader = (object: ApiObject) => string;

/** Readers for the field selectors of a built-in kind; most are plain paths. */
export function fieldSelectorReaders(
  resource: { group: string; plural: string },
  fields: readonly string[],
): ReadonlyMap<string, Reader> | undefined {
  if (fields.length === 0) return undefined;
  const own = findKind(resource)?.selectors;
  return new Map(fields.map((field) => [field, own?.[field] ?? ((object) => fieldText(object, field))]));
}
