import { createHash } from "node:crypto";
import { type Validator, compileValidator } from "@tsbuilder/apimachinery/cel";
import type { CRDVersion, PrinterColumn } from "@tsbuilder/apimachinery/crd";
import { type FieldError, formatFieldError, invalid } from "@tsbuilder/apimachinery/errors";
import { type JSONValue, isEqual, isObject, readPath } from "@tsbuilder/apimachinery/json";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { checkQualifiedName, compareVersions } from "@tsbuilder/apimachinery/naming";
import type { CompiledSchema, JSONSchema } from "@tsbuilder/apimachinery/schema";
import { MalformedMetadataError, decodeMetadata } from "@tsbuilder/apimachinery/schema";
import { goText, formatAge } from "@tsbuilder/apimachinery/text";
import { type ApiObject, replaceFields } from "../contract/api-object.ts";
import type { Collection } from "../storage/collection.ts";
import type {
  Resource,
  ResourceVersion,
  Strategy,
  SubresourceInfo,
  Cell,
  TableColumns,
  ObjectSchema,
} from "../registry/resource.ts";
import type { CustomResourceDefinition } from "../kinds/apiextensions/custom-resource-definition.ts";
import { type ConvertObjects, CustomVersions } from "./custom-versions.ts";
import { defaultStrategy, resetStatus } from "../registry/default-strategy.ts";
import { badRequest, forbidden, invalidObject } from "../contract/status-error.ts";
import { DecodeError } from "@tsbuilder/apimachinery/kinds";
import type { SchemaNode } from "@tsbuilder/apimachinery/patch";

interface CustomResourceContext {
  readonly collection: Collection;
  readonly convert: ConvertObjects;
  /** Returns true if the CRD is being deleted: then no objects can be created. */
  readonly isTerminating: () => boolean;
}

const verbs = ["delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"] as const;

