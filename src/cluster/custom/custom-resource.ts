import { createHash } from "node:crypto";
import type { Validator } from "@tsbuilder/apimachinery/cel";
import type { CRDVersion } from "@tsbuilder/apimachinery/crd";
import { type FieldError, formatFieldError, invalid } from "@tsbuilder/apimachinery/errors";
import { type JSONValue, isEqual, isObject } from "@tsbuilder/apimachinery/json";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { checkQualifiedName, compareVersions } from "@tsbuilder/apimachinery/naming";
import { MalformedMetadataError, decodeMetadata } from "@tsbuilder/apimachinery/schema";
import { goText } from "@tsbuilder/apimachinery/text";
import { type ApiObject, replaceFields } from "../contract/api-object.ts";
import type { Collection } from "../storage/collection.ts";
import type { Resource, ResourceVersion, Strategy, SubresourceInfo } from "../registry/resource.ts";
import type { CustomResourceDefinition } from "../kinds/apiextensions/custom-resource-definition.ts";
import { type ConvertObjects, CustomVersions } from "./custom-versions.ts";
import { defaultStrategy, resetStatus } from "../registry/default-strategy.ts";
import { badRequest, forbidden, invalidObject } from "../contract/status-error.ts";
import { customColumns, selectableFields } from "./custom-columns.ts";
import { permissive, schemaOf, validatorOf } from "./custom-schema.ts";

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
