import {
  type FieldError,
  forbidden,
  formatFieldError,
  invalid,
  required,
  tooLong,
} from "@tsbuilder/apimachinery/errors";
import { type OwnerReference, isApiVersion } from "@tsbuilder/apimachinery/meta";
import {
  checkLabel,
  checkLabelValue,
  checkQualifiedName,
  checkSubdomain,
} from "@tsbuilder/apimachinery/naming";
import type { ApiObject } from "../contract/api-object.ts";
import { servesSince } from "../contract/version.ts";
import type { MetadataCheck, Resource, Strategy } from "./resource.ts";

/** Returns the errors as the server lists them: since 1.37, one that several rules of a built-in kind find is there once. */
export function listedErrors(errors: readonly FieldError[], { custom }: Resource): readonly FieldError[] {
  if (custom || !servesSince("1.37")) return errors;
  return [...new Map(errors.map((error) => [`${error.field} ${formatFieldError(error)}`, error])).values()];
}

/** Validates the metadata of a new object by the checks of its kind. */
export function validateNewMetadata(object: ApiObject, resource: Resource): FieldError[] {
  const { metadataChecks } = resource.strategy;
  return metadataChecks.create.flatMap((check) => runCheck(check, object, object, resource));
}

/** Validates the metadata of a new object as the registry does for every kind, if the kind has found no errors. */
export function validateAnyMetadata(object: ApiObject, resource: Resource): FieldError[] {
  return checkAsNew(object, resource, pathSegmentName);
}

/** The rule for most kinds: a DNS subdomain of at most 253 characters. */
export function subdomainName(name: string, prefix: boolean): string[] {
  return checkSubdomain(withSuffix(name, prefix));
}

/** The rule for kinds with declarative validation: a DNS subdomain, where `generateName` is not checked. */
export function declaredSubdomainName(name: string, prefix: boolean): string[] {
  return prefix ? [] : checkSubdomain(name);
}

/** The rule for namespaces: a DNS label. */
export function labelName(name: string, prefix: boolean): string[] {
  const whole = withSuffix(name, prefix);
  if (name.includes(".") && checkSubdomain(whole).length === 0) return ["must not contain dots"];
  return checkLabel(whole);
}

/** The rule for RBAC and for every kind at least: a segment of a URL path. */
export function pathSegmentName(name: string, prefix: boolean): string[] {
  if (!prefix && (name === "." || name === "..")) return [`may not be '${name}'`];
  return ["/", "%"].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`);
}

/** A prefix for generateName may end with a dash: the suffix follows it. */
function withSuffix(name: string, prefix: boolean): string {
  return prefix && name.endsWith("-") ? `${name.slice(0, -1)}a` : name;
}

/** Validates the metadata of an update: first as for every kind, then by the checks of the kind. */
export function validateUpdatedMetadata(
  object: ApiObject,
  old: ApiObject,
  resource: Resource,
  subresource: string,
): FieldError[] {
  const { metadataChecks } = resource.strategy;
  const checks = subresource === "status" ? metadataChecks.status : metadataChecks.update;
  return [
    ...validateAnyMetadata(object, resource),
    ...checkAsUpdate(object, old),
    ...checks.flatMap((check) => runCheck(check, object, old, resource)),
  ];
}

/** Runs one of a kind's checks; for `new`, `old` is not used. */
export function runCheck(
  check: MetadataCheck,
  object: ApiObject,
  old: ApiObject,
  resource: Resource,
): readonly FieldError[] {
  const { metadataChecks, validateName } = resource.strategy;
  const { finalizers } = object.metadata;
  return [
    ...(check === "new" ? checkAsNew(object, resource, validateName) : checkAsUpdate(object, old)),
    ...(metadataChecks.qualifiedFinalizers ? checkQualifiedFinalizers(finalizers) : []),
  ];
}

function checkAsNew(
  object: ApiObject,
  { namespaced }: Resource,
  validateName: Strategy["validateName"],
): FieldError[] {
  const { metadata } = object;
  return [
    ...checkNames(object, validateName),
    ...(!namespaced && metadata.namespace
      ? [forbidden("metadata.namespace", "not allowed on this type")]
      : []),
    ...((metadata.generation ?? 0) < 0
      ? [invalid("metadata.generation", metadata.generation, "must be greater than or equal to 0")]
      : []),
    ...checkDescriptions(metadata),
    ...checkFinalizers(metadata.finalizers),
  ];
}

function checkAsUpdate({ metadata }: ApiObject, old: ApiObject): FieldError[] {
  return [...checkImmutable(metadata, old.metadata), ...checkDescriptions(metadata)];
}

type Metadata = ApiObject["metadata"];

/** Checks labels, annotations and owner references, as every validation of metadata does. */
function checkDescriptions({ labels, annotations, ownerReferences }: Metadata): FieldError[] {
  return [...checkLabels(labels), ...checkAnnotations(annotations), ...checkOwners(ownerReferences)];
}

function checkLabels(labels: Metadata["labels"]): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels ?? {})) {
    for (const detail of checkQualifiedName(key)) errors.push(invalid("metadata.labels", key, detail));
    for (const detail of checkLabelValue(value)) errors.push(invalid("metadata.labels", value, detail));
  }
  return errors;
}

const annotationsLimit = 256 * 1024;

/** Validates the keys of annotations, and the size of all together. */
export function checkAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  field = "metadata.annotations",
): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
    for (const detail of checkQualifiedName(key.toLowerCase())) {
      errors.push(invalid(field, key, detail));
    }
  }
  if (size > annotationsLimit) errors.push(tooLong(field, annotationsLimit));
  return errors;
}

function checkOwners(references: Metadata["ownerReferences"]): FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  const isIndexed = servesSince("1.37");
  for (const [index, reference] of (references ?? []).entries()) {
    const list = "metadata.ownerReferences";
    const field = isIndexed ? `${list}[${index}]` : list;
    const { apiVersion } = reference;
    if (!isApiVersion(apiVersion) && (apiVersion || !isIndexed)) {
      const detail = isIndexed ? "must be <group>/<version> or <version>" : "version must not be empty";
      errors.push(invalid(`${field}.apiVersion`, apiVersion, detail));
    }
    for (const name of isIndexed ? ownerFields : ownerFields.slice(1))
      if (!reference[name]) errors.push(missingOwnerField(`${field}.${name}`, isIndexed));
    if (reference.kind === "Event" && /^\/?v1$/.test(apiVersion)) {
      const detail = "/v1, Kind=Event is disallowed from being an owner";
      errors.push(invalidReferences(field, orderFields(reference), detail));
    }
    if (reference.controller !== true) continue;
    if (controller !== undefined) {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${reference.kind}/${reference.name}`;
      errors.push(invalidReferences(list, references!.map(orderFields), detail));
    } else controller = `${reference.kind}/${reference.name}`;
  }
  return errors;
}

