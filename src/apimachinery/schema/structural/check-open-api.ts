import type { FieldError } from "../../errors/index.ts";
import { forbidden, invalid, invalidStruct, notSupported, required, ruled } from "../../errors/index.ts";
import type { JSONSchema, ValidationRule } from "../json-schema.ts";
import { branchesOf, hasDefault, isPresent, itemsOf, valuesOf } from "../json-schema.ts";
import { goKeyword, goSchema } from "./go-schema.ts";
import { parseFieldPath } from "../field-path.ts";
import { splitWords } from "../../text/text.ts";

/** Compiles the CEL rules of a node during the walk, and leads to those of its children. */
export interface RuleContext {
  property(schema: JSONSchema, name: string): RuleContext;
  values(schema: JSONSchema): RuleContext;
  items(schema: JSONSchema): RuleContext;
  /** Checks the node's own rules; `uncorrelatable` is the ancestor below which `oldSelf` is not available. */
  check(path: string, uncorrelatable: string | undefined): FieldError[];
}

/** The position of a node, as far as it decides whether a default or an embedded resource is allowed. */
interface KeywordContext {
  /** Why a default is not allowed here; undefined if it is allowed. */
  readonly noDefaults: string | undefined;
  readonly insideMeta: boolean;
}

/** The position of a node, as far as validation depends on it. */
export interface NodeContext extends KeywordContext {
  readonly isRoot: boolean;
  readonly uncorrelatable: string | undefined;
  readonly rules: RuleContext | undefined;
}

/** The errors of a walk; rules are compiled only if there is no schema error at or below the node. */
export interface Findings {
  readonly schemaErrors: FieldError[];
  readonly ruleErrors: FieldError[];
}

/** Checks the keywords of a CRD's schema node by node, including `allOf`, `anyOf`, `oneOf` and `not`. */
export function checkOpenAPI(schema: JSONSchema, path: string, context: NodeContext): Findings {
  const findings: Findings = { schemaErrors: [], ruleErrors: [] };
  checkNode(schema, path, context, findings);
  return findings;
}

function checkNode(schema: JSONSchema, path: string, context: NodeContext, findings: Findings): void {
  const { schemaErrors } = findings;
  const before = schemaErrors.length;
  checkKeywords(schema, path, context, schemaErrors);
  if (schema.uniqueItems) {
    const detail = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic";
    schemaErrors.push(forbidden(`${path}.uniqueItems`, detail));
  }
  checkMapValues(schema, path, context, findings);
  if (schema.properties) checkProperties(schema, schema.properties, path, context, findings);
  for (const [branch, at] of branchesOf(schema, path)) {
    checkNode(branch, at, { ...context, isRoot: false, rules: undefined }, findings);
  }
  checkItems(schema, path, context, findings);
  checkExtensions(schema, path, schemaErrors);
  const rules = schema["x-kubernetes-validations"];
  if (rules === undefined || rules.length === 0) return;
  schemaErrors.push(...checkRules(schema, path));
  if (schemaErrors.length === before && context.rules) {
    findings.ruleErrors.push(...context.rules.check(path, context.uncorrelatable));
  }
}

const types = ["array", "boolean", "integer", "number", "object", "string"];
const unsupported = splitWords("id additionalItems patternProperties definitions dependencies $ref");

/** Checks that a node uses only the keywords of OpenAPI v3 that Kubernetes supports. */
function checkKeywords(schema: JSONSchema, path: string, context: KeywordContext, errors: FieldError[]) {
  const type = schema.type ?? "";
  if (type !== "" && !types.includes(type))
    errors.push(...ruled("types", [notSupported(`${path}.type`, type, types)]));
  if (hasDefault(schema) && context.noDefaults !== undefined) {
    errors.push(forbidden(`${path}.default`, `must not be set ${context.noDefaults}`.trimEnd()));
  }
  for (const name of unsupported) {
    if (isPresent(schema[name])) errors.push(forbidden(`${path}.${name}`, `${name} is not supported`));
  }
  if (type === "null") {
    errors.push(forbidden(`${path}.type`, "type cannot be set to null, use nullable as an alternative"));
  }
  if (Array.isArray(schema.items) && schema.items.length > 0) {
    errors.push(forbidden(`${path}.items`, "items must be a schema object and not an array"));
  }
  if (context.insideMeta && schema["x-kubernetes-embedded-resource"]) {
    const detail = "must not be used inside of resource meta";
    errors.push(forbidden(`${path}.x-kubernetes-embedded-resource`, detail));
  }
}

function checkMapValues(schema: JSONSchema, path: string, context: NodeContext, findings: Findings): void {
  const { additionalProperties } = schema;
  if (additionalProperties === undefined) return;
  const at = `${path}.additionalProperties`;
  if (Object.keys(schema.properties ?? {}).length > 0 && additionalProperties !== true) {
    findings.schemaErrors.push(forbidden(at, "additionalProperties and properties are mutual exclusive"));
  }
  const values = valuesOf(schema);
  if (!values) return;
  const noDefaults = context.insideMeta
    ? { noDefaults: "inside additionalProperties applying to object metadata" }
    : {};
  const rules = context.rules?.values(values);
  checkNode(values, at, { ...context, ...noDefaults, isRoot: false, rules }, findings);
}

