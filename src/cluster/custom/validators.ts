import { compileValidator, type Validator } from "@tsbuilder/apimachinery/cel";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";

const validators = new WeakMap<JSONSchema, Validator>();

/**
 * The validator of a stored schema, which never changes. Compiling takes long, and a CRD is served again whenever its
 * conditions change, and by each cluster that starts from the state of another.
 */
export function validatorOf(schema: JSONSchema): Validator {
  let validator = validators.get(schema);
  if (!validator) validators.set(schema, (validator = compileValidator(schema)));
  return validator;
}
