import { DecodeError, markFloats } from "@tsbuilder/apimachinery/kinds";
import { apiVersionOf, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { MalformedProtobufError, decodeProtobuf } from "../codec/index.ts";
import type { RequestContext } from "../http/request-context.ts";
import { badRequest, unsupportedMediaType } from "../contract/status-error.ts";
import type { ApiObject } from "../contract/api-object.ts";
import { explainJSON, findFieldProblems, goKind, isTooDeep, noTypeMeta } from "../codec/go-json.ts";
import { explainYAML, findDuplicateKeys, parseGoYAML } from "../codec/go-yaml.ts";
import { explainType } from "../registry/registry.ts";
import type { Resource } from "../registry/resource.ts";
import { type FieldValidation, type Target, fieldValidationOf } from "./target.ts";

const protobuf = "application/vnd.kubernetes.protobuf";

/**
 * Reads the object of a create or update, which the caller may change. Throws a 400 if the body can't be decoded as the
 * resource's kind; `options` is the kind of options whose `fieldValidation` decides about unknown and duplicate fields.
 */
export async function readObject(
  context: RequestContext,
  target: Target,
  options: string,
): Promise<ApiObject> {
  const validation = fieldValidationOf(context.query, options);
  const body = await context.request.readBody();
  const text = body.toString("utf8");
  const mediaType = mediaTypeOf(context);
  const isYAML = mediaType === "application/yaml";
  const isJSON = !isYAML && mediaType !== protobuf;
  const object = toObject(await decodeRequestBody(context, target, body, text), target, text);
  if (isJSON) checkFloats(target, text);
  checkFields(context, target, object, isJSON ? text : "", validation);
  if (isYAML && validation !== "Ignore") checkDuplicateKeys(context, target, object, text, validation);
  checkCustomVersion(object, target);
  return object;
}

/** Reads a body whose kind differs from the resource's: a Scale, an Eviction, a review. */
export async function readBodyObject(context: RequestContext, target: Target): Promise<ApiObject> {
  const value = await decodeRequestBody(context, target, await context.request.readBody());
  const object = (typeof value === "object" && value !== null ? value : {}) as ApiObject;
  object.metadata ??= {};
  return object;
}

/** Returns the media type of a body, without parameters. Default: JSON. */
export function mediaTypeOf({ request }: RequestContext): string {
  return (request.headers["content-type"] ?? "application/json").split(";")[0]!.trim().toLowerCase();
}

const bodyTypes = ["application/json", "application/yaml", protobuf];

/** Decodes a body without checking its kind. */
async function decodeRequestBody(
  context: RequestContext,
  target: Target,
  body: Buffer,
  text: string = body.toString("utf8"),
): Promise<unknown> {
  const mediaType = mediaTypeOf(context);
  if (mediaType === "application/json" || mediaType === "*/*" || mediaType === "")
    return parseJSON(text, target);
  if (mediaType === "application/yaml") return parseYAML(text, target);
  if (mediaType === protobuf && !target.resource.custom) return parseProtobuf(body, target);
  throw unsupportedMediaType(target.resource.custom ? bodyTypes.slice(0, 2) : bodyTypes);
}

/** Parses the protobuf bodies of Go clients: kubectl create from 1.32 on, Helm 4, typed clients. */
export async function parseProtobuf(body: Buffer, target: Target): Promise<unknown> {
  try {
    return await decodeProtobuf(body);
  } catch (error) {
    if (!(error instanceof MalformedProtobufError)) throw error;
    const { message, type } = error;
    if (!type) throw unrecognized(target, `${message} (${bytesSummary(body)})`);
    const shown = `${type.kind} in version ${JSON.stringify(parseApiVersion(type.apiVersion).version)}`;
    throw badRequest(`${shown} cannot be handled as a ${target.resource.kind}: ${message}`);
  }
}

function parseJSON(text: string, target: Target): unknown {
  try {
    if (isTooDeep(text)) throw new SyntaxError("exceeded max depth");
    return JSON.parse(text);
  } catch {
    const why = `${explainJSON(text)} (${bytesSummary(Buffer.from(text))})`;
    throw unrecognized(target, `couldn't get version/kind; json parse error: ${why}`);
  }
}

/** Parses a body in YAML as Go does. Throws a 400. */
export function parseYAML(text: string, target: Target): unknown {
  try {
    return parseGoYAML(text);
  } catch (error) {
    throw unrecognized(target, `${explainYAML(error, text)} (${bytesSummary(Buffer.from(text), false)})`);
  }
}

function unrecognized({ resource }: Target, why: string): Error {
  return badRequest(`the object provided is unrecognized (must be of type ${resource.kind}): ${why}`);
}

/** Returns a decoded body as an object of the resource. Throws a 400 for another type. */
function toObject(value: unknown, target: Target, text: string): ApiObject {
  if (typeof value !== "object" || Array.isArray(value))
    throw unrecognized(target, `${noTypeMeta(value)} (${bytesSummary(Buffer.from(text))})`);
  const object = (value ?? {}) as ApiObject;
  const mismatch = typeMismatch(object);
  if (mismatch !== undefined) throw unrecognized(target, `${mismatch} (${summary(text)})`);
  checkType(object, target, text);
  object.metadata ??= {};
  return object;
}

/** Returns the error of Go's decoder for a `kind` or `apiVersion` that is not a string. */
export function typeMismatch(object: object): string | undefined {
  for (const [key, value] of Object.entries(object) as [string, unknown][]) {
    if (key !== "apiVersion" && key !== "kind") continue;
    if (typeof value === "string" || value === null || value === undefined) continue;
    return `couldn't get version/kind; json parse error: json: cannot unmarshal ${goKind(value)} into Go struct field .${key} of type string`;
  }
  return undefined;
}

/** Checks kind and apiVersion of a body. Built-in kinds may omit them: the path determines them. */
function checkType(object: ApiObject, target: Target, text: string): void {
  const { resource, version } = target;
  const apiVersion = apiVersionOf({ group: resource.group, version });
  if (resource.custom) {
    if (object.kind) return;
    throw unrecognized(target, `Object 'Kind' is missing in '${text}' (${summary(text)})`);
  }
  object.kind ||= resource.kind;
  object.apiVersion ||= apiVersion;
  const { kind } = object;
  if (kind === resource.kind && object.apiVersion === apiVersion) return;
  const { why } = explainType(object, resource, target.core.registry);
  const shown = JSON.stringify(parseApiVersion(object.apiVersion).version);
  throw badRequest(`${kind} in version ${shown} cannot be handled as a ${resource.kind}: ${why}`);
}

/** The message of Go's decoder for a value that is not an object. */
export function noMap(value: unknown): string {
  return `json: cannot unmarshal ${goKind(value)} into Go value of type map[string]interface {}`;
}

/** How many characters or bytes of a body the real server's messages show. */
const summaryLength = 30;

function summary(text: string): string {
  return text.length > summaryLength ? `${text.slice(0, summaryLength)} ...` : text;
}

/** The beginning of a body, in hexadecimal if it is not a JSON object. */
function bytesSummary(bytes: Buffer, isText = bytes[0] === "{".charCodeAt(0)): string {
  if (bytes.length === 0) return "<empty>";
  const start = bytes.toString(isText ? "utf8" : "hex", 0, summaryLength);
  return bytes.length > summaryLength ? `${start} ...` : start;
}

/** Checks the version of a custom object, after its fields. Its kind is checked by validation. */
function checkCustomVersion(object: Partial<ApiObject>, { resource, version }: Target): void {
  const { apiVersion = "" } = object;
  const expected = `${resource.group}/${version}`;
  if (!resource.custom || apiVersion === expected) return;
  const why = `does not match the expected API version (${expected})`;
  throw badRequest(`the API version in the data (${apiVersion}) ${why}`);
}

/** Lists the fields of a custom object in a version without a schema: all but its metadata are unknown. */
export function fieldsWithoutSchema(
  resource: Resource,
  { group, kind }: { group: string; kind: string },
  object: ApiObject,
): readonly string[] {
  if (group !== resource.group || kind !== resource.kind) return [];
  return Object.keys(object)
    .filter((field) => field !== "apiVersion" && field !== "kind" && field !== "metadata")
    .toSorted();
}

/** Refuses unknown and duplicate fields, or warns about them, by `fieldValidation`. Wrong types always fail. */
export function checkFields(
  { warnings }: RequestContext,
  target: Target,
  object: ApiObject,
  json: string,
  validation: FieldValidation,
): void {
  const unknown = unknownFieldsOf(object, target);
  if (validation === "Ignore") return;
  // Canonical JSON, which most clients send, has no duplicate keys.
  if (unknown.length === 0 && JSON.stringify(object) === json) return;
  // Custom resources report sorted fields, because pruning has no order; built-in kinds report in the text's order.
  const listUnknown = (): string[] =>
    unknown.toSorted().map((path) => `unknown field ${JSON.stringify(path)}`);
  const problems = target.resource.custom
    ? [...findFieldProblems(json, []), ...listUnknown()]
    : findFieldProblems(json, unknown);
  if (problems.length === 0) return;
  if (validation === "Strict")
    throw undecodable(typeOf(object, target), `strict decoding error: ${problems.join(", ")}`);
  for (const problem of problems) warnings.add(problem);
}

/** Refuses floats such as `1.0` in fields that are integers in Go: `JSON.parse` does not keep the difference. */
function checkFloats(target: Target, json: string): void {
  const marked = target.resource.custom ? undefined : markFloats(json);
  if (marked !== undefined) unknownFieldsOf(JSON.parse(marked) as ApiObject, target);
}

function unknownFieldsOf(object: ApiObject, target: Target): readonly string[] {
  const { resource, version } = target;
  const { group, version: sent } = parseApiVersion(object.apiVersion ?? "");
  const type = typeOf(object, target);
  try {
    const unknown = target.served.schema?.unknownFields(object) ?? [];
    if (!resource.custom || (group === resource.group && sent === version && type.kind === resource.kind))
      return unknown;
    // The object has another type, and is refused later.
    const inMetadata = unknown.filter((path) => path.startsWith("metadata."));
    return [...inMetadata, ...fieldsWithoutSchema(resource, { group, kind: type.kind }, object)];
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw undecodable(type, error.message);
  }
}

/** The type that errors name: the resource's, or for a custom object its own. */
function typeOf(object: ApiObject, { resource, version }: Target) {
  if (!resource.custom) return { kind: resource.kind, version };
  return { kind: object.kind, version: parseApiVersion(object.apiVersion ?? "").version };
}

function undecodable({ kind, version }: { kind: string; version: string }, why: string): Error {
  return badRequest(`${kind} in version ${JSON.stringify(version)} cannot be handled as a ${kind}: ${why}`);
}

function checkDuplicateKeys(
  { warnings }: RequestContext,
  target: Target,
  object: ApiObject,
  text: string,
  validation: FieldValidation,
): void {
  const duplicates = findDuplicateKeys(text);
  if (duplicates.length === 0) return;
  if (validation === "Strict")
    throw undecodable(typeOf(object, target), `strict decoding error: ${duplicateKeys(duplicates)}`);
  for (const line of duplicates) warnings.add(line);
}

/** The message of Go's YAML decoder about duplicate keys. */
export function duplicateKeys(duplicates: readonly string[]): string {
  return `yaml: unmarshal errors:\n${duplicates.map((line) => `  ${line}`).join("\n")}`;
}