/** Makes the resource that a CRD defines. A changed CRD makes a new resource with the same collection. */
export function customResource(
  crd: CustomResourceDefinition,
  { collection, convert, isTerminating }: CustomResourceContext,
): Resource {
  const { group, scope } = crd.spec;
  const acceptedNames = crd.status?.acceptedNames;
  const names = { ...crd.spec.names, ...(acceptedNames?.plural && acceptedNames) };
  const schemas = new Map(
    crd.spec.versions.map(
      ({ name, schema }) => [name, validatorOf(schema?.openAPIV3Schema ?? permissive)] as const,
    ),
  );
  const storageVersion = crd.spec.versions.find(({ storage }) => storage)!.name;
  const versions = new CustomVersions(crd, schemas, convert);
  const hash = createHash("sha256").update(`${group}/${storageVersion}/${names.kind}`);
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
    storageVersionHash: hash.digest().subarray(0, 8).toString("base64"),
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

/** The warning about a deprecated version. It names the served version of the highest priority above it. */
function deprecationOf({ spec: { group, names, versions } }: CustomResourceDefinition, { name }: CRDVersion) {
  const [replacement] = versions
    .filter((other) => other.served && !other.deprecated && compareVersions(other.name, name) < 0)
    .map((other) => other.name)
    .toSorted(compareVersions);
  const advice = replacement === undefined ? "" : `; use ${group}/${replacement} ${names.kind}`;
  return `${group}/${name} ${names.kind} is deprecated${advice}`;
}

const scaleKind = { group: "autoscaling", version: "v1", kind: "Scale" };

function subresourcesOf(version: CRDVersion): Map<string, SubresourceInfo> {
  const subresources = new Map<string, SubresourceInfo>();
  const { status, scale } = version.subresources ?? {};
  if (status) subresources.set("status", { verbs: ["get", "patch", "update"] });
  if (scale) subresources.set("scale", { verbs: ["get", "patch", "update"], body: scaleKind });
  return subresources;
}

type ScaleSubresource = NonNullable<NonNullable<CRDVersion["subresources"]>["scale"]>;

/** The paths of a scale subresource without the dots with which they begin in a CRD. */
function scalePaths(scale: ScaleSubresource): NonNullable<ResourceVersion["scale"]> {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  return {
    spec: specReplicasPath.slice(1),
    status: statusReplicasPath.slice(1),
    ...(labelSelectorPath && { selector: labelSelectorPath.slice(1) }),
    // Another version may have stored a value of a wrong type.
    problem(object) {
      const details = validateScale(object, scale).map(({ detail }) => detail);
      return details.find((detail) => detail.includes(" accessor error: "));
    },
  };
}

function customStrategy(
  crd: CustomResourceDefinition,
  schemas: ReadonlyMap<string, Validator>,
  isTerminating: () => boolean,
): Strategy {
  const versionsWithStatus = crd.spec.versions.filter(({ subresources }) => subresources?.status);
  const withStatus = new Set(versionsWithStatus.map(({ name }) => name));
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
      // Removes defaults of the status, which are shown, but not stored.
      if (hasStatus(object)) resetStatus(object, undefined, "");
      if (!isTerminating()) return;
      const { group, names } = crd.spec;
      const why = "create not allowed while custom resource definition is terminating";
      throw forbidden({ group, ...names }, object.metadata.name ?? "", why);
    },
    default(object, context) {
      const schema = schemaFor(context);
      object.metadata = decodedMetadata(object);
      const nulls = { keepNulls: context.applied === true };
      replaceFields(object, schema.applyDefaults(schema.prune(object, nulls).object, nulls));
    },
    validate(object, context) {
      checkKind(crd, object, object.metadata.name ?? "");
      // As on the real server, an object without a name is not validated by rules.
      const blocked = !object.metadata.name;
      const beforeRules = validateScale(object, scaleFor(context));
      return schemaFor(context).validate(object, { blocked, beforeRules });
    },
    validateUpdate(object, old, context) {
      checkKind(crd, object, context.name);
      const schema = schemaFor(context);
      const onRatcheted = (error: FieldError): void => context.warn(formatFieldError(error));
      const isStatus = context.subresource === "status";
      const beforeRules = validateScale(object, scaleFor(context), isStatus);
      return isStatus
        ? schema.validateStatus(object, old, { onRatcheted, beforeRules })
        : schema.validate(object, { old, onRatcheted, beforeRules });
    },
  };
}

/** Refuses an object of another kind, before further validation. */
function checkKind({ spec }: CustomResourceDefinition, { kind }: ApiObject, name: string): void {
  if (kind === spec.names.kind) return;
  const subject = { group: spec.group, plural: spec.names.plural, kind };
  throw invalidObject(subject, name, [invalid("kind", kind, `must be ${spec.names.kind}`)]);
}

/** The content, whose changes increment the generation: all fields but metadata, and status if it is a subresource. */
function contentOf(object: ApiObject, hasStatus: boolean): object {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...rest } = object;
  if (hasStatus) delete rest["status"];
  return rest;
}

/** Decodes metadata again after admission: webhooks may have added metadata that can't be decoded. */
function decodedMetadata({ metadata }: ApiObject): ApiObject["metadata"] {
  try {
    return decodeMetadata(metadata, "metadata").metadata;
  } catch (error) {
    throw error instanceof MalformedMetadataError ? badRequest(error.message) : error;
  }
}

/** The finalizers of Kubernetes itself that have no domain. */
const standardFinalizers = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

