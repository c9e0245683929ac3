import { type JSONSchema, hasDefault, itemsOf, valuesOf } from "../../schema/json-schema.ts";
import { type CelType, listType, mapType, objectType, types } from "../types/type.ts";
import { reservedWords } from "../syntax/token.ts";

/** The CEL type of a schema node, and the maximum size of its values. */
export interface DeclType {
  readonly type: CelType;
  /** The maximum length of a string, list or map that fits into a request, for the cost estimate. */
  readonly maxElements: number;
  /** The bytes of the smallest value as JSON, which limit how many fit into a request. */
  readonly minSize: number;
  readonly fields?: ReadonlyMap<string, DeclType>;
  readonly key?: DeclType;
  readonly element?: DeclType;
}

/** The API server's limit of the request size. */
export const maxRequestSize = 3 * 1024 * 1024;

/**
 * Returns the CEL type of a schema, and bounds of its values for the cost estimate; the sizes are those of the API
 * server. Undefined for nodes that rules can't access: untyped ones, and lists and maps of untyped ones.
 */
export function declTypeOf(schema: JSONSchema, isResource: boolean, name = "object"): DeclType | undefined {
  if (schema["x-kubernetes-int-or-string"]) {
    return { type: types.dyn, maxElements: maxTextElements(schema), minSize: 1 };
  }
  switch (schema.type) {
    case "array":
      return declareList(schema, name);
    case "object":
      return declareObject(isResource ? withMetadata(schema) : schema, name);
    case "string":
      return declareText(schema);
    case "boolean":
      return { type: types.bool, maxElements: 0, minSize: 4 };
    case "number":
      return { type: types.double, maxElements: 0, minSize: 1 };
    case "integer":
      return { type: types.int, maxElements: 0, minSize: 1 };
    default:
      return undefined;
  }
}

/**
 * A resource always has apiVersion, kind and metadata.name, even if the schema doesn't declare them. A schema that declares
 * all of them may declare further metadata.
 */
export function withMetadata(schema: JSONSchema): JSONSchema {
  const string: JSONSchema = { type: "string" };
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  const declared = [kind, apiVersion, metadata?.properties?.["name"], metadata?.properties?.["generateName"]];
  if (metadata?.type === "object" && declared.every((each) => each?.type === "string")) return schema;
  return {
    ...schema,
    properties: {
      ...schema.properties,
      kind: string,
      apiVersion: string,
      metadata: { type: "object", properties: { name: string, generateName: string } },
    },
  };
}

function declareList(schema: JSONSchema, name: string): DeclType | undefined {
  const items = itemsOf(schema);
  const element =
    items && declTypeOf(items, items["x-kubernetes-embedded-resource"] === true, `${name}.@idx`);
  if (!element) return undefined;
  const estimated = Math.trunc((maxRequestSize - 2) / (element.minSize + 1));
  const maxElements = schema.maxItems === undefined ? estimated : Math.max(schema.maxItems, 0);
  return { type: listType(element.type), maxElements, minSize: 2, element };
}

/** Keys have no bound, which the cost model treats as size 0. */
const mapKey: DeclType = { type: types.string, maxElements: 0, minSize: 2 };

function declareObject(schema: JSONSchema, name: string): DeclType | undefined {
  const values = valuesOf(schema);
  if (values) {
    const element = declTypeOf(values, values["x-kubernetes-embedded-resource"] === true, `${name}.@elem`);
    if (!element) return undefined;
    const estimated = Math.trunc((maxRequestSize - 2) / (element.minSize + 6));
    const maxElements = schema.maxProperties === undefined ? estimated : Math.max(schema.maxProperties, 0);
    return { type: mapType(types.string, element.type), maxElements, minSize: 2, key: mapKey, element };
  }
  const fields = new Map<string, DeclType>();
  let minSize = 2;
  for (const [property, child] of Object.entries(schema.properties ?? {})) {
    const escaped = escapeName(property);
    const isResource = child["x-kubernetes-embedded-resource"] === true;
    const field = declTypeOf(child, isResource, `${name}.${escaped ?? property}`);
    if (!field) continue;
    if (escaped !== undefined) fields.set(escaped, field);
    const isCertain = schema.required?.includes(property) === true && !hasDefault(child);
    if (isCertain) minSize += Buffer.byteLength(property) + field.minSize + 4;
  }
  const type = objectType(name, new Map(Array.from(fields, ([field, decl]) => [field, decl.type])));
  return { type, maxElements: 0, minSize, fields };
}

const escapes: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
};

/** Escapes a property name as a CEL identifier; returns undefined if that is not possible. */
export function escapeName(name: string): string | undefined {
  if (!/^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(name)) return undefined;
  if (reservedWords.has(name)) return `__${name}__`;
  return name.replaceAll(/__|[-./]/g, (match) => escapes[match]!);
}

function declareText(schema: JSONSchema): DeclType {
  switch (schema.format) {
    case "byte": {
      const maxElements = schema.maxLength === undefined ? maxRequestSize - 2 : Math.max(schema.maxLength, 0);
      return { type: types.bytes, maxElements, minSize: 2 };
    }
    case "duration":
      return { type: types.duration, maxElements: 32, minSize: 3 };
    case "date":
      return { type: types.timestamp, maxElements: 12, minSize: 12 };
    case "date-time":
      return { type: types.timestamp, maxElements: 32, minSize: 21 };
    default:
      return { type: types.string, maxElements: maxTextElements(schema), minSize: 2 };
  }
}

/** Lengths are in characters, and a character may be four bytes in a request. */
function maxTextElements(schema: JSONSchema): number {
  if (schema.maxLength !== undefined) return Math.max(schema.maxLength, 0) * 4;
  if (schema["x-kubernetes-int-or-string"] || !schema.enum?.length) return maxRequestSize - 2;
  let longest = 0;
  for (const value of schema.enum) {
    if (typeof value === "string") longest = Math.max(longest, Buffer.byteLength(value));
  }
  return longest;
}
