import { type FieldError, forbidden, invalid, required, tooLong } from "@tsbuilder/apimachinery/errors";
import { randomInt, randomUUID } from "node:crypto";
import { type OwnerReference, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { checkLabelValue, checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { ApiObject } from "../contract/api-object.ts";
import type { Resource } from "./resource.ts";

/** Sets the metadata of a new object that only the server may set. */
export function setSystemMetadata(object: ApiObject, resource: Resource, now: number): void {
  const { metadata } = object;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
  metadata.uid = randomUUID();
  metadata.creationTimestamp = formatTime(now);
  if (resource.strategy.generation) metadata.generation = 1;
}

const suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Generates a name: at most 58 characters of the prefix and five random ones without vowels. */
export function generateName(prefix: string): string {
  let name = prefix.slice(0, 58);
  for (let index = 0; index < 5; index++) name += suffixAlphabet[randomInt(suffixAlphabet.length)];
  return name;
}

/** Copies metadata that an update can't change from the stored object if the update omits it. */
export function carryOverMetadata(object: ApiObject, old: ApiObject): void {
  const { metadata } = object;
  const before = old.metadata;
  metadata.uid ||= before.uid!;
  metadata.creationTimestamp = before.creationTimestamp!;
  if (before.generation === undefined) delete metadata.generation;
  else metadata.generation = before.generation;
  if (before.deletionTimestamp !== undefined) metadata.deletionTimestamp = before.deletionTimestamp;
  if (before.deletionGracePeriodSeconds !== undefined)
    metadata.deletionGracePeriodSeconds ??= before.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/** Validates the metadata of a new object. */
export function validateNewMetadata(object: ApiObject, resource: Resource): FieldError[] {
  const { metadata } = object;
  const errors: FieldError[] = [];
  const { validateName } = resource.strategy;
  if (metadata.generateName) {
    for (const detail of validateName(metadata.generateName, true)) {
      errors.push(invalid("metadata.generateName", metadata.generateName, detail));
    }
  }
  if (!metadata.name) {
    errors.push(required("metadata.name", "name or generateName is required"));
  } else {
    for (const detail of validateName(metadata.name, false)) {
      errors.push(invalid("metadata.name", metadata.name, detail));
    }
  }
  if (!resource.namespaced && metadata.namespace) {
    errors.push(forbidden("metadata.namespace", "not allowed on this type"));
  }
  return [...errors, ...validateCommonMetadata(object)];
}

const immutableFields = [
  "name",
  "namespace",
  "uid",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
] as const;

/** Validates the metadata of an update against the stored object. */
export function validateUpdatedMetadata(object: ApiObject, old: ApiObject): FieldError[] {
  const { metadata } = object;
  const before = old.metadata;
  const errors: FieldError[] = [];
  for (const finalizer of metadata.finalizers ?? []) {
    if (before.deletionTimestamp && !before.finalizers?.includes(finalizer)) {
      const added = metadata.finalizers!.filter((each) => !before.finalizers?.includes(each));
      const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((each) => JSON.stringify(each)).join(", ")}}`;
      errors.push(forbidden("metadata.finalizers", detail));
      break;
    }
  }
  for (const field of immutableFields) {
    if ((metadata[field] ?? "") !== (before[field] ?? "")) {
      errors.push(invalid(`metadata.${field}`, metadata[field] ?? "", "field is immutable"));
    }
  }
  // The real server validates metadata twice, for all kinds and for each kind, so its causes list every error twice.
  const common = validateCommonMetadata(object);
  const all = [...errors, ...common, ...common];
  return [...all, ...all];
}

function validateCommonMetadata({ metadata }: ApiObject): FieldError[] {
  return [
    ...validateLabels(metadata.labels, "metadata.labels"),
    ...validateAnnotations(metadata.annotations),
    ...validateOwnerReferences(metadata.ownerReferences),
    ...validateFinalizers(metadata.finalizers),
  ];
}

/** Validates labels. Pod templates and selectors have the same rules. */
export function validateLabels(labels: Record<string, unknown> | undefined, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels ?? {})) {
    for (const detail of checkQualifiedName(key)) errors.push(invalid(field, key, detail));
    for (const detail of checkLabelValue(String(value))) errors.push(invalid(field, value, detail));
  }
  return errors;
}

const annotationsLimit = 256 * 1024;

function validateAnnotations(annotations: Record<string, string> | undefined): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
    for (const detail of checkQualifiedName(key.toLowerCase())) {
      errors.push(invalid("metadata.annotations", key, detail));
    }
  }
  if (size > annotationsLimit) errors.push(tooLong("metadata.annotations", annotationsLimit));
  return errors;
}

function validateOwnerReferences(references: ApiObject["metadata"]["ownerReferences"]): FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const reference of references ?? []) {
    const field = "metadata.ownerReferences";
    if (!reference.apiVersion) errors.push(invalid(`${field}.apiVersion`, "", "version must not be empty"));
    if (!reference.kind) errors.push(invalid(`${field}.kind`, "", "must not be empty"));
    if (!reference.name) errors.push(invalid(`${field}.name`, "", "must not be empty"));
    if (!reference.uid) errors.push(invalid(`${field}.uid`, "", "must not be empty"));
    if (reference.kind === "Event" && /^(events\.k8s\.io\/)?v1$/.test(reference.apiVersion)) {
      const { group, version } = parseApiVersion(reference.apiVersion);
      const detail = `${group}/${version}, Kind=Event is disallowed from being an owner`;
      errors.push(invalidJSON(field, inGoOrder(reference), detail));
    }
    if (reference.controller !== true) continue;
    if (controller !== undefined) {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${reference.kind}/${reference.name}`;
      errors.push(invalidJSON(field, references!.map(inGoOrder), detail));
    } else controller = `${reference.kind}/${reference.name}`;
  }
  return errors;
}

/** An error about an object, which the message shows with its fields in Go's order. */
export function invalidJSON(field: string, value: unknown, detail: string): FieldError {
  const body = `Invalid value: ${JSON.stringify(value)}: ${detail}`;
  return { reason: "FieldValueInvalid", field, badValue: value, detail, body };
}

/** Orders the fields of an owner reference as Go declares them. */
function inGoOrder({
  apiVersion,
  kind,
  name,
  uid,
  controller,
  blockOwnerDeletion,
}: OwnerReference): OwnerReference {
  return {
    apiVersion,
    kind,
    name,
    uid,
    ...(controller !== undefined && { controller }),
    ...(blockOwnerDeletion !== undefined && { blockOwnerDeletion }),
  };
}

const standardFinalizers = new Set(["orphan", "foregroundDeletion", "kubernetes"]);

function validateFinalizers(finalizers: readonly string[] | undefined): FieldError[] {
  const errors: FieldError[] = [];
  for (const [index, finalizer] of (finalizers ?? []).entries()) {
    const problems = checkQualifiedName(finalizer);
    for (const detail of problems) errors.push(invalid("metadata.finalizers", finalizer, detail));
    if (finalizer.includes("/") || standardFinalizers.has(finalizer)) continue;
    const detail = "name is neither a standard finalizer name nor is it fully qualified";
    errors.push(invalid(`metadata.finalizers[${index}]`, finalizer, detail));
  }
  if (finalizers?.includes("orphan") && finalizers.includes("foregroundDeletion")) {
    errors.push(
      invalid(
        "metadata.finalizers",
        finalizers,
        "finalizer orphan and foregroundDeletion cannot be both set",
      ),
    );
  }
  return errors;
}
