/**
 * Types of one module by name, and by name and release if a release declares them otherwise: `PodSpec@1.37`; fields by name,
 * with a `!` suffix if required; "" is the type itself.
 */
export type RawTable = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** Creates schemas from tables: each type once, and each field when its parent's properties are first read. */
export class SchemaGraph {
  readonly #tables = new Map<string, RawTable>();
  readonly #descriptions = new Map<string, RawTable>();
  readonly #types = new Map<string, BuiltinSchema>();
  readonly #release: string;

  constructor(release: string) {
    this.#release = release;
  }

  /** Adds a module; types that it refers to may be added later, but before they are read. */
  add(module: string, table: RawTable, descriptions?: RawTable): void {
    this.#tables.set(module, table);
    if (descriptions) this.#descriptions.set(module, descriptions);
  }

  /** Returns the schema of a type, `apps/v1.Deployment`; undefined if no table has it. */
  get(typeName: string): BuiltinSchema | undefined {
    const known = this.#types.get(typeName);
    if (known) return known;
    const [module = "", name = ""] = typeName.split(".");
    const table = this.#tables.get(module);
    const fields = table?.[`${name}@${this.#release}`] ?? table?.[name];
    if (!fields) return undefined;
    const schema = this.#type(module, name, fields);
    this.#types.set(typeName, schema);
    return schema;
  }

  #type(module: string, name: string, fields: Readonly<Record<string, string>>): BuiltinSchema {
    const descriptions = this.#descriptions.get(module)?.[name];
    const facts = parseFieldText(fields[""] ?? "");
    const names = Object.keys(fields).filter((field) => field !== "");
    const required = names.filter((field) => field.endsWith("!")).map((field) => field.slice(0, -1));
    const schema = {
      type: "object",
      typeName: `${module}.${name}`,
      ...(descriptions?.[""] && { description: descriptions[""] }),
      ...(required.length > 0 && { required }),
      ...facts.map,
    } as const;
    if (names.length === 0) return Object.freeze(schema);
    return withLazy(schema, "properties", () => {
      const entries = names.map((marked): [string, BuiltinSchema] => {
        const field = marked.endsWith("!") ? marked.slice(0, -1) : marked;
        return [field, this.#field(module, fields[marked]!, descriptions?.[field])];
      });
      return Object.freeze(Object.fromEntries(entries));
    });
  }

  #field(module: string, text: string, description: string | undefined): BuiltinSchema {
    const facts = parseFieldText(text);
    return this.#value(module, facts.type, facts, { ...(description && { description }), ...facts.field });
  }

  /** The schema of a value; `keywords` and list facts apply to the outermost list or map, enums to the innermost value. */
  #value(module: string, type: string, facts: ValueFacts, keywords: Partial<BuiltinSchema>): BuiltinSchema {
    // Kubernetes has no facts about a list within a list or a map.
    const inner = { enum: facts.enum };
    if (type.startsWith("[]")) {
      const list = { type: "array", ...keywords, ...facts.list } as const;
      return withLazy(list, "items", () => this.#value(module, type.slice(2), inner, {}));
    }
    if (type.startsWith("{}")) {
      const map = { type: "object", ...keywords, ...facts.map } as const;
      return withLazy(map, "additionalProperties", () => this.#value(module, type.slice(2), inner, {}));
    }
    const scalar = scalarSchemas[type];
    if (scalar) {
      return facts.enum || Object.keys(keywords).length > 0
        ? Object.freeze({ ...scalar, ...keywords, ...(facts.enum && { enum: facts.enum }) })
        : scalar;
    }
    return this.#reference(type.startsWith(".") ? module + type : type, { ...keywords, ...facts.map });
  }

  /** The schema of a field with a named type: that type's schema, overridden by the field's own facts. */
  #reference(typeName: string, keywords: Partial<BuiltinSchema>): BuiltinSchema {
    const target = this.get(typeName);
    if (!target) throw new Error(`no type ${typeName} in the tables of built-in kinds`);
    if (Object.keys(keywords).length === 0) return target;
    const { type, required, description, "x-kubernetes-map-type": mapType } = target;
    const schema = {
      ...(type && { type }),
      typeName,
      ...(description && { description }),
      ...(required && { required }),
      ...(mapType && { "x-kubernetes-map-type": mapType }),
      ...keywords,
    };
    // Delegated to the type, so that its fields are created once.
    return "properties" in target
      ? withLazy(schema, "properties", () => target.properties)
      : Object.freeze(schema);
  }
}

/**
 * A node of a built-in type's schema, in the form of a structural CRD schema.
 * References are resolved: `properties`, `items` and `additionalProperties` are computed on first read, so that unused
 * types cost nothing. The schema of a recursive type is cyclic. Nodes are frozen and shared.
 */
export interface BuiltinSchema {
  /** Absent if several types are allowed: int-or-string, quantities, and any JSON value. */
  readonly type?: "object" | "array" | "string" | "integer" | "number" | "boolean";
  readonly format?: string;
  /** Only in tables loaded with descriptions. A field's own description overrides its type's. */
  readonly description?: string;
  readonly properties?: Readonly<Record<string, BuiltinSchema>>;
  readonly required?: readonly string[];
  readonly items?: BuiltinSchema;
  readonly additionalProperties?: BuiltinSchema;
  readonly default?: unknown;
  /** The value that the server gives a field without one, and does not publish. */
  readonly serverDefault?: unknown;
  /** The feature gates without which the server drops the field; absent if they are on by default. */
  readonly featureGates?: string;
  /** The known values; the API server publishes them, but they are not written into CRDs. */
  readonly enum?: readonly string[];
  readonly "x-kubernetes-int-or-string"?: true;
  readonly "x-kubernetes-preserve-unknown-fields"?: true;
  readonly "x-kubernetes-embedded-resource"?: true;
  readonly "x-kubernetes-list-type"?: "atomic" | "set" | "map";
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: "atomic" | "granular";
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
  /**
   * The name of the node's type, if it has one: `apps/v1.DeploymentSpec`, `meta/v1.ObjectMeta`, or a named scalar:
   * `Quantity`, `IntOrString`, `Time`, `MicroTime`, `Duration`, `RawExtension`, `FieldsV1`, `JSON`, and the unions of
   * `apiextensions/v1`.
   */
  readonly typeName?: string;
}