const ownerFields = ["apiVersion", "kind", "name", "uid"] as const;

function missingOwnerField(field: string, isRequired: boolean): FieldError {
  const detail = "must not be empty";
  return isRequired ? required(field, detail) : invalid(field, "", detail);
}

/** An error about an object, which the message shows with its fields in Go's order. */
function invalidReferences(field: string, value: unknown, detail: string): FieldError {
  const body = `Invalid value: ${JSON.stringify(value)}: ${detail}`;
  return { reason: "FieldValueInvalid", field, badValue: value, detail, body };
}

/** The fields of an owner reference as Go declares them. */
const referenceFields = ["apiVersion", "kind", "name", "uid", "controller", "blockOwnerDeletion"] as const;

function orderFields(reference: OwnerReference): object {
  const present = referenceFields.filter((field) => reference[field] !== undefined);
  return Object.fromEntries(present.map((field) => [field, reference[field]]));
}

/** Checks the names of finalizers, and that no two of them contradict each other. */
function checkFinalizers(finalizers: readonly string[] = []): FieldError[] {
  const errors = finalizers.flatMap((finalizer) =>
    checkQualifiedName(finalizer).map((detail) => invalid("metadata.finalizers", finalizer, detail)),
  );
  if (finalizers.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    const detail = "finalizer orphan and foregroundDeletion cannot be both set";
    errors.push(invalid("metadata.finalizers", finalizers, detail));
  }
  return errors;
}

const standardFinalizers = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

/** Checks that finalizers are standard or have a domain, as most built-in kinds require. */
function checkQualifiedFinalizers(finalizers: readonly string[] = []): FieldError[] {
  return [...finalizers.entries()].flatMap(([index, finalizer]) => {
    if (finalizer.includes("/") || standardFinalizers.has(finalizer)) return [];
    const detail = "name is neither a standard finalizer name nor is it fully qualified";
    return [invalid(`metadata.finalizers[${index}]`, finalizer, detail)];
  });
}

const deletionFields = ["deletionTimestamp", "deletionGracePeriodSeconds"] as const;
const immutableFields = ["name", "namespace", "uid", ...deletionFields] as const;

/** Checks metadata that an update must not change. */
function checkImmutable(metadata: Metadata, before: Metadata): FieldError[] {
  const errors: FieldError[] = [];
  const added = (metadata.finalizers ?? []).filter((finalizer) => !before.finalizers?.includes(finalizer));
  if (before.deletionTimestamp && added.length > 0) {
    const shown = [...new Set(added)].toSorted().map((finalizer) => JSON.stringify(finalizer));
    const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${shown.join(", ")}}`;
    errors.push(forbidden("metadata.finalizers", detail));
  }
  for (const field of immutableFields) {
    if ((metadata[field] ?? "") !== (before[field] ?? "")) {
      errors.push(invalid(`metadata.${field}`, metadata[field] ?? "", "field is immutable"));
    }
  }
  return errors;
}

/** Checks the parts of a name by the rule of its kind. */
function checkNames(object: ApiObject, validateName: Strategy["validateName"]): FieldError[] {
  const { name, generateName } = object.metadata;
  const errors: FieldError[] = [];
  for (const detail of generateName ? validateName(generateName, true, object) : []) {
    errors.push(invalid("metadata.generateName", generateName, detail));
  }
  if (!name) errors.push(required("metadata.name", "name or generateName is required"));
  else
    for (const detail of validateName(name, false, object))
      errors.push(invalid("metadata.name", name, detail));
  return errors;
}
