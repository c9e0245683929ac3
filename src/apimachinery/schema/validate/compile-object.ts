import { type JSONObject, memberOf } from "../json.ts";
import { type JSONSchema, valuesOf } from "../json-schema.ts";
import type { Check } from "./compile-node.ts";
import { descend, oldMember } from "./descend.ts";
import type { Run } from "./run.ts";

interface Property {
  readonly name: string;
  readonly step: string;
  readonly schema: JSONSchema;
  readonly check: Check;
}

/** Compiles what a node asks of objects. */
export function compileObject(
  schema: JSONSchema,
  compileChild: (schema: JSONSchema) => Check,
): ((value: JSONObject, run: Run) => void) | undefined {
  const { minProperties, maxProperties } = schema;
  const properties: Property[] = Object.entries(schema.properties ?? {}).map(([name, child]) => ({
    name,
    step: `.${name}`,
    schema: child,
    check: compileChild(child),
  }));
  const names = new Set(properties.map(({ name }) => name));
  const requiredNames = schema.required ?? [];
  const values = valuesOf(schema);
  const checkValue = values && compileChild(values);
  const closed = schema.additionalProperties === false;
  const counted = minProperties !== undefined || maxProperties !== undefined;
  if (properties.length === 0 && requiredNames.length === 0 && !checkValue && !closed && !counted) {
    return undefined;
  }

  return (value, run) => {
    if (counted) checkSize(value, minProperties, maxProperties, run);
    if (closed) {
      for (const key of Object.keys(value)) if (!names.has(key)) run.forbiddenProperty(key);
    } else if (checkValue) {
      checkValues(schema, values, checkValue, names, value, run);
    }
    for (const property of properties) checkProperty(schema, property, value, run);
    for (const name of requiredNames) {
      if (memberOf(value, name) === undefined) run.required(`.${name}`);
    }
  };
}

function checkSize(value: JSONObject, min: number | undefined, max: number | undefined, run: Run): void {
  const size = Object.keys(value).length;
  if (min !== undefined && size < min) run.invalid(size, `should have at least ${min} properties`);
  if (max !== undefined && size > max) run.tooMany(size, max);
}

function checkValues(
  schema: JSONSchema,
  valueSchema: JSONSchema,
  check: Check,
  names: ReadonlySet<string>,
  value: JSONObject,
  run: Run,
): void {
  for (const [key, item] of Object.entries(value)) {
    if (names.has(key) || item === undefined) continue;
    run.enter(`.${key}`);
    if (run.ratcheting) descend(check, valueSchema, item, oldMember(schema, run, key), run);
    else check(item, run);
    run.leave();
  }
}

function checkProperty(schema: JSONSchema, property: Property, value: JSONObject, run: Run): void {
  const item = memberOf(value, property.name);
  if (item === undefined) return;
  run.enter(run.isRoot ? property.name : property.step);
  if (run.ratcheting) {
    descend(property.check, property.schema, item, oldMember(schema, run, property.name), run);
  } else {
    property.check(item, run);
  }
  run.leave();
}