/** Warnings about new finalizers without a domain: custom resources accept them, most built-in kinds do not. */
function* warnOfFinalizers({ metadata }: ApiObject, old: ApiObject | undefined): Generator<string> {
  const oldFinalizers = new Set(old?.metadata.finalizers);
  const added = new Set((metadata.finalizers ?? []).filter((finalizer) => !oldFinalizers.has(finalizer)));
  for (const finalizer of [...added].toSorted()) {
    const subject = `metadata.finalizers: ${JSON.stringify(finalizer)}`;
    for (const detail of checkQualifiedName(finalizer)) yield `${subject}: ${detail}`;
    if (finalizer.includes("/") || standardFinalizers.has(finalizer)) continue;
    const form = finalizer.includes(".") ? "name including a path (/)" : "name";
    yield `${subject}: prefer a domain-qualified finalizer ${form} to avoid accidental conflicts with other finalizer writers`;
  }
}

/**
 * Validates a scale subresource: replicas are non-negative integers of 32 bits, the selector is a string. Writes to
 * `/status` validate the fields of the status alone.
 */
export function validateScale(
  object: ApiObject,
  scale: ScaleSubresource | undefined,
  isStatus = false,
): FieldError[] {
  if (!scale) return [];
  return [
    ...(isStatus ? [] : checkReplicas(object, scale.specReplicasPath)),
    ...checkReplicas(object, scale.statusReplicasPath),
    ...(scale.labelSelectorPath ? checkSelector(object, scale.labelSelectorPath) : []),
  ];
}

const maxReplicas = 2 ** 31 - 1;

function checkReplicas(object: ApiObject, path: string): FieldError[] {
  const found = readNested(object, path);
  if ("parent" in found) return [wrongParent(path, found, 0)];
  const { value } = found;
  if (value === undefined) return [];
  if (typeof value !== "number" || !Number.isInteger(value))
    return [invalid(path, 0, accessorError(path, value, "int64"))];
  if (value < 0) return [invalid(path, value, "should be a non-negative integer")];
  return value > maxReplicas ? [invalid(path, value, `should be less than or equal to ${maxReplicas}`)] : [];
}

function checkSelector(object: ApiObject, path: string): FieldError[] {
  const found = readNested(object, path);
  if ("parent" in found) return [wrongParent(path, found, "")];
  const { value } = found;
  if (value === undefined || typeof value === "string") return [];
  return [invalid(path, "", accessorError(path, value, "string"))];
}

/** A value on the path to a field that is not an object. */
interface WrongParent {
  readonly parent: unknown;
  /** The path of the field that the value should have. */
  readonly fieldPath: string;
}

/** Reads a field by its path; null counts as absent. */
function readNested(object: ApiObject, path: string): { readonly value: unknown } | WrongParent {
  let value: unknown = object;
  let fieldPath = "";
  for (const field of path.slice(1).split(".")) {
    fieldPath += `.${field}`;
    if (value === undefined || value === null) return { value: undefined };
    if (!isObject(value)) return { parent: value, fieldPath };
    value = (value as Record<string, unknown>)[field];
  }
  return { value: value ?? undefined };
}

function wrongParent(path: string, { parent, fieldPath }: WrongParent, zero: number | string): FieldError {
  return invalid(path, zero, accessorError(fieldPath, parent, "map[string]interface{}"));
}

/** The error of Go's accessors for unstructured objects. */
function accessorError(path: string, value: unknown, expected: string): string {
  return `${path} accessor error: ${goText(value as JSONValue)} is of the type ${goTypeOf(value)}, expected ${expected}`;
}

function goTypeOf(value: unknown): string {
  if (Array.isArray(value)) return "[]interface {}";
  if (typeof value === "object") return "map[string]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : typeof value;
}

const nameDescription = "Name of the object, unique among those of its kind in a namespace.";
const ageColumn: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/** The columns of a CRD version: the name, then its `additionalPrinterColumns`; without any, the age. */
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
      ...columns.map((column) => readCell(column, object, now)),
    ],
  };
}

function readCell({ type, jsonPath }: PrinterColumn, object: ApiObject, now: number): Cell {
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
      return values.map(textOf).join(",");
  }
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

