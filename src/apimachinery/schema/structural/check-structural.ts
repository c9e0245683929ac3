import { compareText, splitWords } from "../../text/text.ts";
import { type FieldError, forbidden, formatFieldError, invalid, required } from "../../errors/index.ts";
import { type JSONSchema, branchesOf, hasDefault, isPresent, itemsOf, valuesOf } from "../json-schema.ts";
import { isEqual, memberOf } from "../../json/index.ts";
import { patternError } from "../pattern.ts";
import { compileSchema } from "../compile-schema.ts";
import { prune, shapeOf } from "../prune.ts";

/**
 * Checks that a schema is structural; the errors and their order are those of creating the CRD on an API server.
 * `path` is the path of the schema, such as `spec.validation.openAPIV3Schema`.
 */
export function checkStructural(schema: JSONSchema, path: string): FieldError[] {
  const errors: FieldError[] = [];
  checkInvariants(schema, "root", path, errors);
  checkCompleteness(schema, schema, path, path, errors);
  return errors
    .map((error) => ({ error, text: formatFieldError(error) }))
    .sort((a, b) => compareText(a.text, b.text))
    .map(({ error }) => error);
}

/** The position of a node: the rules for its type and metadata depend on it. */
type Level = "root" | "item" | "field";

/** Checks that every node has a type, in the form that pruning and defaulting need. */
function checkInvariants(schema: JSONSchema, level: Level, path: string, errors: FieldError[]): void {
  const items = itemsOf(schema);
  const values = valuesOf(schema);
  if (schema.type === "array" && !items) errors.push(required(`${path}.items`, "must be specified"));
  if (items) checkInvariants(items, "item", `${path}.items`, errors);
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    checkInvariants(child, "field", `${path}.properties[${name}]`, errors);
  }
  if (schema.additionalProperties !== undefined) {
    const at = `${path}.additionalProperties`;
    if (level === "root") errors.push(forbidden(at, "must not be used at the root"));
    if (values) checkInvariants(values, "field", at, errors);
  }
  checkExtensions(schema, path, errors);
  checkBranches(schema, path, errors);
  checkType(schema, level, path, errors);
  checkTypeFields(schema, level, path, errors);
}

function checkExtensions(schema: JSONSchema, path: string, errors: FieldError[]): void {
  if (!schema["x-kubernetes-int-or-string"]) return;
  for (const name of ["x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"] as const) {
    if (!schema[name]) continue;
    errors.push(invalid(`${path}.${name}`, true, "must be false if x-kubernetes-int-or-string is true"));
  }
}

/** Only the two forms of int-or-string may have types inside `anyOf` and `allOf`. */
function checkBranches(schema: JSONSchema, path: string, errors: FieldError[]): void {
  const { anyOf, ...others } = schema;
  for (const [branch, at] of branchesOf(isIntOrString(anyOf) ? others : schema, path)) {
    checkBranchNode(branch, at, errors, { mayBeIntOrString: at === `${path}.allOf[0]` });
  }
  checkPattern(schema, path, errors);
}

/** The keywords that branches must not have, with the API server's demands. */
const nonBranchKeywords: Readonly<Record<string, string>> = {
  type: "must be empty",
  additionalProperties: "must be undefined",
  default: "must be undefined",
  title: "must be empty",
  description: "must be empty",
  nullable: "must be false",
  "x-kubernetes-preserve-unknown-fields": "must be false",
  "x-kubernetes-embedded-resource": "must be false",
  "x-kubernetes-int-or-string": "must be false",
  "x-kubernetes-list-map-keys": "must be empty",
  "x-kubernetes-list-type": "must be undefined",
  "x-kubernetes-map-type": "must be undefined",
  "x-kubernetes-validations": "must be empty",
};