function checkProperties(
  schema: JSONSchema,
  properties: Readonly<Record<string, JSONSchema>>,
  path: string,
  context: NodeContext,
  findings: Findings,
): void {
  const { isRoot, insideMeta, noDefaults } = context;
  const isResource = isRoot || schema["x-kubernetes-embedded-resource"] === true;
  const isCorrelatable = ["granular", "atomic"].includes(schema["x-kubernetes-map-type"] ?? "granular");
  const uncorrelatable = isCorrelatable ? context.uncorrelatable : (context.uncorrelatable ?? path);
  for (const [name, child] of Object.entries(properties)) {
    const isMeta = isResource && ["metadata", "kind", "apiVersion"].includes(name);
    const inner = {
      insideMeta: insideMeta || isMeta,
      noDefaults: isMeta && isRoot ? `in top-level ${name}` : noDefaults,
      isRoot: false,
      uncorrelatable,
      rules: context.rules?.property(child, name),
    };
    checkNode(child, `${path}.properties[${name}]`, inner, findings);
  }
}

function checkItems(schema: JSONSchema, path: string, context: NodeContext, findings: Findings): void {
  const items = itemsOf(schema);
  if (!items) return;
  const isMap = schema["x-kubernetes-list-type"] === "map";
  const uncorrelatable = isMap ? context.uncorrelatable : (context.uncorrelatable ?? path);
  const rules = context.rules?.items(items);
  checkNode(items, `${path}.items`, { ...context, isRoot: false, uncorrelatable, rules }, findings);
}

/** Checks `x-kubernetes-list-type`, `-list-map-keys`, `-map-type` and `-preserve-unknown-fields`. */
function checkExtensions(schema: JSONSchema, path: string, errors: FieldError[]): void {
  if (schema["x-kubernetes-preserve-unknown-fields"] === false) {
    errors.push(invalid(`${path}.x-kubernetes-preserve-unknown-fields`, false, "must be true or undefined"));
  }
  checkCollectionType(schema, "x-kubernetes-map-type", "object", ["atomic", "granular"], path, errors);
  checkCollectionType(schema, "x-kubernetes-list-type", "array", ["atomic", "set", "map"], path, errors);
  checkMapKeys(schema, path, errors);
  checkListMap(schema, path, errors);
  errors.push(...ruled("items of sets and maps", itemProblems(schema, path)));
}

/** Checks the kind of a list or map, and that the node is one. */
function checkCollectionType(
  schema: JSONSchema,
  name: "x-kubernetes-map-type" | "x-kubernetes-list-type",
  type: string,
  allowed: readonly string[],
  path: string,
  errors: FieldError[],
): void {
  const value = schema[name];
  if (value === undefined) return;
  if (schema.type !== type) {
    const detail = `must be ${type} if ${name} is specified`;
    const at = `${path}.type`;
    errors.push(schema.type ? invalid(at, schema.type, detail) : required(at, detail));
  } else if (value === "set") {
    checkSetItems(itemsOf(schema), path, errors);
  }
  if (!allowed.includes(value)) errors.push(notSupported(`${path}.${name}`, value, allowed));
}

/** Items of a set are compared as a whole, so they must be atomic. */
function checkSetItems(items: JSONSchema | undefined, path: string, errors: FieldError[]): void {
  const detail = "must be atomic as item of a list with x-kubernetes-list-type=set";
  const listType = items?.["x-kubernetes-list-type"];
  if (items?.type === "array" && listType !== undefined && listType !== "atomic") {
    errors.push(
      ...ruled("items of sets", [invalid(`${path}.items.x-kubernetes-list-type`, listType, detail)]),
    );
  }
  if (items?.type === "object" && items["x-kubernetes-map-type"] !== "atomic") {
    const at = `${path}.items.x-kubernetes-map-type`;
    errors.push(...ruled("items of sets", [invalid(at, listType ?? null, detail)]));
  }
}

/** Rejects map keys of a list that is not a map. */
function checkMapKeys(schema: JSONSchema, path: string, errors: FieldError[]): void {
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const listType = schema["x-kubernetes-list-type"];
  if (keys.length === 0 || listType === "map") return;
  const at = `${path}.x-kubernetes-list-type`;
  const detail = "must be map if x-kubernetes-list-map-keys is non-empty";
  errors.push(listType === undefined ? required(at, detail) : invalid(at, listType, detail));
}

