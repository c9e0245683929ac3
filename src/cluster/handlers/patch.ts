import { invalid } from "@tsbuilder/apimachinery/errors";
import { type JSONValue, copyJSON, isObject } from "@tsbuilder/apimachinery/json";
import { DecodeError, markFloats } from "@tsbuilder/apimachinery/kinds";
import { parseApiVersion } from "@tsbuilder/apimachinery/meta";
import type { JSONPatch, SchemaNode } from "@tsbuilder/apimachinery/patch";
import { PatchError, applyJSONPatch, applyMergePatch, parseJSONPatch } from "@tsbuilder/apimachinery/patch";
import { applyStrategicMergePatch, mergeStrategically } from "@tsbuilder/apimachinery/patch/strategic";
import { goText } from "@tsbuilder/apimachinery/text";
import type { ApiObject } from "../contract/api-object.ts";
import { servesSince } from "../contract/version.ts";
import {
  StatusError,
  badRequest,
  internalError,
  invalidObject,
  nameMissing,
  notFound,
  unsupportedMediaType,
} from "../contract/status-error.ts";
import { explainJSON, findFieldProblems, isTooDeep } from "../codec/go-json.ts";
import type { Reply, RequestContext } from "../http/request-context.ts";
import { fieldsWithoutSchema, mediaTypeOf, noMap, typeMismatch } from "./read-object.ts";
import { type FieldValidation, type Target, fieldValidationOf, refuseForce, writeOf } from "./target.ts";
import { handleApply } from "./apply.ts";
import { setNamespace } from "../registry/create-object.ts";
import { type UpdateSource, updateObject } from "../registry/update-object.ts";
import { replyObject } from "./representation.ts";
import { explainType } from "../registry/registry.ts";
import type { Write } from "../registry/write.ts";

/** The media type of server-side apply. */
export const applyPatch = "application/apply-patch+yaml";
const strategicMergePatch = "application/strategic-merge-patch+json";
const mergePatch = "application/merge-patch+json";
const jsonPatch = "application/json-patch+json";

/** Handles PATCH. A patch without a resourceVersion is retried after a conflict. */
export async function handlePatch(context: RequestContext, target: Target): Promise<Reply> {
  if (mediaTypeOf(context) === applyPatch) return handleApply(context, target);
  const patch = await readPatch(context, target);
  refuseForce(context.query);
  const validation = fieldValidationOf(context.query, "PatchOptions");
  const write = writeOf(context, target, "PatchOptions");
  const source: UpdateSource = {
    next: (current) => {
      if (!current) throw notFound(target.resource, target.name);
      const next = patch.apply(current);
      const applied = { context, target, patch, validation, current, next };
      if (!patch.isStrategic) checkPatchedType(applied);
      decodePatched(applied);
      // The result of a strategic merge patch has the type of the object, whatever it says.
      if (patch.isStrategic) Object.assign(next, { apiVersion: current.apiVersion, kind: current.kind });
      checkMetadata(write, next);
      return next;
    },
    retry: true,
  };
  const { entry } = await updateObject(write, source);
  return replyObject(context, target, entry);
}

/** A patch as it was sent: a JSON patch, a merge patch or a strategic merge patch. */
export interface SentPatch {
  /** Returns the patched object, which belongs to the caller. */
  apply(object: ApiObject): ApiObject;
  /** Returns the patched object with its floats marked, to decode it as Go does; undefined if the patch has none. */
  readonly applyWithFloats: ((object: ApiObject) => ApiObject) | undefined;
  /** The text that messages quote: the patched object, or the unmerged rest of a strategic merge patch. */
  show(next: object, current: object): string;
  /** Duplicate fields, and unknown fields of JSON patch operations, as strict decoding reports them. */
  readonly problems: readonly string[];
  readonly isStrategic: boolean;
}

/** A parsed patch: returns the patched object, or throws a PatchError. */
type PatchFunction = (object: ApiObject) => unknown;

/**
 * Reads the patch of a request. Throws for an unsupported type; the error for a malformed patch is thrown when it is applied,
 * because the real server decodes a patch only when it has an object.
 */