/** Checks a branch of `allOf`, `anyOf`, `oneOf` or `not`, which may have value validations only. */
function checkBranchNode(
  schema: JSONSchema,
  path: string,
  errors: FieldError[],
  { mayBeIntOrString = false } = {},
): void {
  const { anyOf, ...others } = schema;
  const below = branchesOf(mayBeIntOrString && isIntOrString(anyOf) ? others : schema, path);
  for (const [branch, at] of below) checkBranchNode(branch, at, errors);
  checkPattern(schema, path, errors);

  const items = itemsOf(schema);
  if (items) checkBranchNode(items, `${path}.items`, errors);
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    checkBranchNode(child, `${path}.properties[${name}]`, errors);
  }
  for (const [name, demand] of Object.entries(nonBranchKeywords)) {
    if (isSet(schema[name as keyof JSONSchema]))
      errors.push(forbidden(`${path}.${name}`, `${demand} to be structural`));
  }
  if (schema.properties && Object.hasOwn(schema.properties, "metadata")) {
    errors.push(forbidden(`${path}.properties[metadata]`, "must not be specified in a nested context"));
  }
}

function checkPattern(schema: JSONSchema, path: string, errors: FieldError[]): void {
  const { pattern } = schema;
  if (pattern === undefined || pattern === "") return;
  const error = patternError(pattern);
  if (error === undefined) return;
  const detail = `must be a valid regular expression, but isn't: error parsing regexp: ${error}`;
  errors.push(invalid(`${path}.pattern`, pattern, detail));
}

/** Returns true if a keyword has another value than its zero value. */
function isSet(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  return value !== undefined && value !== false && value !== "" && value !== null;
}

function isIntOrString(branches: readonly JSONSchema[] | undefined): boolean {
  return branches !== undefined && isEqual(branches, [{ type: "integer" }, { type: "string" }]);
}

/** Where a type is missing, as in messages. */
const emptyTypePlaces: Readonly<Record<Level, string>> = {
  root: "at the root",
  item: "for specified array items",
  field: "for specified object fields",
};

function checkType(schema: JSONSchema, level: Level, path: string, errors: FieldError[]): void {
  const type = schema.type ?? "";
  const at = `${path}.type`;
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  if (isEmbedded && type !== "object") {
    const detail = "must be object if x-kubernetes-embedded-resource is true";
    errors.push(type === "" ? required(at, detail) : invalid(at, type, detail));
  } else if (
    type === "" &&
    !schema["x-kubernetes-int-or-string"] &&
    !schema["x-kubernetes-preserve-unknown-fields"]
  ) {
    errors.push(required(at, `must not be empty ${emptyTypePlaces[level]}`));
  }
  if (isEmbedded && schema.additionalProperties !== undefined) {
    const detail = "must not be used if x-kubernetes-embedded-resource is set";
    errors.push(forbidden(`${path}.additionalProperties`, detail));
  }
  if (level === "root" && type !== "" && type !== "object") {
    errors.push(invalid(at, type, "must be object at the root"));
  }
}

function checkTypeFields(schema: JSONSchema, level: Level, path: string, errors: FieldError[]): void {
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  if (!isEmbedded && !schema.properties) return;
  const properties = schema.properties ?? {};
  const isResource = level === "root" || isEmbedded;
  for (const name of ["kind", "apiVersion"]) {
    const property = memberOf(properties, name);
    if (!isResource || !property || property.type === "string") continue;
    errors.push(invalid(`${path}.properties[${name}].type`, property.type ?? "", "must be string"));
  }
  const metadata = memberOf(properties, "metadata");
  if (metadata) checkMetadata(metadata, isResource, level, `${path}.properties[metadata]`, errors);
  if (isEmbedded && !schema["x-kubernetes-preserve-unknown-fields"] && Object.keys(properties).length === 0) {
    const detail =
      "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields";
    errors.push(required(`${path}.properties`, detail));
  }
}

function checkMetadata(
  metadata: JSONSchema,
  isResource: boolean,
  level: Level,
  path: string,
  errors: FieldError[],
): void {
  if (isResource && metadata.type !== "object") {
    errors.push(invalid(`${path}.type`, metadata.type ?? "", "must be object"));
  }
  if (level !== "root") return;
  const { type: _type, default: _default, properties = {}, ...rest } = metadata;
  const hasOnlyNames = Object.keys(properties).every((name) => name === "name" || name === "generateName");
  const isBare = Object.values(rest).every((value) => value === undefined || value === false);
  if (hasOnlyNames && isBare) return;
  const detail =
    "must not specify anything other than name and generateName, but metadata is implicitly specified";
  errors.push(forbidden(path, detail));
}

