import { type JSONObject, isObject } from "../../json/index.ts";
import { type FieldError, invalid, joinPath, required } from "../../errors/index.ts";
import { checkLabel, checkLabel1035, checkLabelValue, checkQualifiedName } from "../../naming/index.ts";
import { type JSONSchema, itemsOf, memberSchema, valuesOf } from "../json-schema.ts";
import { MalformedMetadataError, decodeMetadata } from "./decode-metadata.ts";
import { isApiVersion } from "../../meta/index.ts";

/** Checks apiVersion, kind and metadata of embedded resources. */
export function checkEmbedded(value: unknown, schema: JSONSchema, path = ""): FieldError[] {
  const errors: FieldError[] = [];
  check(value, schema, path, errors);
  return errors;
}

/** Returns true if a schema has an embedded resource anywhere. */
export function hasEmbedded(schema: JSONSchema, seen = new Set<JSONSchema>()): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  if (schema["x-kubernetes-embedded-resource"]) return true;
  const children = [itemsOf(schema), valuesOf(schema), ...Object.values(schema.properties ?? {})];
  return children.some((child) => child !== undefined && hasEmbedded(child, seen));
}

function check(value: unknown, schema: JSONSchema, path: string, errors: FieldError[]): void {
  if (Array.isArray(value)) {
    const items = itemsOf(schema);
    if (items) value.forEach((item, index) => check(item, items, `${path}[${index}]`, errors));
    return;
  }
  if (!isObject(value)) return;
  if (schema["x-kubernetes-embedded-resource"]) checkResource(value, path, errors);
  for (const [key, item] of Object.entries(value)) {
    const child = memberSchema(schema, key);
    if (!child || typeof item !== "object" || item === null) continue;
    const isProperty = Object.hasOwn(schema.properties ?? {}, key);
    check(item, child, isProperty ? joinPath(path, key) : `${path}[${key}]`, errors);
  }
}

function checkResource(resource: JSONObject<unknown>, path: string, errors: FieldError[]): void {
  const { apiVersion, kind, metadata } = resource;
  if (apiVersion === undefined) errors.push(required(joinPath(path, "apiVersion")));
  if (kind === undefined) errors.push(required(joinPath(path, "kind")));
  if (apiVersion !== undefined) checkAPIVersion(apiVersion, joinPath(path, "apiVersion"), errors);
  if (kind !== undefined) checkKind(kind, joinPath(path, "kind"), errors);
  if (metadata !== undefined) checkDecoded(metadata, joinPath(path, "metadata"), errors);
}

/** Metadata from a default or a webhook has not been decoded yet. */
function checkDecoded(metadata: unknown, path: string, errors: FieldError[]): void {
  try {
    checkMetadata(decodeMetadata(metadata, path).metadata, path, errors);
  } catch (error) {
    if (!(error instanceof MalformedMetadataError)) throw error;
    errors.push(invalid(path, metadata, error.message));
  }
}

/** Checks decoded metadata of a resource of unknown kind: its name only has to be a valid path segment. */
function checkMetadata(metadata: JSONObject<unknown>, path: string, errors: FieldError[]): void {
  const { name, generateName, namespace, generation } = metadata;
  const report = (field: string, value: unknown, reasons: readonly string[]): void => {
    for (const reason of reasons) errors.push(invalid(`${path}.${field}`, value, reason));
  };
  if (typeof generateName === "string")
    report("generateName", generateName, checkPathSegmentPrefix(generateName));
  if (typeof name === "string" && name !== "") report("name", name, checkPathSegment(name));
  if (typeof namespace === "string" && namespace !== "")
    report("namespace", namespace, checkLabel(namespace));
  if (typeof generation === "number" && generation < 0) {
    report("generation", generation, ["must be greater than or equal to 0"]);
  }
  for (const [key, value] of entriesOf(metadata["labels"])) {
    report("labels", key, checkQualifiedName(key));
    report("labels", value, checkLabelValue(value));
  }
  for (const [key] of entriesOf(metadata["annotations"])) {
    report("annotations", key, checkQualifiedName(key.toLowerCase()));
  }
  checkOwners(metadata["ownerReferences"], path, errors);
  checkManagers(metadata["managedFields"], path, errors);
}

function entriesOf(value: unknown): [string, string][] {
  return isObject(value) ? (Object.entries(value) as [string, string][]) : [];
}

/** The field of an error has no index of the owner reference. */
function checkOwners(owners: unknown, path: string, errors: FieldError[]): void {
  for (const owner of Array.isArray(owners) ? owners : []) {
    const { apiVersion = "", ...fields } = owner as JSONObject<unknown>;
    const field = `${path}.ownerReferences`;
    if (!isApiVersion(String(apiVersion)))
      errors.push(invalid(`${field}.apiVersion`, apiVersion, "version must not be empty"));
    for (const name of ["kind", "name", "uid"]) {
      if (!fields[name]) errors.push(invalid(`${field}.${name}`, "", "must not be empty"));
    }
  }
}

function checkManagers(managers: unknown, path: string, errors: FieldError[]): void {
  (Array.isArray(managers) ? managers : []).forEach((entry: JSONObject<unknown>, index) => {
    const operation = entry["operation"] ?? "";
    if (operation === "Apply" || operation === "Update") return;
    errors.push(
      invalid(`${path}.managedFields[${index}].operation`, operation, "must be `Apply` or `Update`"),
    );
  });
}

function checkPathSegment(name: string): string[] {
  return name === "." || name === ".." ? [`may not be '${name}'`] : checkPathSegmentPrefix(name);
}

function checkPathSegmentPrefix(name: string): string[] {
  return ["/", "%"].filter((char) => name.includes(char)).map((char) => `may not contain '${char}'`);
}

function checkAPIVersion(apiVersion: unknown, path: string, errors: FieldError[]): void {
  if (typeof apiVersion !== "string") errors.push(invalid(path, apiVersion, "must be a string"));
  else if (apiVersion === "") errors.push(invalid(path, apiVersion, "must not be empty"));
  else if (apiVersion.split("/").length > 2) {
    errors.push(invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  }
}

function checkKind(kind: unknown, path: string, errors: FieldError[]): void {
  if (typeof kind !== "string") errors.push(invalid(path, kind, "must be a string"));
  else if (kind === "") errors.push(invalid(path, kind, "must not be empty"));
  else {
    const reasons = checkLabel1035(kind.toLowerCase());
    if (reasons.length === 0) return;
    const detail = `may have mixed case, but should otherwise match: ${reasons.join(",")}`;
    errors.push(invalid(path, kind, detail));
  }
}
