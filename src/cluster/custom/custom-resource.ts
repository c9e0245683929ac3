import { createHash } from "node:crypto";
import { type FieldError, formatFieldError, invalid } from "@tsbuilder/apimachinery/errors";
import type { CRDVersion, PrinterColumn } from "@tsbuilder/apimachinery/crd";
import {
  type CompiledSchema,
  type JSONSchema,
  MalformedMetadataError,
  decodeMetadata,
} from "@tsbuilder/apimachinery/schema";
import { checkQualifiedName, compareVersions } from "@tsbuilder/apimachinery/naming";
import { DecodeError } from "@tsbuilder/apimachinery/kinds";
import { type Validator, compileValidator } from "@tsbuilder/apimachinery/cel";
import { type JSONValue, isEqual, isObject } from "@tsbuilder/apimachinery/json";
import type { SchemaNode } from "@tsbuilder/apimachinery/patch";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { goText } from "@tsbuilder/apimachinery/text";
import { type ApiObject, replaceFields } from "../contract/api-object.ts";
import type { Collection } from "../storage/collection.ts";
import type { ObjectSchema } from "../registry/object-schema.ts";
import type {
  Resource,
  ResourceVersion,
  ScalePaths,
  Strategy,
  SubresourceInfo,
  Verb,
} from "../registry/resource.ts";
import type { CustomResourceDefinition } from "../kinds/apiextensions/custom-resource-definition.ts";
import { type ConvertObjects, CustomVersions } from "./custom-versions.ts";
import { objectMetaNode } from "../registry/object-meta-schema.ts";
import { formatAge } from "../registry/format-age.ts";
import type { Cell, TableColumns } from "../registry/table-columns.ts";
import { defaultStrategy, resetStatus } from "../registry/default-strategy.ts";
import { badRequest, forbidden, invalidObject } from "../contract/status-error.ts";

type ScaleSubresource = NonNullable<NonNullable<CRDVersion["subresources"]>["scale"]>;

/** The fields of a scale subresource: those of the status are validated with the status alone, too. */
type ScaleFields = "spec" | "status";

const maxReplicas = 2 ** 31 - 1;

/** With a scale subresource, replicas must be non-negative integers of 32 bits, and the selector a string. */
export function validateScale(
  object: ApiObject,
  scale: ScaleSubresource | undefined,
  fields: readonly ScaleFields[] = ["spec", "status"],
): FieldError[] {
  if (!scale) return [];
  return [
    ...(fields.includes("spec") ? checkReplicas(object, scale.specReplicasPath) : []),
    ...checkReplicas(object, scale.statusReplicasPath),
    ...(scale.labelSelectorPath ? checkSelector(object, scale.labelSelectorPath) : []),
  ];
}

/** Why the Scale of an object can't be read: another version has stored a value of a wrong type. */
function scaleProblem(object: ApiObject, scale: ScaleSubresource): string | undefined {
  const problems = validateScale(object, scale).map(({ detail }) => detail);
  return problems.find((detail) => detail.includes(" accessor error: "));
}

function checkReplicas(object: ApiObject, path: string): FieldError[] {
  const found = readNested(object, path);
  if ("wrong" in found) return [wrongParent(path, found, 0)];
  const { value } = found;
  if (value === undefined) return [];
  if (typeof value !== "number" || !Number.isInteger(value)) return [accessorError(path, value, "int64", 0)];
  if (value < 0) return [invalid(path, value, "should be a non-negative integer")];
  return value > maxReplicas ? [invalid(path, value, `should be less than or equal to ${maxReplicas}`)] : [];
}

function checkSelector(object: ApiObject, path: string): FieldError[] {
  const found = readNested(object, path);
  if ("wrong" in found) return [wrongParent(path, found, "")];
  const { value } = found;
  return value === undefined || typeof value === "string" ? [] : [accessorError(path, value, "string", "")];
}

/** A value on the way to a field that should have been an object. */
interface WrongParent {
  readonly wrong: unknown;
  /** The path of the field that was looked up in it. */
  readonly at: string;
}

/** Reads a field by its path. */
function readNested(object: ApiObject, path: string): { readonly value: unknown } | WrongParent {
  let value: unknown = object;
  let at = "";
  for (const field of path.slice(1).split(".")) {
    at += `.${field}`;
    if (value === undefined || value === null) return { value: undefined };
    if (!isObject(value)) return { wrong: value, at };
    value = (value as Record<string, unknown>)[field];
  }
  return { value: value ?? undefined };
}

