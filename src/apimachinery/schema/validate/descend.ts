import { isObject, memberOf } from "../../json/index.ts";
import { itemsOf, type JSONSchema } from "../json-schema.ts";
import { indexListMap } from "../list-map.ts";
import { isUnchanged } from "../is-unchanged.ts";
import type { Check } from "./check.ts";
import { type Run, uncorrelated } from "./run.ts";

/** Runs a child's check with the child's old value; drops its errors if the child is unchanged. */
export function descend(check: Check, schema: JSONSchema, value: unknown, old: unknown, run: Run): void {
  const parent = run.old;
  const before = run.errors.length;
  run.old = old;
  check(value, run);
  run.old = parent;
  if (old !== uncorrelated && run.errors.length > before && isUnchanged(schema, value, old)) {
    run.errors.length = before;
  }
}

/** Returns the old value of a member. The root's apiVersion and kind are never correlated. */
export function oldMember(schema: JSONSchema, run: Run, key: string): unknown {
  if (!isObject(run.old) || !Object.hasOwn(run.old, key)) return uncorrelated;
  if (run.isTypeField(key)) return uncorrelated;
  const known =
    Object.hasOwn(schema.properties ?? {}, key) || typeof schema.additionalProperties === "object";
  return known ? memberOf(run.old, key) : uncorrelated;
}

/** Returns a function that finds an item's old value; only the items of list maps have one. */
export function oldItems(schema: JSONSchema, old: unknown): (item: unknown) => unknown {
  if (schema["x-kubernetes-list-type"] !== "map" || !Array.isArray(old) || !itemsOf(schema)) {
    return () => uncorrelated;
  }
  const find = indexListMap(schema, old);
  return (item) => find(item) ?? uncorrelated;
}
