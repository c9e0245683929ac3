import { moduleOf } from "@tsbuilder/apimachinery/kinds";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { compareText } from "@tsbuilder/apimachinery/text";

/** The facts that `facts.go` prints. */
export interface GoFacts {
  /** OpenAPI by definition: `io.k8s.api.core.v1.Container`. */
  readonly schemas: Readonly<Record<string, OpenApiSchema>>;
  /** Go's declarations of the same types. */
  readonly structs: Readonly<Record<string, readonly GoDeclaration[] | undefined>>;
  /** The columns of tables by group and kind: `apps/Deployment`. */
  readonly columns: Readonly<Record<string, readonly Column[] | undefined>>;
  readonly gates: Readonly<Record<string, Gate | undefined>>;
  /** The values, in JSON, that the server gives fields without one, by definition and field; "" if they depend on other fields. */
  readonly defaults: Readonly<Record<string, string | undefined>>;
  /** The releases in which kinds are deprecated and removed, by version and kind: `batch/v1beta1/CronJob`. */
  readonly lifetimes: Readonly<Record<string, Lifetime>>;
  /** The gates of fields, several with commas between them, by definition and field. */
  readonly gatedFields: ReadonlyMap<string, string>;
}

interface OpenApiSchema {
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, OpenApiSchema>>;
  readonly items?: OpenApiSchema;
  readonly additionalProperties?: OpenApiSchema;
  readonly "x-kubernetes-list-type"?: string;
  readonly "x-kubernetes-list-map-keys"?: readonly string[];
  readonly "x-kubernetes-map-type"?: string;
  readonly "x-kubernetes-patch-strategy"?: string;
  readonly "x-kubernetes-patch-merge-key"?: string;
}

interface GoDeclaration {
  readonly name: string;
  readonly path: string;
  readonly number: string;
  readonly omitEmpty: boolean;
  readonly omitZero: boolean;
  readonly kind: string;
  readonly type: string;
}

interface Column {
  readonly Name: string;
  readonly Type: string;
  readonly Format: string;
  readonly Priority: number;
}

interface Lifetime {
  readonly deprecated: string;
  /** Empty if it stays. */
  readonly removed: string;
  readonly replacement: string;
}

interface Gate {
  readonly stage: string;
  readonly default: boolean;
  readonly locked: boolean;
}

/** Types that are a JSON value or a union: they have no fields. */
const scalars = new Set(
  [
    "FieldsV1 IntOrString MicroTime Patch Quantity RawExtension Time",
    "JSON JSONSchemaPropsOrArray JSONSchemaPropsOrBool JSONSchemaPropsOrStringArray",
  ].flatMap((names) => names.split(" ")),
);

/** The facts of a resource in discovery. */
export interface DiscoveredResource {
  readonly name: string;
  readonly singularName: string;
  readonly kind: string;
  readonly group?: string;
  readonly version?: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly storageVersionHash?: string;
}

/** Reduces the discovery documents of versions, in their order, to the lines of facts/resources.txt. */
export function reduceResources(
  versions: ReadonlyMap<string, readonly DiscoveredResource[]>,
  { columns }: Pick<GoFacts, "columns">,
): string[] {
  return [...versions].flatMap(([apiVersion, resources]) => {
    const group = apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
    const parents = resources.filter(({ name }) => !name.includes("/"));
    const lines = parents.flatMap((resource) => {
      const children = resources.filter(({ name }) => name.startsWith(`${resource.name}/`));
      const line = `  ${[...resourceWords(resource), ...children.map((child) => childWord(child, resource.kind))].join(" ")}`;
      if (!resource.verbs.includes("list")) return [line];
      return [
        line,
        `    ${(columns[`${group}/${resource.kind}`] ?? defaultColumns).map(columnText).join(", ")}`,
      ];
    });
    return [apiVersion, ...lines];
  });
}

/** The verbs of a resource, and of a subresource, that lists none. */
const allVerbs = "create,delete,deletecollection,get,list,patch,update,watch";
const childVerbs = "get,patch,update";

function resourceWords(resource: DiscoveredResource): string[] {
  const { kind, name, singularName, shortNames = [], categories = [], storageVersionHash } = resource;
  const verbs = resource.verbs.join(",");
  return [
    kind,
    name,
    resource.namespaced ? "Namespaced" : "Cluster",
    singularName !== kind.toLowerCase() && `singular=${singularName}`,
    shortNames.length > 0 && `short=${shortNames.join(",")}`,
    categories.length > 0 && `in=${categories.join(",")}`,
    verbs !== allVerbs && `verbs=${verbs}`,
    storageVersionHash !== undefined && `hash=${storageVersionHash}`,
  ].filter((word) => word !== false);
}

function childWord(child: DiscoveredResource, parentKind: string): string {
  const { name, group, version, kind } = child;
  const verbs = child.verbs.join(",");
  const foreign = version === undefined ? kind : [group, version, kind].filter(Boolean).join("/");
  return [
    name.slice(name.indexOf("/")),
    kind !== parentKind && `:${foreign}`,
    verbs !== childVerbs && `(${verbs})`,
  ]
    .filter(Boolean)
    .join("");
}