/** Formats a selected value. Lists and objects, which only another version can have stored, are compared as JSON. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The schema of a version without one: it accepts any object. */
const permissive: JSONSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** Makes the schema of a CRD version for decoding, patches and managed fields. */
function schemaOf({ schema }: CRDVersion): ObjectSchema {
  const root = schema?.openAPIV3Schema ?? permissive;
  const compiled: CompiledSchema = validatorOf(root);
  return {
    compiled,
    node: addObjectMeta(addEmbeddedMeta(root)),
    unknownFields(object) {
      const inMetadata = unknownMetadata(object as ApiObject);
      const { unknown, malformed } = compiled.prune(object);
      if (malformed) throw new DecodeError(formatFieldError(malformed));
      return [...inMetadata, ...unknown];
    },
  };
}

function unknownMetadata({ metadata }: ApiObject): readonly string[] {
  try {
    return decodeMetadata(metadata ?? {}, "metadata").unknown;
  } catch (error) {
    throw error instanceof MalformedMetadataError ? new DecodeError(error.message) : error;
  }
}

const validators = new WeakMap<JSONSchema, Validator>();

/**
 * Returns the validator of a stored schema, which never changes. It is compiled once: a CRD is served again whenever its
 * conditions change, and by each cluster that starts from the state of another.
 */
function validatorOf(schema: JSONSchema): Validator {
  let validator = validators.get(schema);
  if (!validator) validators.set(schema, (validator = compileValidator(schema)));
  return validator;
}

const typeMeta = { apiVersion: { type: "string" }, kind: { type: "string" } };
const string: SchemaNode = { type: "string" };
const stringMap: SchemaNode = { type: "object", additionalProperties: string };

/** The schema of metadata, for patches and managed fields. */
const objectMetaNode: SchemaNode = {
  type: "object",
  properties: {
    annotations: stringMap,
    creationTimestamp: string,
    deletionGracePeriodSeconds: { type: "integer" },
    deletionTimestamp: string,
    finalizers: {
      type: "array",
      items: string,
      "x-kubernetes-list-type": "set",
      "x-kubernetes-patch-strategy": "merge",
    },
    generateName: string,
    generation: { type: "integer" },
    labels: stringMap,
    managedFields: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "atomic" },
    name: string,
    namespace: string,
    ownerReferences: {
      type: "array",
      items: {
        type: "object",
        "x-kubernetes-map-type": "atomic",
        properties: {
          apiVersion: string,
          blockOwnerDeletion: { type: "boolean" },
          controller: { type: "boolean" },
          kind: string,
          name: string,
          uid: { type: "string", default: "" },
        },
      },
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["uid"],
      "x-kubernetes-patch-merge-key": "uid",
      "x-kubernetes-patch-strategy": "merge",
    },
    resourceVersion: string,
    selfLink: string,
    uid: string,
  },
};

/** Adds the fields that objects and embedded resources have even if their schema does not declare them. */
function addObjectMeta(node: SchemaNode): SchemaNode {
  return { ...node, properties: { ...typeMeta, ...node.properties, metadata: objectMetaNode } };
}

/** Applies `addObjectMeta` to the embedded resources in a schema; returns the same schema if it has none. */
function addEmbeddedMeta(schema: JSONSchema): SchemaNode {
  const { properties = {}, items, additionalProperties } = schema;
  const changes: Record<string, unknown> = {};
  const fields = Object.entries(properties).map(([name, field]) => [name, addEmbeddedMeta(field)] as const);
  if (fields.some(([name, field]) => field !== properties[name]))
    changes["properties"] = Object.fromEntries(fields);
  for (const [name, inner] of Object.entries({ items, additionalProperties })) {
    const node = isObject(inner) ? addEmbeddedMeta(inner) : inner;
    if (node !== inner) changes[name] = node;
  }
  const isSame = Object.keys(changes).length === 0;
  const node = (isSame ? schema : { ...schema, ...changes }) as SchemaNode;
  return schema["x-kubernetes-embedded-resource"] ? addObjectMeta(node) : node;
}