export async function readPatch(context: RequestContext, target: Target): Promise<SentPatch> {
  const body = (await context.request.readBody()).toString("utf8");
  const mediaType = mediaTypeOf(context);
  const isStrategic = mediaType === strategicMergePatch;
  checkPatchType(mediaType, target);
  if (servesSince("1.37")) refuseMalformed(body);
  let patch: PatchFunction;
  try {
    patch = parsePatch(mediaType, body, target);
  } catch (error) {
    const apply = (): never => {
      throw error;
    };
    return { apply, applyWithFloats: undefined, show: () => body, problems: [], isStrategic };
  }
  // Go merges a strategic patch before it decodes numbers, and custom resources have no Go integers.
  const markedText = isStrategic || target.resource.custom ? undefined : markFloats(body);
  const patchWithFloats = markedText === undefined ? undefined : parsePatch(mediaType, markedText, target);
  return {
    apply: (object) => applyPatchTo(object, patch),
    applyWithFloats: patchWithFloats && ((object) => applyPatchTo(object, patchWithFloats)),
    show(next, current) {
      if (!isStrategic) return JSON.stringify(next);
      const sent = (JSON.parse(body) ?? {}) as JSONValue;
      return goText(mergeStrategically(current as never, sent, nodeOf(target)).left);
    },
    problems: problemsOf(mediaType, body),
    isStrategic,
  };
}

/** Since 1.37, a patch must be JSON even if there is nothing to patch; the message doesn't say why it is not. */
function refuseMalformed(body: string): void {
  try {
    JSON.parse(body);
  } catch {
    throw badRequest("invalid JSON patch");
  }
}

/** Throws a 415 for a type of patch that the resource does not support. */
export function checkPatchType(mediaType: string, target: Target): void {
  if (!patchTypesOf(target).includes(mediaType)) throw unsupportedPatch(mediaType, target);
}

function patchTypesOf({ resource }: Target): readonly string[] {
  return resource.custom
    ? [jsonPatch, mergePatch, applyPatch]
    : [jsonPatch, mergePatch, strategicMergePatch, applyPatch];
}

function unsupportedPatch(mediaType: string, target: Target): StatusError {
  if (mediaType !== strategicMergePatch && !target.resource.custom) {
    return new StatusError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  }
  return unsupportedMediaType(patchTypesOf(target));
}

/** The prefix of errors in JSON patches and merge patches. */
const decodingError = "error decoding patch: ";

function parsePatch(mediaType: string, body: string, target: Target): PatchFunction {
  try {
    if (mediaType === jsonPatch) {
      const operations: JSONPatch = parseJSONPatch(parseText(body, decodingError) ?? []);
      return (object) => applyJSONPatch(object as never, operations);
    }
    if (mediaType === mergePatch) {
      const value = parseText(body, decodingError);
      if (value === null) throw badRequest("Invalid JSON Patch");
      if (!isObject(value)) throw badRequest(decodingError + noMap(value));
      return (object) => applyMergePatch(object as never, value as never);
    }
    const value = parseText(body, "") ?? {};
    if (!isObject(value)) throw badRequest(noMap(value));
    return (object) => applyStrategicMergePatch(object as never, value as never, nodeOf(target));
  } catch (error) {
    throw statusOf(error);
  }
}

function parseText(text: string, errorPrefix: string): unknown {
  try {
    if (isTooDeep(text)) throw new SyntaxError("exceeded max depth");
    return JSON.parse(text);
  } catch {
    throw badRequest(errorPrefix + explainJSON(text));
  }
}

function nodeOf({ served }: Target): SchemaNode {
  return served.schema?.node ?? {};
}

function statusOf(error: unknown): unknown {
  if (!(error instanceof PatchError)) return error;
  if (error.failure === "malformed") return badRequest(error.message);
  if (error.failure === "unforeseen") return new StatusError(500, undefined, error.message);
  if (error.failure === "too-large") return new StatusError(413, "RequestEntityTooLarge", error.message);
  const message = "the server rejected our request due to an error in our request";
  return new StatusError(422, "Invalid", message, {});
}

function applyPatchTo(object: ApiObject, patch: PatchFunction): ApiObject {
  try {
    return copyJSON(patch(object)) as ApiObject;
  } catch (error) {
    throw statusOf(error);
  }
}

const operationFields = new Set(["op", "path", "from", "value"]);

function problemsOf(mediaType: string, body: string): readonly string[] {
  if (mediaType !== jsonPatch) return findFieldProblems(body, []);
  const operations = (JSON.parse(body) ?? []) as readonly object[];
  const unknown = operations.flatMap((operation, index) =>
    Object.keys(operation)
      .filter((name) => !operationFields.has(name))
      .map((name) => `[${index}].${name}`),
  );
  return findFieldProblems(body, unknown).map((problem) => `json patch ${problem}`);
}