/** The table of a resource that has no columns of its own. */
const defaultColumns: readonly Column[] = [
  { Name: "Name", Type: "string", Format: "name", Priority: 0 },
  { Name: "Created At", Type: "date", Format: "", Priority: 0 },
];

function columnText({ Name, Type, Format, Priority }: Column): string {
  return Name + (Type === "string" ? "" : `:${Type}`) + (Format && `/${Format}`) + (Priority > 0 ? "+" : "");
}

/** Reduces the feature gates of the API server to lines: whether each is on by default, and its stage. */
export function reduceGates({ gates }: Pick<GoFacts, "gates">): string[] {
  return Object.entries(gates)
    .map(([name, gate]) => `${name} ${gate!.default ? "on" : "off"} ${gate!.stage.toLowerCase() || "ga"}`)
    .sort(compareText);
}

/** Reduces the ends of kinds to lines: the releases in which they are deprecated and removed, and what replaces them. */
export function reduceLifetimes({ lifetimes }: Pick<GoFacts, "lifetimes">): string[] {
  return Object.entries(lifetimes)
    .filter(([kind]) => !kind.endsWith("List"))
    .map(([kind, { deprecated, removed, replacement }]) =>
      [
        kind,
        `deprecated=${deprecated}`,
        removed && `removed=${removed}`,
        replacement && `replacement=${replacement}`,
      ]
        .filter(Boolean)
        .join(" "),
    )
    .sort(compareText);
}

/** The types that the tables must have: all kinds, their lists, and the bodies of subresources. */
export function rootTypes(versions: ReadonlyMap<string, readonly DiscoveredResource[]>): string[] {
  return [...versions].flatMap(([apiVersion, resources]) =>
    resources.flatMap(({ kind, group, version, verbs }) => {
      // Options are in the query, not in the body.
      if (kind.endsWith("Options")) return [];
      const type = `${moduleOf(version === undefined ? parseApiVersion(apiVersion) : { group: group ?? "", version })}.${kind}`;
      return verbs.includes("list") ? [type, `${type}List`] : [type];
    }),
  );
}

/** Types of request and response bodies that no kind refers to. */
const metaTypes = ["APIGroupList", "APIResourceList", "APIVersions", "DeleteOptions", "Status", "WatchEvent"];

/** Reduces Go's facts to lines about the types that some roots, and bodies of requests, refer to. */
export function reduceTypes(facts: GoFacts, roots: readonly string[]): string[] {
  const definitions = new Map(Object.keys(facts.schemas).map((name) => [typeName(name), name]));
  const lines = new Map<string, readonly string[]>();
  const pending = [...roots, ...metaTypes.map((name) => `meta/v1.${name}`)];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (lines.has(name)) continue;
    const definition = definitions.get(name);
    if (definition === undefined) throw new Error(`Kubernetes has no type ${name}`);
    lines.set(name, typeLines(name, definition, facts));
    pending.push(...referencesOf(facts.schemas[definition]!));
  }
  return [...lines].sort(([a], [b]) => compareText(a, b)).flatMap(([, typeLines]) => typeLines);
}

/** The name of a type in the tables: `core/v1.Container` for `io.k8s.api.core.v1.Container`. */
function typeName(definition: string): string {
  const [group = "", version = "", name = ""] = definition.split(".").slice(-3);
  return scalars.has(name) ? name : `${group}/${version}.${name}`;
}

function referenceOf({ $ref }: OpenApiSchema): string | undefined {
  return $ref === undefined ? undefined : typeName($ref.slice("#/".length));
}

function referencesOf(schema: OpenApiSchema): string[] {
  const reference = referenceOf(schema);
  if (reference !== undefined) return scalars.has(reference) ? [] : [reference];
  const inner = [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties];
  return inner.flatMap((node) => (node ? referencesOf(node) : []));
}

function typeLines(type: string, definition: string, facts: GoFacts): string[] {
  const schema = facts.schemas[definition]!;
  const declared = facts.structs[definition] ?? [];
  const required = new Set(schema.required);
  const properties = schema.properties ?? {};
  const isKind = declared.some(({ kind }) => kind === "type meta");
  const fields = declared.flatMap((field) => {
    const property = properties[field.name];
    return property && field.kind !== "type meta"
      ? [
          fieldLine(
            type,
            field,
            property,
            required.has(field.name),
            serverWords(`${definition}.${field.name}`, property, facts),
          ),
        ]
      : [];
  });
  const isUndescribed = Object.values(properties).some(({ $ref, description }) => $ref && !description);
  const words = [
    isKind && "kind",
    isUndescribed && "undescribed",
    schema["x-kubernetes-map-type"],
    linesWord(schema),
  ].filter(Boolean);
  return [[type, ...words].join(" "), ...fields];
}

