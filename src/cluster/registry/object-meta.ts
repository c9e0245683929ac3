import { randomInt, randomUUID } from "node:crypto";
import { type FieldError, forbidden, invalid, required, tooLong } from "@tsbuilder/apimachinery/schema";
import type { ApiObject } from "../storage/api-object.ts";
import type { Resource } from "./resource.ts";

/** Fills in what only the server may say about a new object. */
export function stampNewObject(object: ApiObject, resource: Resource, now: Date): void {
  const { metadata } = object;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
  delete metadata.resourceVersion;
  delete metadata.generation;
  metadata.uid = randomUUID();
  metadata.creationTimestamp = formatTime(now);
  if (resource.strategy.generation) metadata.generation = 1;
}

const suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";

/** Makes a name of a prefix: at most 58 characters of it, and five at random without vowels. */
export function generateName(prefix: string): string {
  let name = prefix.slice(0, 58);
  for (let index = 0; index < 5; index++) name += suffixAlphabet[randomInt(suffixAlphabet.length)];
  return name;
}

/** Times in metadata have seconds, no fraction. */
export function formatTime(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

/** The fields of stored metadata that an update can't change are taken over where the update leaves them out. */
export function carryOverMetadata(object: ApiObject, old: ApiObject): void {
  const { metadata } = object;
  const before = old.metadata;
  metadata.uid ??= before.uid!;
  metadata.creationTimestamp = before.creationTimestamp!;
  for (const field of serverFields) {
    if (before[field] === undefined) delete metadata[field];
    else Object.assign(metadata, { [field]: before[field] });
  }
  delete metadata.selfLink;
}

const serverFields = ["generation", "deletionTimestamp", "deletionGracePeriodSeconds"] as const;

/** Checks the metadata of an object about to be created. */
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

/** Checks the metadata of an update against the stored object. */
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
  for (const field of ["name", "namespace", "uid"] as const) {
    if ((metadata[field] ?? "") !== (before[field] ?? "")) {
      errors.push(invalid(`metadata.${field}`, metadata[field] ?? "", "field is immutable"));
    }
  }
  return [...errors, ...validateCommonMetadata(object)];
}

function validateCommonMetadata({ metadata }: ApiObject): FieldError[] {
  return [
    ...validateLabels(metadata.labels, "metadata.labels"),
    ...validateAnnotations(metadata.annotations),
    ...validateOwnerReferences(metadata.ownerReferences),
    ...validateFinalizers(metadata.finalizers),
  ];
}

const qualifiedNameDetail =
  "name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueDetail =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const subdomainDetail =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/** Checks a map of labels; Pod templates and selectors use the same rules. */
export function validateLabels(labels: Record<string, unknown> | undefined, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [key, value] of Object.entries(labels ?? {})) {
    for (const detail of labelKeyProblems(key)) errors.push(invalid(field, key, detail));
    for (const detail of labelValueProblems(String(value))) errors.push(invalid(field, value, detail));
  }
  return errors;
}

/** What is wrong with a label's key: an optional DNS prefix, a slash, a name. */
export function labelKeyProblems(key: string): string[] {
  const parts = key.split("/");
  const problems: string[] = [];
  if (parts.length > 2) {
    return [
      "a valid label key must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]') with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')",
    ];
  }
  const [prefix, name] = parts.length === 2 ? [parts[0]!, parts[1]!] : [undefined, parts[0]!];
  if (prefix !== undefined) {
    if (prefix === "") problems.push("prefix part must be non-empty");
    else if (prefix.length > 253) problems.push("prefix part must be no more than 253 bytes");
    else if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(prefix)) {
      problems.push(`prefix part ${subdomainDetail}`);
    }
  }
  if (name === "") problems.push("name part must be non-empty");
  else if (name.length > 63) problems.push("name part must be no more than 63 bytes");
  if (!/^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/.test(name)) problems.push(qualifiedNameDetail);
  return problems;
}

function labelValueProblems(value: string): string[] {
  const problems: string[] = [];
  if (value.length > 63) problems.push("must be no more than 63 bytes");
  if (!/^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/.test(value)) problems.push(labelValueDetail);
  return problems;
}

const annotationsLimit = 256 * 1024;

function validateAnnotations(annotations: Record<string, string> | undefined): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(annotations ?? {})) {
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
    for (const detail of labelKeyProblems(key.toLowerCase())) {
      errors.push(invalid("metadata.annotations", key, detail));
    }
  }
  if (size > annotationsLimit) errors.push(tooLong("metadata.annotations", annotationsLimit));
  return errors;
}

function validateOwnerReferences(references: ApiObject["metadata"]["ownerReferences"]): FieldError[] {
  const errors: FieldError[] = [];
  let controller: string | undefined;
  for (const [index, reference] of (references ?? []).entries()) {
    const field = `metadata.ownerReferences[${index}]`;
    if (!reference.apiVersion) errors.push(invalid(`${field}.apiVersion`, "", "version must not be empty"));
    if (!reference.kind) errors.push(invalid(`${field}.kind`, "", "must not be empty"));
    if (!reference.name) errors.push(invalid(`${field}.name`, "", "must not be empty"));
    if (!reference.uid) errors.push(invalid(`${field}.uid`, "", "must not be empty"));
    if (reference.controller !== true) continue;
    if (controller !== undefined) {
      const detail = `Only one reference can have Controller set to true. Found "true" in references for ${controller} and ${reference.kind}/${reference.name}`;
      errors.push(invalid("metadata.ownerReferences", references, detail));
    } else controller = `${reference.kind}/${reference.name}`;
  }
  return errors;
}

function validateFinalizers(finalizers: readonly string[] | undefined): FieldError[] {
  const errors: FieldError[] = [];
  for (const finalizer of finalizers ?? []) {
    for (const detail of labelKeyProblems(finalizer)) {
      errors.push(invalid("metadata.finalizers", finalizer, detail));
    }
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
