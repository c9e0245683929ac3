import { type JSONObject, memberOf } from "../../json/index.ts";
import { type JSONSchema, valuesOf } from "../json-schema.ts";
import type { Check } from "./check.ts";
import { descend, oldMember } from "./descend.ts";
import type { Run } from "./run.ts";

interface Property {
  readonly step: string;
  readonly schema: JSONSchema;
  readonly check: Check;
}

/** Compiles a node's validations of objects. */
export function compileObject(
  schema: JSONSchema,
  compileChild: (schema: JSONSchema) => Check,
): ((value: JSONObject<unknown>, run: Run) => void) | undefined {
  const { minProperties, maxProperties } = schema;
  const properties = new Map<string, Property>();
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    properties.set(name, { step: `.${name}`, schema: child, check: compileChild(child) });
  }
  const requiredNames = schema.required ?? [];
  const valueSchema = valuesOf(schema);
  const values = valueSchema && { schema: valueSchema, check: compileChild(valueSchema) };
  const closed = schema.additionalProperties === false;
  const counted = minProperties !== undefined || maxProperties !== undefined;
  if (properties.size === 0 && requiredNames.length === 0 && !values && !closed && !counted) return undefined;

  return (value, run) => {
    if (counted) checkSize(value, minProperties, maxProperties, run);
    for (const key of Object.keys(value)) {
      const item = value[key];
      const property = properties.get(key);
      if (item === undefined) continue;
      if (property) {
        const step = run.isRoot ? key : property.step;
        checkMember(schema, property.schema, property.check, step, key, item, run);
      } else if (values) {
        checkMember(schema, values.schema, values.check, `.${key}`, key, item, run);
      } else if (closed) {
        run.forbiddenProperty(key);
      }
    }
    for (const name of requiredNames) {
      if (memberOf(value, name) === undefined) run.required(`.${name}`);
    }
  };
}

function checkSize(
  value: JSONObject<unknown>,
  min: number | undefined,
  max: number | undefined,
  run: Run,
): void {
  const size = Object.keys(value).length;
  if (min !== undefined && size < min) run.invalid(size, `should have at least ${min} properties`);
  if (max !== undefined && size > max) run.tooMany(size, max);
}

function checkMember(
  schema: JSONSchema,
  memberSchema: JSONSchema,
  check: Check,
  step: string,
  key: string,
  item: unknown,
  run: Run,
): void {
  run.enter(step);
  if (run.ratcheting) descend(check, memberSchema, item, oldMember(schema, run, key), run);
  else check(item, run);
  run.leave();
}
