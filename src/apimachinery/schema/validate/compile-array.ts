import { isEqual } from "../../json/index.ts";
import type { JSONSchema } from "../json-schema.ts";
import type { Check } from "./check.ts";
import { descend, oldItems } from "./descend.ts";
import type { Run } from "./run.ts";

/** Compiles a node's validations of arrays. */
export function compileArray(
  schema: JSONSchema,
  items: { schema: JSONSchema; check: Check } | undefined,
): (value: unknown[], run: Run) => void {
  const { minItems, maxItems } = schema;
  const unique = schema.uniqueItems === true;
  return (value, run) => {
    if (items) checkItems(schema, items.schema, items.check, value, run);
    if (minItems !== undefined && value.length < minItems) {
      run.invalid(value.length, `should have at least ${minItems} items`);
    }
    if (maxItems !== undefined && value.length > maxItems) run.tooMany(value.length, maxItems);
    if (unique && hasDuplicates(value)) run.invalid("", "shouldn't contain duplicates");
    run.matches++;
  };
}

function checkItems(
  schema: JSONSchema,
  itemSchema: JSONSchema,
  check: Check,
  value: unknown[],
  run: Run,
): void {
  const old = run.ratcheting ? oldItems(schema, run.old) : undefined;
  for (let index = 0; index < value.length; index++) {
    run.enter(`[${index}]`);
    if (run.ratcheting) descend(check, itemSchema, value[index], old!(value[index]), run);
    else check(value[index], run);
    run.leave();
  }
}

function hasDuplicates(value: unknown[]): boolean {
  return value.some((item, index) => value.slice(0, index).some((earlier) => isEqual(earlier, item)));
}
