import { refKey, type Schema } from "./schema.ts";

/**
 * A schema that also accepts null. For an API server, null is never one of the values of an enum, not even if the enum
 * has it; but it does not check null against the branches of `allOf`.
 */
export function orNull(schema: Schema): Schema {
  const { enum: values, [refKey]: type } = schema;
  return {
    ...schema,
    nullable: true,
    ...(values && { enum: undefined, allOf: [...(schema.allOf ?? []), { enum: values }] }),
    ...(type && { [refKey]: orNull(type) }),
  };
}
