import { parse } from "yaml";
import { readBody } from "../server/read-body.ts";
import type { RequestContext } from "../server/request-context.ts";
import { badRequest, unsupportedMediaType } from "../status/index.ts";
import type { ApiObject } from "../storage/api-object.ts";
import { findDuplicateKeys } from "./duplicate-keys.ts";
import type { Target } from "./target.ts";
import { type FieldValidation, fieldValidationOf } from "./write-options.ts";

/** The object of a create or update, owned by the request. */
export async function readObject(
  context: RequestContext,
  target: Target,
  optionsKind: string,
): Promise<ApiObject> {
  const validation = fieldValidationOf(context.query, optionsKind);
  const body = await readBody(context.request);
  const { value, duplicates } = decodeBody(body, mediaTypeOf(context), target, validation);
  const object = asObject(value, target, body);
  checkFields(context, target, object, duplicates, validation);
  return object;
}

export function mediaTypeOf({ request }: RequestContext): string {
  return (request.headers["content-type"] ?? "application/json").split(";")[0]!.trim().toLowerCase();
}

/** Reads a body of any kind: the caller says what it expects. */
export async function decodeRequestBody(
  context: RequestContext,
  target: Target,
  body: Buffer,
): Promise<unknown> {
  return decodeBody(body, mediaTypeOf(context), target, "Ignore").value;
}

interface Decoded {
  readonly value: unknown;
  readonly duplicates: readonly string[];
}

const bodyTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

function decodeBody(body: Buffer, mediaType: string, target: Target, validation: FieldValidation): Decoded {
  const text = body.toString("utf8");
  if (mediaType === "application/json" || mediaType === "*/*" || mediaType === "") {
    const value = parseJSON(text, target);
    return { value, duplicates: validation === "Ignore" ? [] : findDuplicateKeys(text) };
  }
  if (mediaType === "application/yaml") return { value: parseYAML(text, target), duplicates: [] };
  throw unsupportedMediaType(target.resource.custom ? bodyTypes.slice(0, 2) : bodyTypes);
}

function parseJSON(text: string, target: Target): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unrecognized(target, `json parse error: ${(error as Error).message}`);
  }
}

/** Aliases are limited: a small text could otherwise unfold into gigabytes. */
export function parseYAML(text: string, target: Target): unknown {
  try {
    return parse(text, { maxAliasCount: 100, merge: true, uniqueKeys: false });
  } catch (error) {
    throw unrecognized(target, `yaml parse error: ${(error as Error).message}`);
  }
}

function unrecognized({ resource }: Target, why: string): Error {
  return badRequest(
    `the object provided is unrecognized (must be of type ${resource.kind}): couldn't get version/kind; ${why}`,
  );
}

function asObject(value: unknown, target: Target, body: Buffer): ApiObject {
  const { resource, version } = target;
  const apiVersion = resource.group === "" ? version.name : `${resource.group}/${version.name}`;
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw unrecognized(target, `json parse error: the body is no object (${body.toString("utf8", 0, 40)})`);
  }
  const object = value as Partial<ApiObject>;
  const { kind = resource.kind, apiVersion: sent = apiVersion } = object;
  if (kind !== resource.kind && target.subresourceInfo?.body === undefined) {
    throw badRequest(
      `${kind} in version ${JSON.stringify(target.version.name)} cannot be handled as a ${resource.kind}: no kind ${JSON.stringify(kind)} is registered for version ${JSON.stringify(sent)}`,
    );
  }
  if (sent !== apiVersion && target.subresourceInfo?.body === undefined) {
    throw badRequest(
      `the API version in the data (${sent}) does not match the expected API version (${apiVersion})`,
    );
  }
  object.kind = kind;
  object.apiVersion = sent;
  if (typeof object.metadata !== "object" || object.metadata === null) object.metadata = {};
  return object as ApiObject;
}

/** Strict requests fail for unknown and duplicate fields, others are warned. */
export function checkFields(
  { warnings }: RequestContext,
  { version }: Target,
  object: ApiObject,
  duplicates: readonly string[],
  validation: FieldValidation,
): void {
  if (validation === "Ignore") return;
  const unknown = version.schema?.unknownFields(object) ?? [];
  const problems = [
    ...duplicates.map((path) => `duplicate field ${JSON.stringify(path)}`),
    ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`),
  ];
  if (problems.length === 0) return;
  if (validation === "Strict") throw badRequest(`strict decoding error: ${problems.join(", ")}`);
  for (const problem of problems) warnings.add(problem);
}