function wrongParent(path: string, { wrong, at }: WrongParent, zero: number | string): FieldError {
  return invalid(path, zero, describe(at, wrong, "map[string]interface{}"));
}

function accessorError(path: string, value: unknown, expected: string, zero: number | string): FieldError {
  return invalid(path, zero, describe(path, value, expected));
}

function describe(path: string, value: unknown, expected: string): string {
  return `${path} accessor error: ${goText(value as JSONValue)} is of the type ${goTypeOf(value)}, expected ${expected}`;
}

function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : typeof value;
}

/**
 * Evaluates the JSONPath that printer columns and selectable fields use: `.spec.replicas`,
 * `.status.conditions[?(@.type=="Ready")].status`, `.spec.ports[*].port`, `.metadata.labels['a\.b']`.
 */
export function readPath(root: unknown, path: string): unknown[] {
  let values: unknown[] = [root];
  for (const step of parsePath(path)) values = values.flatMap((value) => takeStep(value, step));
  return values.filter((value) => value !== undefined && value !== null);
}

type Step =
  | { readonly kind: "field"; readonly name: string }
  | { readonly kind: "index"; readonly index: number }
  | { readonly kind: "all" }
  | { readonly kind: "filter"; readonly path: string; readonly operator: string; readonly value: unknown };

const cache = new Map<string, readonly Step[]>();

function parsePath(path: string): readonly Step[] {
  let steps = cache.get(path);
  if (!steps) {
    steps = [...scan(path.replace(/^\{|\}$/g, ""))];
    cache.set(path, steps);
  }
  return steps;
}

