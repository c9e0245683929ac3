import {
  applyJSONPatch,
  applyMergePatch,
  type JSONPatch,
  PatchError,
  parseJSONPatch,
  type SchemaNode,
} from "@tsbuilder/apimachinery/patch";
import { applyStrategicMergePatch, mergeStrategically } from "@tsbuilder/apimachinery/patch/strategic";
import { markFloats } from "@tsbuilder/apimachinery/kinds";
import { copyJSON, type JSONValue } from "@tsbuilder/apimachinery/json";
import { goText, quote } from "@tsbuilder/apimachinery/text";
import type { ApiObject } from "../contract/api-object.ts";
import { badRequest, StatusError } from "../contract/status-error.ts";
import { explainJSON, isTooDeep } from "../codec/json-error.ts";
import type { RequestContext } from "../http/request-context.ts";
import { findFieldProblems } from "./field-problems.ts";
import { mediaTypeOf, noMap } from "./read-object.ts";
import type { Target } from "./target.ts";

/** Returns the patched object. */
type Patch = (object: ApiObject) => unknown;

/** A patch from a request's body. */
export interface SentPatch {
  /** Returns the patched object, which belongs to the caller. */
  apply(object: ApiObject): ApiObject;
  /** Returns the patched object with its floats marked, to decode it as Go does; undefined if the patch has none. */
  readonly mark: ((object: ApiObject) => ApiObject) | undefined;
  /** The patched object, or for a strategic merge patch what was left of the patch, as messages show it. */
  show(next: object, current: object): string;
  /** Duplicate fields, and unknown ones of operations, as strict decoding reports them. */
  readonly problems: readonly string[];
  readonly isStrategic: boolean;
}

/** Refuses the result of a patch. */
export function patchProblem(
  patch: SentPatch,
  { current, next }: { current: object; next: object },
  why: string,
): StatusError {
  const message = `Invalid value: ${quote(patch.show(next, current))}: ${why}`;
  return new StatusError(422, "Invalid", ` "" is invalid: patch: ${message}`, {
    causes: [{ reason: "FieldValueInvalid", message, field: "patch" }],
  });
}

const merge = "application/merge-patch+json";
const json = "application/json-patch+json";
const strategic = "application/strategic-merge-patch+json";
export const applyPatch = "application/apply-patch+yaml";

/** Reads the patch in a request's body. */
export async function readPatch(context: RequestContext, target: Target): Promise<SentPatch> {
  const body = (await context.request.readBody()).toString("utf8");
  const mediaType = mediaTypeOf(context);
  const isStrategic = mediaType === strategic;
  checkPatchType(mediaType, target);
  let patch: Patch;
  try {
    patch = parsePatch(mediaType, body, target);
  } catch (error) {
    // A patch is looked at when there is an object to apply it to.
    const apply = (): never => {
      throw error;
    };
    return { apply, mark: undefined, show: () => body, problems: [], isStrategic };
  }
  // Go merges a strategic patch without looking at digits, and custom objects have no integers of its own.
  const marked = isStrategic || target.resource.custom ? undefined : markFloats(body);
  const marking = marked === undefined ? undefined : parsePatch(mediaType, marked, target);
  return {
    apply: (object) => patched(patch, object),
    mark: marking && ((object) => patched(marking, object)),
    show: (next, current) =>
      isStrategic
        ? goText(leftOf((JSON.parse(body) ?? {}) as JSONValue, current, nodeOf(target)))
        : JSON.stringify(next),
    problems: problemsOf(mediaType, body),
    isStrategic,
  };
}

function nodeOf({ served }: Target): SchemaNode {
  return served.schema?.node ?? {};
}

/** What is left of a strategic merge patch, which messages show. */
function leftOf(patch: JSONValue, current: object, node: SchemaNode): JSONValue {
  return mergeStrategically(current as never, patch, node).left;
}

function problemsOf(mediaType: string, body: string): readonly string[] {
  if (mediaType !== json) return findFieldProblems(body, []);
  const operations = (JSON.parse(body) ?? []) as readonly object[];
  const unknown = operations.flatMap((operation, index) =>
    Object.keys(operation)
      .filter((name) => !operationFields.has(name))
      .map((name) => `[${index}].${name}`),
  );
  return findFieldProblems(body, unknown).map((problem) => `json patch ${problem}`);
}

const operationFields = new Set(["op", "path", "from", "value"]);

function parsePatch(mediaType: string, body: string, target: Target): Patch {
  try {
    if (mediaType === json) {
      const operations: JSONPatch = parseJSONPatch(parseText(body, decoding) ?? []);
      return (object) => applyJSONPatch(object as never, operations);
    }
    if (mediaType === merge) {
      const value = parseText(body, decoding);
      if (value === null) throw badRequest("Invalid JSON Patch");
      if (typeof value !== "object" || Array.isArray(value)) throw badRequest(decoding + noMap(value));
      return (object) => applyMergePatch(object as never, value as never);
    }
    const value = parseText(body, "") ?? {};
    if (typeof value !== "object" || Array.isArray(value)) throw badRequest(noMap(value));
    return (object) => applyStrategicMergePatch(object as never, value as never, nodeOf(target));
  } catch (error) {
    throw statusOf(error);
  }
}

/** What the real server writes before errors in patches, except for strategic ones. */
const decoding = "error decoding patch: ";

function parseText(text: string, before: string): unknown {
  try {
    if (isTooDeep(text)) throw new SyntaxError("exceeded max depth");
    return JSON.parse(text);
  } catch {
    throw badRequest(before + explainJSON(text));
  }
}

function patched(patch: Patch, current: ApiObject): ApiObject {
  try {
    return copyJSON(patch(current)) as ApiObject;
  } catch (error) {
    throw statusOf(error);
  }
}

function statusOf(error: unknown): unknown {
  if (!(error instanceof PatchError)) return error;
  if (error.failure === "malformed") return badRequest(error.message);
  if (error.failure === "unforeseen") return new StatusError(500, undefined, error.message);
  if (error.failure === "too-large") return new StatusError(413, "RequestEntityTooLarge", error.message);
  return new StatusError(
    422,
    "Invalid",
    `the server rejected our request due to an error in our request`,
    {},
  );
}

/** Refuses patches that a kind doesn't take. */
export function checkPatchType(mediaType: string, target: Target): void {
  if (!typesOf(target).includes(mediaType)) throw unsupportedPatch(mediaType, target);
}

function typesOf({ resource }: Target): readonly string[] {
  return resource.custom ? [json, merge, applyPatch] : [json, merge, strategic, applyPatch];
}

function unsupportedPatch(mediaType: string, target: Target): StatusError {
  if (mediaType !== strategic && !target.resource.custom) {
    return new StatusError(415, "UnsupportedMediaType", "415: Unsupported Media Type", {});
  }
  return new StatusError(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: ${typesOf(target).join(", ")}`,
  );
}
