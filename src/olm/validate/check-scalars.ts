import { isObject } from "@tsbuilder/apimachinery/json";
import { type BuiltinSchema, decodeBuiltIn, DecodeError } from "@tsbuilder/apimachinery/kinds";
import type { Located } from "../located.ts";
import { type BundleFinding, finding } from "./finding.ts";
import type { RuleName } from "./rules.ts";

/** Quantities, times and bytes that an API server can't decode, in a value whose fields have the right types. */
export function checkScalars(value: Located, node: BuiltinSchema, rule: RuleName): BundleFinding[] {
  const why = explain(value.value, node);
  if (why === undefined) return [];
  const place = narrow(value, node);
  return [finding(rule, place, `${place.path}: ${why}`, "set a value that the API can decode")];
}

/** The innermost value that can't be decoded. */
function narrow(value: Located, node: BuiltinSchema): Located {
  for (const [key, child] of value.entries) {
    const inner = node.properties?.[key];
    if (!inner || explain({ [key]: child.value }, node) === undefined) continue;
    if (inner.properties) return narrow(child, inner);
    const element = inner.items;
    if (element) {
      const item = child.items.find((one) => explain({ [key]: [one.value] }, node) !== undefined) ?? child;
      return element.properties ? narrow(item, element) : item;
    }
    const entry = child.entries.find(([name, one]) => explain({ [key]: { [name]: one.value } }, node));
    return entry?.[1] ?? child;
  }
  return value;
}

function explain(value: unknown, node: BuiltinSchema): string | undefined {
  if (!isObject(value)) return undefined;
  try {
    decodeBuiltIn(value, node);
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}
