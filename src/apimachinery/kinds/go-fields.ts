import type { BuiltinSchema } from "./schema-graph.ts";

/** The declaration of a field of a built-in type in Go. */
export interface GoField {
  readonly name: string;
  /** The path in Go's messages, with the embedded structs that JSON inlines: `PersistentVolumeSource.nfs`. */
  readonly path: string;
  /** Go writes the field's zero value as nothing, the value, `{}`, null, or the given value (pointers, collections). */
  readonly zero: "omitted" | "written" | "empty struct" | "null" | "as given";
  /** The type's name in Go's messages, if it does not follow from the schema. */
  readonly type: string | undefined;
}

const declarations = new Map<string, string>();

/** Adds the declarations of a module; `loadSchemas()` does so for every module that it loads. */
export function addGoFields(module: string, structs: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(structs)) declarations.set(`${module}.${name}`, text);
}

const noFields: ReadonlyMap<string, GoField> = new Map();
const parsedFields = new Map<string, ReadonlyMap<string, GoField>>();

/** Returns the fields of a struct in the order of Go's declaration; empty for a schema without a struct. */
export function goFieldsOf({ typeName = "" }: BuiltinSchema): ReadonlyMap<string, GoField> {
  const known = parsedFields.get(typeName);
  if (known) return known;
  const text = declarations.get(typeName);
  if (text === undefined) return noFields;
  const fields = new Map(
    text
      .split(" ")
      .map(parseField)
      .map((field) => [field.name, field]),
  );
  parsedFields.set(typeName, fields);
  return fields;
}

/**
 * The marks of fields in the facts. "?": Go omits zero (not a pointer, `omitempty`), or the server replaces it by a default;
 * "!": Go writes zero; "=": a struct, not a pointer to one, so that zero is `{}`; "*": a pointer without `omitempty`.
 */
const zeroMarks: Readonly<Record<string, GoField["zero"]>> = {
  "?": "omitted",
  "!": "written",
  "=": "empty struct",
  "*": "null",
};

/** Parses a field, such as `PersistentVolumeSource/nfs` or `type!:v1.NodeConditionType`. */
function parseField(word: string): GoField {
  const [, embedded = "", name = "", mark = "", type] = /^((?:\w+\/)*)([^?!=*:]+)([?!=*]?)(?::(.+))?$/u.exec(
    word,
  )!;
  return {
    name,
    path: `${embedded.replaceAll("/", ".")}${name}`,
    zero: zeroMarks[mark] ?? "as given",
    type,
  };
}

/** Returns the name of a schema's type in Go's messages, as far as it follows from the schema. */
export function goTypeOf(schema: BuiltinSchema): string {
  if (schema.format === "byte") return "[]uint8";
  switch (schema.type) {
    case "integer":
      return schema.format ?? "int32";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    case "array":
      return schema.items ? `[]${goTypeOf(schema.items)}` : "[]uint8";
    case "object":
      if (schema.additionalProperties) return `map[string]${goTypeOf(schema.additionalProperties)}`;
      return `${versionOf(schema)}.${structName(schema)}`;
    default:
      return "string";
  }
}

/** Returns the name of a schema's struct: `PodSpec` for `core/v1.PodSpec`. */
export function structName({ typeName = "" }: BuiltinSchema): string {
  return typeName.slice(typeName.lastIndexOf(".") + 1);
}

/** Go names a type with its package, which is named like the version. */
function versionOf({ typeName = "" }: BuiltinSchema): string {
  return /\/(\w+)\./u.exec(typeName)?.[1] ?? "v1";
}
