import {
  applyJSONPatch,
  applyMergePatch,
  type JSONPatch,
  PatchError,
  parseJSONPatch,
} from "@tsbuilder/apimachinery/patch";
import { invalid } from "@tsbuilder/apimachinery/schema";
import { applyStrategicMergePatch } from "@tsbuilder/apimachinery/patch/strategic";
import { DecodeError } from "../registry/built-in/decode-built-in.ts";
import { type UpdateSource, updateObject } from "../registry/update-object.ts";
import type { Reply, RequestContext } from "../server/request-context.ts";
import { readBody } from "../server/read-body.ts";
import { badRequest, invalidObject, notFound, StatusError } from "../status/index.ts";
import { type ApiObject, cloneJSON } from "../storage/api-object.ts";
import { explainJSON, isTooDeep } from "../codec/json-error.ts";
import { handleApply } from "./apply.ts";
import { mediaTypeOf } from "./read-object.ts";
import { replyObject } from "./reply-object.ts";
import type { Target } from "./target.ts";
import { type FieldValidation, fieldValidationOf, refuseForce, writeOf } from "./write-options.ts";

/** What a patch makes of an object. */
type Patch = (object: ApiObject) => unknown;

/** Changes part of an object. Patches that name no revision are tried again when they lose a race. */
export async function handlePatch(context: RequestContext, target: Target): Promise<Reply> {
  if (mediaTypeOf(context) === applyPatch) return handleApply(context, target);
  const patch = await readPatch(context, target);
  refuseForce(context.query);
  const validation = fieldValidationOf(context.query, "PatchOptions");
  const source: UpdateSource = {
    next: (current) => {
      if (!current) throw notFound(target.resource, target.name);
      const next = patch(current);
      checkApiVersion(context, target, current, next);
      checkPatched(context, target, next, validation);
      return next;
    },
    retry: true,
  };
  const { entry } = await updateObject(writeOf(context, target, "PatchOptions"), source);
  return replyObject(context, target, entry);
}

/** A patch can't move a custom resource to another version; of what it would hold there nothing is known. */
function checkApiVersion(
  { warnings }: RequestContext,
  { resource, name }: Target,
  current: ApiObject,
  next: ApiObject,
): void {
  if (!resource.custom || next.apiVersion === current.apiVersion) return;
  const known = new Set(["apiVersion", "kind", "metadata"]);
  for (const field of Object.keys(next).toSorted()) {
    if (!known.has(field)) warnings.add(`unknown field ${JSON.stringify(field)}`);
  }
  const error = invalid("apiVersion", next.apiVersion, `must be ${current.apiVersion}`);
  throw invalidObject(resource, name, [error]);
}

/** The patched object is decoded as a body would be, but its errors are said to be the patch's. */
function checkPatched(
  { warnings }: RequestContext,
  { version }: Target,
  next: ApiObject,
  validation: FieldValidation,
): void {
  try {
    const unknown = version.schema?.unknownFields(next) ?? [];
    if (validation === "Ignore" || unknown.length === 0) return;
    const problems = unknown.map((path) => `unknown field ${JSON.stringify(path)}`);
    if (validation === "Strict") throw new DecodeError(`strict decoding error: ${problems.join(", ")}`);
    for (const problem of problems) warnings.add(problem);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const message = `Invalid value: ${JSON.stringify(JSON.stringify(next))}: ${error.message}`;
    throw new StatusError(422, "Invalid", ` "" is invalid: patch: ${message}`, {
      causes: [{ reason: "FieldValueInvalid", message, field: "patch" }],
    });
  }
}

const merge = "application/merge-patch+json";
const json = "application/json-patch+json";
const strategic = "application/strategic-merge-patch+json";
export const applyPatch = "application/apply-patch+yaml";

/** Reads the patch that a request carries. What it makes of an object belongs to the caller. */
export async function readPatch(
  context: RequestContext,
  target: Target,
): Promise<(object: ApiObject) => ApiObject> {
  const body = (await readBody(context.request)).toString("utf8");
  const patch = parsePatch(mediaTypeOf(context), body, target);
  return (object) => patched(patch, object);
}

function parsePatch(mediaType: string, body: string, target: Target): Patch {
  try {
    if (mediaType === json) {
      const operations: JSONPatch = parseJSONPatch(parseText(body));
      return (object) => applyJSONPatch(object as never, operations);
    }
    if (mediaType === merge) {
      const value = parseText(body);
      if (typeof value !== "object" || value === null || Array.isArray(value)) {
        const found = Array.isArray(value) ? "array" : typeof value;
        throw badRequest(
          `error decoding patch: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
        );
      }
      return (object) => applyMergePatch(object as never, value as never);
    }
    if (mediaType === strategic && !target.resource.custom) {
      const value = parseText(body);
      const node = target.version.schema?.node ?? {};
      if (Array.isArray(value)) {
        throw badRequest("json: cannot unmarshal array into Go value of type map[string]interface {}");
      }
      return (object) => strategically(() => applyStrategicMergePatch(object as never, value as never, node));
    }
  } catch (error) {
    throw statusOf(error);
  }
  throw unsupportedPatch(mediaType, target);
}

function parseText(text: string): unknown {
  try {
    if (isTooDeep(text)) throw new SyntaxError("exceeded max depth");
    return JSON.parse(text);
  } catch {
    throw badRequest(`error decoding patch: ${explainJSON(text)}`);
  }
}

function patched(patch: Patch, current: ApiObject): ApiObject {
  try {
    return cloneJSON(patch(current)) as ApiObject;
  } catch (error) {
    throw statusOf(error);
  }
}

/** A patch that doesn't fit the lists it is to be merged into is said to be the server's fault. */
function strategically(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof PatchError && error.failure === "inapplicable") {
      throw new StatusError(500, undefined, error.message);
    }
    throw error;
  }
}

function statusOf(error: unknown): unknown {
  if (!(error instanceof PatchError)) return error;
  if (error.failure === "malformed") return badRequest(error.message);
  if (error.failure === "too-large") return new StatusError(413, "RequestEntityTooLarge", error.message);
  return new StatusError(
    422,
    "Invalid",
    `the server rejected our request due to an error in our request`,
    {},
  );
}

function unsupportedPatch(mediaType: string, { resource }: Target): StatusError {
  const types = resource.custom ? [json, merge, applyPatch] : [json, merge, strategic, applyPatch];
  if (mediaType !== strategic) {
    return new StatusError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  }
  return new StatusError(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${types.join(", ")}`,
  );
}
