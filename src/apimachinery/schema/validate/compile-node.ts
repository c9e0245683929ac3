import { isEqual, isObject } from "../../json/index.ts";
import { itemsOf, type JSONSchema } from "../json-schema.ts";
import { compileArray } from "./compile-array.ts";
import { compileBranches } from "./compile-branches.ts";
import { compileNumber } from "./compile-number.ts";
import { compileObject } from "./compile-object.ts";
import { compileString } from "./compile-string.ts";
import { effectiveFormat, effectiveTypes, kindOf, typeMismatch } from "./schema-types.ts";
import type { Check } from "./check.ts";

/**
 * Compiles a schema node to a closure. The order of checks, and what counts as a passed check, are the API server's,
 * because both decide which errors clients get, and in which order.
 */
export function compileNode(schema: JSONSchema, known: Map<JSONSchema, Check> = new Map()): Check {
  const existing = known.get(schema);
  if (existing) return existing;
  // Schemas of built-in kinds may be cyclic: children get this placeholder while the node is being compiled.
  let compiled: Check | undefined;
  known.set(schema, (value, run) => compiled!(value, run));
  compiled = withShortcut(
    schema,
    build(schema, (child) => compileNode(child, known)),
  );
  known.set(schema, compiled);
  return compiled;
}

/** A fast path: most values are scalars of the right type without further validations. */
function withShortcut(schema: JSONSchema, check: Check): Check {
  const { type, format, description: _, ...rest } = schema;
  const isPlain = Object.keys(rest).every((key) => ["default", "title", "example", "nullable"].includes(key));
  const expected = type === "integer" ? "number" : type;
  const isScalar = expected === "string" || expected === "boolean" || (type === "integer" && !format);
  if (!isPlain || !isScalar || effectiveFormat(schema, effectiveTypes(schema)) !== "") return check;
  return (value, run) => {
    if (typeof value !== expected || (expected === "number" && !Number.isSafeInteger(value)))
      check(value, run);
    else run.matches += 6;
  };
}

function build(schema: JSONSchema, compileChild: (schema: JSONSchema) => Check): Check {
  const types = effectiveTypes(schema);
  const format = effectiveFormat(schema, types);
  const typed = types.length > 0 || format !== "";
  const refusesNull = types.length > 0 && schema.nullable !== true;
  const onlyType = types.length === 1 ? types[0] : undefined;
  const branches = compileBranches(schema, compileChild);
  const onString = compileString(schema, format);
  const onNumber = compileNumber(schema, types, format);
  const items = itemsOf(schema);
  const onArray = compileArray(schema, items && { schema: items, check: compileChild(items) });
  const onObject = compileObject(schema, compileChild);
  const allowed = schema.enum === undefined || schema.enum.length === 0 ? undefined : schema.enum;

  return (value, run) => {
    if (value === null) {
      if (refusesNull) run.wrongType(types.join(","), "null");
      else run.matches++;
      if (allowed) run.notOneOf(null, allowed);
      return;
    }
    const kind = kindOf(value);
    if (typed) {
      const mismatch = kind === onlyType ? undefined : typeMismatch(types, format, kind, value);
      run.matches += mismatch ? 1 : 2;
      if (mismatch) run.wrongType(mismatch.expected, mismatch.actual);
    }
    branches?.(value, run);
    run.matches += 4;
    if (kind === "string") onString?.(value as string, run);
    else if (kind === "integer" || kind === "number") onNumber?.(value as number | bigint, run);
    else if (kind === "array") onArray(value as unknown[], run);
    // A null in `enum` never matches, not even null: see the branch above.
    if (allowed && !allowed.some((item) => item !== null && isEqual(item, value))) {
      run.notOneOf(value, allowed);
    }
    if (kind === "object" && isObject(value)) onObject?.(value, run);
  };
}