function checkListMap(schema: JSONSchema, path: string, errors: FieldError[]): void {
  if (schema["x-kubernetes-list-type"] !== "map") return;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const at = `${path}.x-kubernetes-list-map-keys`;
  if (keys.length === 0) errors.push(required(at, "must not be empty if x-kubernetes-list-type is map"));
  const items = itemsOf(schema);
  if (!items) {
    errors.push(required(`${path}.items`, "must have a schema if x-kubernetes-list-type is map"));
    return;
  }
  if (items.type !== "object") {
    const detail = "must be object if parent array's x-kubernetes-list-type is map";
    errors.push(invalid(`${path}.items.type`, items.type ?? "", detail));
    return;
  }
  const seen = new Set<string>();
  for (const key of keys) {
    const property = items.properties?.[key];
    if (!property) errors.push(invalid(at, keys, "entries must all be names of item properties"));
    else if (property.type === "array" || property.type === "object") {
      const detail = "must be a scalar type if parent array's x-kubernetes-list-type is map";
      errors.push(invalid(`${path}.items.properties[${key}].type`, items.type, detail));
    }
    if (seen.has(key)) errors.push(invalid(at, keys, "must not contain duplicate entries"));
    seen.add(key);
  }
}

function* itemProblems(schema: JSONSchema, path: string): Generator<FieldError, void> {
  const listType = schema["x-kubernetes-list-type"];
  const items = itemsOf(schema);
  if (!items || (listType !== "set" && listType !== "map")) return;
  if (items.nullable) {
    const detail = `cannot be nullable when x-kubernetes-list-type is ${listType}`;
    yield forbidden(`${path}.items.nullable`, detail);
  }
  if (listType !== "map") return;
  for (const key of schema["x-kubernetes-list-map-keys"] ?? []) {
    const property = items.properties?.[key];
    if (!property) continue;
    const at = `${path}.items.properties[${key}]`;
    const reason = "this property is in x-kubernetes-list-map-keys, so it";
    if (!items.required?.includes(key) && !hasDefault(property)) {
      yield required(`${at}.default`, `${reason} must have a default or be a required property`);
    }
    if (property.nullable) yield forbidden(`${at}.nullable`, `${reason} cannot be nullable`);
  }
}

/** Checks a node's rules except for their CEL expressions. */
function checkRules(schema: JSONSchema, path: string): FieldError[] {
  return (schema["x-kubernetes-validations"] ?? []).flatMap((rule, index) =>
    checkRule(rule, schema, `${path}.x-kubernetes-validations[${index}]`),
  );
}

const reasons = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"];
const lineBreak = /[\n\r]/;

function checkRule(rule: ValidationRule, schema: JSONSchema, path: string): FieldError[] {
  const { messageExpression = "", reason, fieldPath = "" } = rule;
  const errors = checkMessage(rule, path);
  if (messageExpression !== "" && messageExpression.trim() === "") {
    const detail = "messageExpression must be non-empty if specified";
    errors.push(required(`${path}.messageExpression`, detail));
  }
  if (reason !== undefined && !reasons.includes(reason)) {
    errors.push(notSupported(`${path}.reason`, reason, reasons));
  }
  if (fieldPath === "") return errors;
  const at = `${path}.fieldPath`;
  if (fieldPath.trim() === "") errors.push(invalid(at, fieldPath, "must be non-empty if specified"));
  if (lineBreak.test(fieldPath)) errors.push(invalid(at, fieldPath, "must not contain line breaks"));
  if (typeof parseFieldPath(fieldPath, schema) === "string") {
    errors.push(invalid(at, fieldPath, "must be a valid path"));
  }
  return errors;
}

function checkMessage({ rule = "", message = "" }: ValidationRule, path: string): FieldError[] {
  const text = message.trim();
  if (rule.trim() === "") return [required(`${path}.rule`, "rule is not specified")];
  if (message !== "" && text === "")
    return [invalid(`${path}.message`, message, "must be non-empty if specified")];
  if (lineBreak.test(text)) return [invalid(`${path}.message`, message, "must not contain line breaks")];
  if (lineBreak.test(rule.trim()) && text === "") {
    return [required(`${path}.message`, "message must be specified if rule contains line breaks")];
  }
  return [];
}

/** Checks the rules for the root; `hasStatus`: the status subresource is enabled. */
export function checkRoot(schema: JSONSchema, path: string, hasStatus: boolean): FieldError[] {
  const errors: FieldError[] = [];
  if (hasStatus) errors.push(...checkRootWithStatus(schema, path));
  if (schema.nullable) errors.push(forbidden(`${path}.nullable`, "nullable cannot be true at the root"));
  return errors;
}

/**
 * The keywords, as Go names them, that a root may have with a status subresource: the status is then validated by its own
 * part of the schema, so that no keyword may span both.
 */
const allowedAtRoot =
  "Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern " +
  "MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields " +
  "XValidations";

function checkRootWithStatus(schema: JSONSchema, path: string): FieldError[] {
  const allowed = new Set(allowedAtRoot.split(" "));
  for (const [name, value] of Object.entries(schema)) {
    if (value === undefined || value === false || value === "") continue;
    if (name === "type") {
      if (value === "object") continue;
      const detail =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      return [invalid(`${path}.type`, value, detail)];
    }
    if (allowed.has(goKeyword(name) ?? "")) continue;
    const detail = `only [${allowedAtRoot}] fields are allowed at the root of the schema if the status subresource is enabled`;
    return [invalidStruct(path, goSchema(schema), detail)];
  }
  return [];
}
