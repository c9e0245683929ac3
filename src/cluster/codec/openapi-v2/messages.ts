/** The fields of a message by their JSON names: number and type. `x-` is the list of extensions. */
export type Message = Readonly<Record<string, readonly [number: number, kind: string]>>;

/**
 * The messages of gnostic's OpenAPI v2 schema, as far as Kubernetes documents use them. `word`, `flag`, `count` and
 * `real` are scalar types, `any` is a value as YAML text, and names with a capital letter are messages. A `[]` suffix
 * means a list, `{}` a map whose entries are messages with a name.
 */
export const messages: Readonly<Record<string, Message>> = {
  Document: {
    swagger: [1, "word"],
    info: [2, "Info"],
    host: [3, "word"],
    basePath: [4, "word"],
    schemes: [5, "word[]"],
    consumes: [6, "word[]"],
    produces: [7, "word[]"],
    paths: [8, "Paths"],
    definitions: [9, "Definitions"],
    parameters: [10, "ParameterDefinitions"],
    security: [12, "SecurityRequirement[]"],
    securityDefinitions: [13, "SecurityDefinitions"],
    "x-": [16, "any"],
  },
  Info: { title: [1, "word"], version: [2, "word"], description: [3, "word"], "x-": [7, "any"] },
  Paths: { "x-": [1, "any"], "/": [2, "PathItem"] },
  PathItem: {
    $ref: [1, "word"],
    get: [2, "Operation"],
    put: [3, "Operation"],
    post: [4, "Operation"],
    delete: [5, "Operation"],
    options: [6, "Operation"],
    head: [7, "Operation"],
    patch: [8, "Operation"],
    parameters: [9, "ParametersItem[]"],
    "x-": [10, "any"],
  },
  Operation: {
    tags: [1, "word[]"],
    summary: [2, "word"],
    description: [3, "word"],
    operationId: [5, "word"],
    produces: [6, "word[]"],
    consumes: [7, "word[]"],
    parameters: [8, "ParametersItem[]"],
    responses: [9, "Responses"],
    schemes: [10, "word[]"],
    deprecated: [11, "flag"],
    security: [12, "SecurityRequirement[]"],
    "x-": [13, "any"],
  },
  JsonReference: { $ref: [1, "word"], description: [2, "word"] },
  BodyParameter: {
    description: [1, "word"],
    name: [2, "word"],
    in: [3, "word"],
    required: [4, "flag"],
    schema: [5, "Schema"],
    "x-": [6, "any"],
  },
  HeaderParameter: { ...parameter(), ...valueRules(5), "x-": [22, "any"] },
  PathParameter: { ...parameter(), ...valueRules(5), "x-": [22, "any"] },
  QueryParameter: { ...parameter(), allowEmptyValue: [5, "flag"], ...valueRules(6), "x-": [23, "any"] },
  FormParameter: { ...parameter(), allowEmptyValue: [5, "flag"], ...valueRules(6), "x-": [23, "any"] },
  PrimitivesItems: { ...valueRules(1), "x-": [18, "any"] },
  Response: { description: [1, "word"], schema: [2, "SchemaItem"], "x-": [5, "any"] },
  Schema: {
    $ref: [1, "word"],
    format: [2, "word"],
    title: [3, "word"],
    description: [4, "word"],
    default: [5, "any"],
    multipleOf: [6, "real"],
    maximum: [7, "real"],
    exclusiveMaximum: [8, "flag"],
    minimum: [9, "real"],
    exclusiveMinimum: [10, "flag"],
    maxLength: [11, "count"],
    minLength: [12, "count"],
    pattern: [13, "word"],
    maxItems: [14, "count"],
    minItems: [15, "count"],
    uniqueItems: [16, "flag"],
    maxProperties: [17, "count"],
    minProperties: [18, "count"],
    required: [19, "word[]"],
    enum: [20, "any[]"],
    additionalProperties: [21, "AdditionalPropertiesItem"],
    type: [22, "TypeItem"],
    items: [23, "ItemsItem"],
    allOf: [24, "Schema[]"],
    properties: [25, "Properties"],
    discriminator: [26, "word"],
    readOnly: [27, "flag"],
    externalDocs: [29, "ExternalDocs"],
    example: [30, "any"],
    "x-": [31, "any"],
  },
  ExternalDocs: { description: [1, "word"], url: [2, "word"], "x-": [3, "any"] },
  ApiKeySecurity: {
    type: [1, "word"],
    name: [2, "word"],
    in: [3, "word"],
    description: [4, "word"],
    "x-": [5, "any"],
  },
};

function parameter(): Message {
  return { required: [1, "flag"], in: [2, "word"], description: [3, "word"], name: [4, "word"] };
}

/** The validation fields that parameters and items share; `first` is the number of the first one. */
function valueRules(first: number): Message {
  const rules = [
    ["type", "word"],
    ["format", "word"],
    ["items", "PrimitivesItems"],
    ["collectionFormat", "word"],
    ["default", "any"],
    ["maximum", "real"],
    ["exclusiveMaximum", "flag"],
    ["minimum", "real"],
    ["exclusiveMinimum", "flag"],
    ["maxLength", "count"],
    ["minLength", "count"],
    ["pattern", "word"],
    ["maxItems", "count"],
    ["minItems", "count"],
    ["uniqueItems", "flag"],
    ["enum", "any[]"],
    ["multipleOf", "real"],
  ] as const;
  return Object.fromEntries(rules.map(([name, kind], index) => [name, [first + index, kind]]));
}
