/** A schema of an OpenAPI v3 document, a CRD or a built-in kind, as far as random values need it. */
export interface Schema {
  readonly type?: string;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly $ref?: string;
  readonly "x-kubernetes-int-or-string"?: true;
  readonly "x-kubernetes-group-version-kind"?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
}

/** The named schemas of a document. */
export type Schemas = Readonly<Record<string, Schema>>;

/** Follows references until a schema says something itself. */
export function resolve(schema: Schema, schemas: Schemas): Schema {
  const reference = schema.$ref ?? (schema.allOf?.length === 1 ? schema.allOf[0]!.$ref : undefined);
  if (reference === undefined) return schema;
  const named = schemas[reference.slice("#/components/schemas/".length)];
  return named ? resolve(named, schemas) : {};
}