/** A patch that was applied to the stored object. */
interface AppliedPatch {
  readonly context: RequestContext;
  readonly target: Target;
  readonly patch: SentPatch;
  readonly validation: FieldValidation;
  readonly current: ApiObject;
  readonly next: ApiObject;
}

/** Rejects a patch that changes the kind or the API version, with Go's messages. */
function checkPatchedType(applied: AppliedPatch): void {
  const { target, patch, current, next } = applied;
  if (next.apiVersion === current.apiVersion && next.kind === current.kind) return;
  const mismatch = typeMismatch(next);
  if (mismatch !== undefined) throw invalidResult(patch, current, next, mismatch);
  if (target.resource.custom) throw otherCustomType(applied);
  next.kind ||= current.kind;
  if (!next.apiVersion) throw missingVersion(applied);
  if (next.apiVersion === current.apiVersion && next.kind === current.kind) return;
  const { why } = explainType(next, target.resource, target.core.registry);
  throw invalidResult(patch, current, next, why);
}

/** The error for a custom object that a patch has given another type. */
function otherCustomType({ context, target, patch, current, next }: AppliedPatch): StatusError {
  const { resource, name } = target;
  if (!next.kind) {
    const why = `Object 'Kind' is missing in '${goJSON(next)}'`;
    return invalidResult(patch, current, next, why);
  }
  if (!next.apiVersion)
    return internalError("Object 'apiVersion' is missing in 'object has no apiVersion field'");
  const { group } = parseApiVersion(next.apiVersion);
  if (next.apiVersion !== current.apiVersion) {
    for (const field of fieldsWithoutSchema(resource, { group, kind: next.kind }, next))
      context.warnings.add(`unknown field ${JSON.stringify(field)}`);
  }
  const errors = (["apiVersion", "kind"] as const)
    .filter((field) => next[field] !== current[field])
    .map((field) => invalid(field, next[field], `must be ${current[field]}`));
  return invalidObject({ ...resource, group, kind: next.kind }, name, errors);
}

/** JSON with the keys in order, as Go writes maps. */
function goJSON(object: object): string {
  return JSON.stringify(object, (_, value: unknown) =>
    isObject(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

/** The error for a built-in object without an apiVersion: Go decodes it as an internal type without fields. */
function missingVersion({ context, target, patch, current, next, validation }: AppliedPatch): StatusError {
  const problems = Object.keys(next)
    .filter((field) => field !== "apiVersion" && field !== "kind")
    .toSorted()
    .map((field) => `unknown field ${JSON.stringify(field)}`);
  if (validation === "Strict")
    return invalidResult(patch, current, next, `strict decoding error: ${problems.join(", ")}`);
  if (validation === "Warn") for (const problem of problems) context.warnings.add(problem);
  return nameMissing(target.name);
}

/** Decodes the patched object like a request body, but reports errors as those of the patch. */
function decodePatched({ context, target, patch, current, next, validation }: AppliedPatch): void {
  const { schema } = target.served;
  try {
    if (patch.applyWithFloats) schema?.unknownFields(patch.applyWithFloats(current));
    const why = patch.isStrategic ? schema?.convertMerged?.(next) : undefined;
    if (why !== undefined) throw new DecodeError(why);
    const found = schema?.unknownFields(next) ?? [];
    const unknown = patch.isStrategic ? found.toSorted() : found;
    const problems = [...patch.problems, ...unknown.map((path) => `unknown field ${JSON.stringify(path)}`)];
    if (validation === "Ignore" || problems.length === 0) return;
    if (validation === "Strict") throw new DecodeError(`strict decoding error: ${problems.join(", ")}`);
    for (const problem of problems) context.warnings.add(problem);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw invalidResult(patch, current, next, error.message);
  }
}

/** The error for a patch whose result is not a valid object. */
export function invalidResult(patch: SentPatch, current: object, next: object, why: string): StatusError {
  const subject = { group: "", plural: "", kind: "" };
  return invalidObject(subject, "", [invalid("patch", patch.show(next, current), why)]);
}

/** Rejects a patch that removes the metadata or the name, or changes the namespace. */
function checkMetadata(write: Write, next: ApiObject): void {
  const metadata: Partial<ApiObject["metadata"]> | null | undefined = next.metadata;
  if (metadata) setNamespace(write, next);
  if (!metadata?.name) throw nameMissing(write.name);
}