/** Checks that every field in `allOf`, `anyOf`, `oneOf` or `not` is also specified outside of them. */
function checkCompleteness(
  branching: JSONSchema,
  declaring: JSONSchema,
  path: string,
  branchPath: string,
  errors: FieldError[],
): void {
  for (const [branch, at] of branchesOf(branching, branchPath)) {
    checkBranch(branch, declaring, path, at, errors);
  }
}

function checkBranch(
  branch: JSONSchema,
  declaring: JSONSchema | undefined,
  path: string,
  branchPath: string,
  errors: FieldError[],
): void {
  if (!declaring) {
    errors.push(required(path, `because it is defined in ${branchPath}`));
    return;
  }
  checkCompleteness(branch, declaring, path, branchPath, errors);
  const items = itemsOf(branch);
  if (items) checkBranch(items, itemsOf(declaring), `${path}.items`, `${branchPath}.items`, errors);
  for (const [name, child] of Object.entries(branch.properties ?? {})) {
    const step = `.properties[${name}]`;
    const declared = memberOf(declaring.properties ?? {}, name);
    checkBranch(child, declared, path + step, branchPath + step, errors);
  }
}

const unsupported = splitWords("id $schema $ref patternProperties dependencies additionalItems definitions");

/** Returns an error if a keyword prevents converting the schema to a structural one. */
export function unsupportedKeyword(schema: JSONSchema): string | undefined {
  const keyword = unsupported.find((name) => isPresent(schema[name]));
  if (keyword !== undefined) {
    return `OpenAPIV3Schema '${keyword === "$schema" ? "schema" : keyword}' is not supported`;
  }
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  }
  if (Array.isArray(schema.items)) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  return unsupportedBelow(schema);
}

function unsupportedBelow(schema: JSONSchema): string | undefined {
  const { not, allOf, anyOf, oneOf, items, properties, additionalProperties: values } = schema;
  let found = not && unsupportedKeyword(not);
  if (allOf || anyOf || oneOf) {
    const branches = [...(allOf ?? []), ...(anyOf ?? []), ...(oneOf ?? [])];
    for (const branch of branches) found ??= unsupportedKeyword(branch);
  }
  if (items) found ??= unsupportedKeyword(items as JSONSchema);
  for (const name in properties) found ??= unsupportedKeyword(properties[name]!);
  if (typeof values === "object") found ??= unsupportedKeyword(values);
  return found;
}

/** Checks a default against the CEL rules of its node: once as an unchanged value, once as a new one. */
export type CheckRules = (schema: JSONSchema, value: unknown, path: string) => FieldError[];

/**
 * Checks that every default matches its own schema: it is valid, and nothing in it would be pruned.
 * Skips defaults of map values, which are not allowed anyway.
 */
export function checkDefaults(schema: JSONSchema, path: string, checkRules?: CheckRules): FieldError[] {
  const items = itemsOf(schema);
  return [
    ...(hasDefault(schema) ? checkDefault(schema, `${path}.default`, checkRules) : []),
    ...(items ? checkDefaults(items, `${path}.items`, checkRules) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, child]) =>
      checkDefaults(child, `${path}.properties[${name}]`, checkRules),
    ),
  ];
}

function checkDefault(schema: JSONSchema, path: string, checkRules: CheckRules | undefined): FieldError[] {
  const { default: value } = schema;
  const isEmbedded = schema["x-kubernetes-embedded-resource"] === true;
  const errors: FieldError[] = [];
  if (prune(value, shapeOf(schema), isEmbedded).object !== value) {
    errors.push(invalid(path, value, "must not have unknown fields"));
  }
  const { default: _, ...node } = schema;
  const valueErrors = compileSchema(node).validate(value, { path, listTypes: false });
  if (valueErrors.length > 0) return [...errors, ...valueErrors];
  return [...errors, ...(checkRules?.(schema, value, path) ?? [])];
}
