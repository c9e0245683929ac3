import { compileValidator } from "@tsbuilder/apimachinery/cel";
import type { CompiledSchema, JSONSchema } from "@tsbuilder/apimachinery/schema";

const resources = new WeakMap<JSONSchema, CompiledSchema>();
const statuses = new WeakMap<JSONSchema, CompiledSchema>();

/**
 * The validator of a stored schema, which never changes. Compiling takes long, and a CRD is served again whenever its
 * conditions change, and by each cluster that starts from the state of another.
 */
export function validatorOf(schema: JSONSchema, { isResource = true } = {}): CompiledSchema {
  const known = isResource ? resources : statuses;
  let validator = known.get(schema);
  if (!validator) known.set(schema, (validator = compileValidator(schema, { isResource })));
  return validator;
}