/** The schemas of types without fields, by their names in the tables. */
export const scalarSchemas: Readonly<Record<string, BuiltinSchema>> = Object.freeze({
  boolean: Object.freeze({ type: "boolean" }),
  byte: Object.freeze({ type: "string", format: "byte" }),
  double: Object.freeze({ type: "number", format: "double" }),
  int32: Object.freeze({ type: "integer", format: "int32" }),
  int64: Object.freeze({ type: "integer", format: "int64" }),
  string: Object.freeze({ type: "string" }),
  FieldsV1: untyped("FieldsV1", { type: "object" }),
  IntOrString: Object.freeze({ "x-kubernetes-int-or-string": true, typeName: "IntOrString" }),
  JSON: untyped("JSON"),
  JSONSchemaPropsOrArray: untyped("JSONSchemaPropsOrArray"),
  JSONSchemaPropsOrBool: untyped("JSONSchemaPropsOrBool"),
  JSONSchemaPropsOrStringArray: untyped("JSONSchemaPropsOrStringArray"),
  MicroTime: Object.freeze({ type: "string", format: "date-time", typeName: "MicroTime" }),
  Quantity: Object.freeze({ "x-kubernetes-int-or-string": true, typeName: "Quantity" }),
  RawExtension: untyped("RawExtension", { type: "object" }),
  Time: Object.freeze({ type: "string", format: "date-time", typeName: "Time" }),
});

function untyped(typeName: string, keywords: Partial<BuiltinSchema> = {}): BuiltinSchema {
  return Object.freeze({ ...keywords, "x-kubernetes-preserve-unknown-fields": true, typeName });
}

/** The facts of a value in a table, as keywords of its schema. */
interface ValueFacts {
  /** For the schema of a list. */
  readonly list?: Partial<BuiltinSchema>;
  /** For the schema of a map, or of a type with fields. */
  readonly map?: Partial<BuiltinSchema>;
  readonly enum?: readonly string[] | undefined;
}

/** The facts of a field in a table, or of a type if `type` is empty. */
interface FieldFacts extends ValueFacts {
  /** As in `ModelField`; a type of the same module starts with a dot. */
  readonly type: string;
  /** For the schema of the field itself, whatever its type. */
  readonly field?: Partial<BuiltinSchema>;
}

/**
 * Parses a field of a table: `[].ContainerPort map(containerPort,protocol) patch(merge;containerPort)`.
 * Words after the type: `map(keys)`, `set`, `plain`, `atomic`, `granular`, `patch(strategy;key)`, `off(gates)`,
 * `default=JSON`, `sets=JSON`, and last `enum(a|b)`, whose values may contain spaces.
 */
function parseFieldText(text: string): FieldFacts {
  const enumAt = text.indexOf("enum(");
  const values = enumAt === -1 ? undefined : text.slice(enumAt + "enum(".length, -1).split("|");
  const [type = "", ...words] = (enumAt === -1 ? text : text.slice(0, enumAt).trimEnd()).split(" ");
  const facts = {
    type,
    list: { "x-kubernetes-list-type": "atomic" },
    ...(values && { enum: values }),
  } as const;
  return words.reduce<FieldFacts>(addWord, facts);
}

function addWord(facts: FieldFacts, word: string): FieldFacts {
  const [, name = "", argument = ""] = /^(\w+)(?:\((.*)\)|=(.*))?$/u.exec(word) ?? [];
  switch (name) {
    case "map": {
      const keys = argument.split(",");
      return { ...facts, list: { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys } };
    }
    case "set":
      return { ...facts, list: { "x-kubernetes-list-type": "set" } };
    case "plain":
      return { ...facts, list: {} };
    case "atomic":
    case "granular":
      return { ...facts, map: { "x-kubernetes-map-type": name } };
    case "patch": {
      const [strategy = "", key] = argument.split(";");
      const merge = key === undefined ? {} : { "x-kubernetes-patch-merge-key": key };
      return { ...facts, field: { ...facts.field, "x-kubernetes-patch-strategy": strategy, ...merge } };
    }
    case "off":
      return { ...facts, field: { ...facts.field, featureGates: argument } };
    case "sets":
      return { ...facts, field: { ...facts.field, serverDefault: JSON.parse(word.slice("sets=".length)) } };
    case "default": {
      const value = JSON.parse(word.slice("default=".length)) as unknown;
      return { ...facts, field: { default: value, ...facts.field } };
    }
    default:
      throw new Error(`unknown word ${JSON.stringify(word)} in the table of built-in kinds`);
  }
}

/** Adds a property that is computed on first read. */
function withLazy(
  schema: Partial<BuiltinSchema>,
  name: "properties" | "items" | "additionalProperties",
  compute: () => object | undefined,
): BuiltinSchema {
  let value: object | undefined;
  const get = (): object | undefined => (value ??= compute());
  return Object.freeze(Object.defineProperty(schema, name, { enumerable: true, configurable: true, get }));
}