const token =
  /\.?\[\?\(\s*@([^=!<>\s]+)\s*(==|!=|<=|>=|<|>)?\s*("[^"]*"|'[^']*'|[^)\s]*)\s*\)\]|\.?\[(\*|-?\d+)\]|\.?\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\]|\.((?:[^.[\]\\]|\\.)+)/g;

function* scan(path: string): Generator<Step> {
  for (const found of path.matchAll(token)) {
    const [, filter, operator = "", value = "", index, single, double, field] = found;
    if (filter !== undefined) yield { kind: "filter", path: filter, operator, value: literal(value) };
    else if (index === "*" || field === "*") yield { kind: "all" };
    else if (index !== undefined) yield { kind: "index", index: Number(index) };
    else yield { kind: "field", name: (single ?? double ?? field!).replace(/\\(.)/g, "$1") };
  }
}

function literal(text: string): unknown {
  if (/^["']/.test(text)) return text.slice(1, -1);
  if (text === "true" || text === "false") return text === "true";
  return text === "" ? undefined : Number(text);
}

function takeStep(value: unknown, step: Step): unknown[] {
  if (typeof value !== "object" || value === null) return [];
  switch (step.kind) {
    case "field":
      return [(value as Record<string, unknown>)[step.name]];
    case "index":
      return Array.isArray(value) ? [value.at(step.index)] : [];
    case "all":
      return Object.values(value);
    case "filter":
      return (Array.isArray(value) ? value : []).filter((item) => passes(item, step));
  }
}

function passes(item: unknown, { path, operator, value }: Step & { kind: "filter" }): boolean {
  const [actual] = readPath(item, path);
  if (operator === "") return actual !== undefined;
  if (operator === "==") return actual === value;
  if (operator === "!=") return actual !== value;
  // Only values of one type have an order.
  if (typeof actual !== typeof value || typeof actual === "object") return false;
  const [a, b] = [actual as number, value as number];
  if (operator === "<") return a < b;
  if (operator === "<=") return a <= b;
  return operator === ">" ? a > b : a >= b;
}

/** The strategy of custom resources, derived from the schema of each version. */
function customStrategy(
  crd: CustomResourceDefinition,
  schemas: ReadonlyMap<string, Validator>,
  isTerminating: () => boolean,
): Strategy {
  const withStatus = new Set(
    crd.spec.versions
      .filter(({ subresources }) => subresources?.status !== undefined)
      .map(({ name }) => name),
  );
  const hasStatus = ({ apiVersion }: ApiObject) => withStatus.has(parseApiVersion(apiVersion).version);
  const schemaFor = ({ version }: { version: string }) => schemas.get(version)!;
  const scaleFor = ({ version }: { version: string }) =>
    crd.spec.versions.find(({ name }) => name === version)?.subresources?.scale;
  return {
    ...defaultStrategy,
    metadataChecks: { ...defaultStrategy.metadataChecks, qualifiedFinalizers: false },
    unconditionalUpdate: false,
    fieldSelectors: selectableFields(crd),
    generation: true,
    specChanged: (object, old) =>
      !isEqual(contentOf(object, hasStatus(object)), contentOf(old, hasStatus(old))),
    resetFields(object, old, subresource) {
      if (hasStatus(object)) resetStatus(object, old, subresource);
    },
    warnings: warnOfFinalizers,
    prepareForCreate(object) {
      const { metadata } = object;
      // A default of the status is only shown: no write has set it.
      if (hasStatus(object)) resetStatus(object, undefined, "");
      if (!isTerminating()) return;
      const { group, names } = crd.spec;
      const why = "create not allowed while custom resource definition is terminating";
      throw forbidden({ group, ...names }, metadata.name ?? "", why);
    },
    default(object, context) {
      const schema = schemaFor(context);
      object.metadata = decodedMetadata(object);
      const nulls = { keepNulls: context.applied === true };
      replaceFields(object, schema.applyDefaults(schema.prune(object, nulls).object, nulls));
    },
    validate(object, context) {
      checkKind(crd, object, object.metadata.name ?? "");
      // Without a name, the rules of the schema are not evaluated.
      const blocked = !object.metadata.name;
      return schemaFor(context).validate(object, {
        blocked,
        beforeRules: validateScale(object, scaleFor(context)),
      });
    },
    validateUpdate(object, old, context) {
      checkKind(crd, object, context.name);
      const schema = schemaFor(context);
      const onRatcheted = (error: FieldError): void => context.warn(formatFieldError(error));
      if (context.subresource !== "status") {
        return schema.validate(object, {
          old,
          onRatcheted,
          beforeRules: validateScale(object, scaleFor(context)),
        });
      }
      const beforeRules = validateScale(object, scaleFor(context), ["status"]);
      return schema.validateStatus(object, old, { onRatcheted, beforeRules });
    },
  };
}

const standard = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

/** Warnings about new finalizers without a domain: custom resources accept them, most built-in kinds do not. */
function* warnOfFinalizers({ metadata }: ApiObject, old: ApiObject | undefined): Generator<string> {
  const before = new Set(old?.metadata.finalizers);
  const added = new Set((metadata.finalizers ?? []).filter((finalizer) => !before.has(finalizer)));
  for (const finalizer of [...added].toSorted()) {
    const subject = `metadata.finalizers: ${JSON.stringify(finalizer)}`;
    for (const detail of checkQualifiedName(finalizer)) yield `${subject}: ${detail}`;
    if (finalizer.includes("/") || standard.has(finalizer)) continue;
    const wanted = finalizer.includes(".") ? "name including a path (/)" : "name";
    yield `${subject}: prefer a domain-qualified finalizer ${wanted} to avoid accidental conflicts with other finalizer writers`;
  }
}

/** An object of another kind is refused under its own name, and looked at no further. */
function checkKind({ spec }: CustomResourceDefinition, { kind }: ApiObject, name: string): void {
  if (kind === spec.names.kind) return;
  const subject = { group: spec.group, plural: spec.names.plural, kind };
  throw invalidObject(subject, name, [invalid("kind", kind, `must be ${spec.names.kind}`)]);
}

/** The selectable fields of a CRD; scalars are compared as text. */
function selectableFields({
  spec,
}: CustomResourceDefinition): ReadonlyMap<string, (object: ApiObject) => string> {
  const paths = spec.versions.flatMap(({ selectableFields: fields = [] }) =>
    fields.map(({ jsonPath }) => jsonPath),
  );
  return new Map(
    paths.map(
      (path) => [path.replace(/^\./, ""), (object) => readPath(object, path).map(textOf).join(",")] as const,
    ),
  );
}

/** A list or an object, which only another version can have stored, is selected by its JSON, too. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Everything outside metadata counts as content; status only if it is not a subresource. */
function contentOf(object: ApiObject, hasStatus: boolean): object {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...rest } = object;
  if (hasStatus) delete rest["status"];
  return rest;
}

/** Metadata from clients has been decoded before, but webhooks may have added some that can't be decoded. */
function decodedMetadata({ metadata }: ApiObject): ApiObject["metadata"] {
  try {
    return decodeMetadata(metadata, "metadata").metadata;
  } catch (error) {
    throw error instanceof MalformedMetadataError ? badRequest(error.message) : error;
  }
}

const ageColumn: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/** The columns of a CRD version: the name, then its `additionalPrinterColumns`. Default: the age. */
export function customColumns({ additionalPrinterColumns }: CRDVersion): TableColumns {
  const columns = additionalPrinterColumns?.length ? additionalPrinterColumns : [ageColumn];
  return {
    definitions: [
      { name: "Name", type: "string", format: "name", description: nameDescription, priority: 0 },
      ...columns.map((column) => ({
        name: column.name,
        type: column.type as "string",
        format: column.format ?? "",
        description:
          column.description ?? `Custom resource definition column (in JSONPath format): ${column.jsonPath}`,
        priority: column.priority ?? 0,
      })),
    ],
    cells: (object, now) => [
      object.metadata.name ?? "",
      ...columns.map((column) => cellOf(column, object, now)),
    ],
  };
}

const nameDescription = "Name of the object, unique among those of its kind in a namespace.";

function cellOf({ type, jsonPath }: PrinterColumn, object: ApiObject, now: number): Cell {
  const values = readPath(object, jsonPath);
  const [value] = values;
  if (value === undefined) return null;
  switch (type) {
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      if (typeof value !== "string") return null;
      return value === "" ? "<unknown>" : formatAge(value, now);
    default:
      return values.map((each) => (typeof each === "string" ? each : JSON.stringify(each))).join(",");
  }
}

/** Every object has these fields, even if its schema does not declare them. */
const typeMeta = { apiVersion: { type: "string" }, kind: { type: "string" } };

/** The schema of custom objects for managed fields: objects, and resources within them, have the metadata of all objects. */
function objectNode(root: JSONSchema): SchemaNode {
  return asObject(typed(root));
}

function asObject(node: SchemaNode): SchemaNode {
  return { ...node, properties: { ...typeMeta, ...node.properties, metadata: objectMetaNode } };
}

/** The same schema if it has no resources within it. */
function typed(schema: JSONSchema): SchemaNode {
  const { properties = {}, items, additionalProperties } = schema;
  const changed: Record<string, unknown> = {};
  const fields = Object.entries(properties).map(([name, field]) => [name, typed(field)] as const);
  if (fields.some(([name, field]) => field !== properties[name]))
    changed["properties"] = Object.fromEntries(fields);
  for (const [name, inner] of Object.entries({ items, additionalProperties })) {
    const node = isObject(inner) ? typed(inner) : inner;
    if (node !== inner) changed[name] = node;
  }
  const isSame = Object.keys(changed).length === 0;
  const node = (isSame ? schema : { ...schema, ...changed }) as SchemaNode;
  return schema["x-kubernetes-embedded-resource"] ? asObject(node) : node;
}

export type { ConvertObjects } from "./custom-versions.ts";

const verbs: readonly Verb[] = [
  "delete",
  "deletecollection",
  "get",
  "list",
  "patch",
  "create",
  "update",
  "watch",
];

interface CustomResourceContext {
  readonly collection: Collection;
  readonly convert: ConvertObjects;
  /** Whether the CRD is being deleted: its objects can be changed and deleted, but none can be created. */
  readonly isTerminating: () => boolean;
}

/** Makes the resource that a CRD defines. A changed CRD makes a new resource with the same collection. */
export function customResource(
  crd: CustomResourceDefinition,
  { collection, convert, isTerminating }: CustomResourceContext,
): Resource {
  const { group, scope } = crd.spec;
  const accepted = crd.status?.acceptedNames;
  const names = { ...crd.spec.names, ...(accepted?.plural && accepted) };
  const schemas = new Map(
    crd.spec.versions.map(
      ({ name, schema }) => [name, validatorOf(schema?.openAPIV3Schema ?? permissive)] as const,
    ),
  );
  const storageVersion = crd.spec.versions.find(({ storage }) => storage)!.name;
  const versions = new CustomVersions(crd, schemas, convert);
  return {
    group,
    plural: names.plural,
    kind: names.kind,
    singular: names.singular ?? names.kind.toLowerCase(),
    listKind: names.listKind ?? `${names.kind}List`,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: scope === "Namespaced",
    verbs,
    versions: crd.spec.versions.filter(({ served }) => served).map((version) => versionOf(crd, version)),
    unserved: crd.spec.versions.filter(({ served }) => !served).map((version) => versionOf(crd, version)),
    storageVersion,
    storageVersionHash: hashOf(`${group}/${storageVersion}/${names.kind}`),
    collection,
    strategy: customStrategy(crd, schemas, isTerminating),
    subresources: new Map(crd.spec.versions.flatMap((version) => [...subresourcesOf(version)])),
    custom: true,
    renamesVersions: crd.spec.conversion?.strategy !== "Webhook",
    present: (entry, version) => versions.present(entry, version),
    presentAll: (entries, version) => versions.presentAll(entries, version),
    convert: (object, version) => versions.convert(object, version),
  };
}

/** The storage version hash of discovery. */
function hashOf(text: string): string {
  return createHash("sha256").update(text).digest().subarray(0, 8).toString("base64");
}

const permissive: JSONSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function versionOf(crd: CustomResourceDefinition, version: CRDVersion): ResourceVersion {
  const { scale } = version.subresources ?? {};
  return {
    name: version.name,
    ...(version.deprecated && { deprecation: version.deprecationWarning ?? deprecationOf(crd, version) }),
    schema: schemaOf(version),
    columns: customColumns(version),
    subresources: subresourcesOf(version),
    ...(scale && { scale: scalePaths(scale) }),
  };
}

/** Names the version of the highest priority that is better than the deprecated one. */
function deprecationOf(
  { spec: { group, names, versions } }: CustomResourceDefinition,
  { name }: CRDVersion,
): string {
  const [better] = versions
    .filter((other) => other.served && !other.deprecated && compareVersions(other.name, name) < 0)
    .map((other) => other.name)
    .toSorted(compareVersions);
  const use = better === undefined ? "" : `; use ${group}/${better} ${names.kind}`;
  return `${group}/${name} ${names.kind} is deprecated${use}`;
}

function schemaOf({ schema }: CRDVersion): ObjectSchema {
  const root = schema?.openAPIV3Schema ?? permissive;
  const compiled: CompiledSchema = validatorOf(root);
  return {
    compiled,
    node: objectNode(root),
    unknownFields(object) {
      const inMetadata = unknownMetadata(object as ApiObject);
      const { unknown, malformed } = compiled.prune(object);
      if (malformed) throw new DecodeError(formatFieldError(malformed));
      return [...inMetadata, ...unknown];
    },
  };
}

const validators = new WeakMap<JSONSchema, Validator>();

/**
 * The validator of a stored schema, which never changes. Compiling takes long, and a CRD is served again whenever its
 * conditions change, and by each cluster that starts from the state of another.
 */
function validatorOf(schema: JSONSchema): Validator {
  let validator = validators.get(schema);
  if (!validator) validators.set(schema, (validator = compileValidator(schema)));
  return validator;
}

function unknownMetadata({ metadata }: ApiObject): readonly string[] {
  try {
    return decodeMetadata(metadata ?? {}, "metadata").unknown;
  } catch (error) {
    throw error instanceof MalformedMetadataError ? new DecodeError(error.message) : error;
  }
}

const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" };

/** In a CRD these paths begin with a dot. */
function scalePaths(scale: NonNullable<NonNullable<CRDVersion["subresources"]>["scale"]>): ScalePaths {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  return {
    spec: specReplicasPath.slice(1),
    status: statusReplicasPath.slice(1),
    ...(labelSelectorPath && { selector: labelSelectorPath.slice(1) }),
    problem: (object) => scaleProblem(object, scale),
  };
}

function subresourcesOf(version: CRDVersion): Map<string, SubresourceInfo> {
  const found = new Map<string, SubresourceInfo>();
  const { status, scale } = version.subresources ?? {};
  if (status) found.set("status", { verbs: ["get", "patch", "update"] });
  if (scale) found.set("scale", { verbs: ["get", "patch", "update"], body: scaleKind });
  return found;
}