function fieldLine(
  type: string,
  declared: GoDeclaration,
  property: OpenApiSchema,
  isRequired: boolean,
  serverWords: readonly string[],
): string {
  const goType = goTypeName(declared, property);
  const module = type.slice(0, type.indexOf("."));
  const name = `${declared.path}${declared.name}${isRequired ? "!" : ""}`;
  const fieldType =
    typeText(property).replace(`${module}.`, ".") + (goType === undefined ? "" : `:${goType}`);
  return ` ${[name, declared.number + zeroMark(declared), fieldType, ...wordsOf(declared, property, serverWords)].join(" ")}`;
}

/** How Go writes the zero value: see `zeroMarks` in go-fields.ts. */
function zeroMark({ omitEmpty, omitZero, kind, type }: GoDeclaration): string {
  if (kind === "ptr") return omitEmpty ? "" : "*";
  if (kind === "struct" && !isScalar(type)) return "=";
  // To Go, no struct is empty.
  if (/^v1\.(?:Micro)?Time$/u.test(type)) return omitZero ? "?" : "!";
  if (kind === "struct") return type === "resource.Quantity" && !omitEmpty ? "!" : "";
  if (!omitEmpty) return "!";
  return kind === "slice" || kind === "map" || kind === "interface" ? "" : "?";
}

function isScalar(goType: string): boolean {
  return scalars.has(goType.slice(goType.lastIndexOf(".") + 1));
}

/** A type in the notation of `ModelField.type`. */
function typeText(schema: OpenApiSchema): string {
  const reference = referenceOf(schema);
  if (reference !== undefined) return reference;
  if (schema.items) return `[]${typeText(schema.items)}`;
  if (schema.additionalProperties) return `{}${typeText(schema.additionalProperties)}`;
  if (schema.type === "string" && schema.format === "byte") return "byte";
  if (schema.type === "integer" || schema.type === "number") return schema.format ?? "number";
  return schema.type ?? "JSON";
}

/** The type that Go's decoder names in its messages; undefined if it follows from the schema, or if it has none. */
function goTypeName({ type }: GoDeclaration, property: OpenApiSchema): string | undefined {
  const name = type.replaceAll("*", "");
  if (isScalar(name) && !/[[\]]/u.test(name)) return undefined;
  return name === expectedGoType(property) ? undefined : name;
}

function expectedGoType(schema: OpenApiSchema): string {
  const reference = referenceOf(schema);
  if (reference !== undefined) return scalars.has(reference) ? "string" : reference.replace(/^.*\//u, "");
  if (schema.items) return `[]${expectedGoType(schema.items)}`;
  if (schema.additionalProperties) return `map[string]${expectedGoType(schema.additionalProperties)}`;
  if (schema.format === "byte") return "[]uint8";
  if (schema.type === "integer") return schema.format ?? "int32";
  return { number: "float64", boolean: "bool" }[schema.type ?? ""] ?? "string";
}

function wordsOf(declared: GoDeclaration, property: OpenApiSchema, serverWords: readonly string[]): string[] {
  const strategy = property["x-kubernetes-patch-strategy"];
  const key = property["x-kubernetes-patch-merge-key"];
  const values = enumOf(property);
  return [
    property.items && listWord(property),
    property["x-kubernetes-map-type"],
    strategy !== undefined && `patch(${strategy}${key === undefined ? "" : `;${key}`})`,
    hasDefault(declared, property) && `default=${JSON.stringify(property.default)}`,
    ...serverWords,
    linesWord(property),
    values && `enum(${values.join("|")})`,
  ].filter((word): word is string => typeof word === "string");
}

function listWord(property: OpenApiSchema): string | undefined {
  const keys = property["x-kubernetes-list-map-keys"]?.join(",");
  const listType = property["x-kubernetes-list-type"];
  if (listType === "map") return `map(${keys})`;
  return listType === "atomic" ? undefined : (listType ?? "plain");
}

/** OpenAPI has the zero value as the default of structs, and of fields that Go always writes: no server applies those. */
function hasDefault({ omitEmpty, kind }: GoDeclaration, { default: value }: OpenApiSchema): boolean {
  const isZero = !value && !omitEmpty && kind !== "ptr";
  return value !== undefined && !isZero && JSON.stringify(value) !== "{}";
}

/** The server drops a field whose feature gates are off, and sets one that has no value. */
function serverWords(
  field: string,
  property: OpenApiSchema,
  { gates, gatedFields, defaults }: GoFacts,
): string[] {
  const names = gatedFields.get(field)?.split(",") ?? [];
  const value = defaults[field];
  return [
    ...(names.some((name) => gates[name]?.default === false) ? [`off(${names.join(",")})`] : []),
    ...(value && value !== JSON.stringify(property.default) ? [`sets=${value}`] : []),
  ];
}

/** Where the lines of a description end: a word of its own, because the packages that have descriptions join lines. */
function linesWord({ description = "" }: OpenApiSchema): string | undefined {
  const lines = description
    .replace(/\n\nPossible enum values:\n[\s\S]*/u, "")
    .trim()
    .split("\n");
  return lines.length === 1 ? undefined : `lines(${lines.map((line) => line.length).join(",")})`;
}

function enumOf(schema: OpenApiSchema): readonly string[] | undefined {
  return schema.enum ?? (schema.items ?? schema.additionalProperties)?.enum;
}
