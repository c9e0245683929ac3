import { copyJSON, isObject, type JSONObject } from "@tsbuilder/apimachinery/json";
import { applyJSONPatch, type JSONPatch } from "@tsbuilder/apimachinery/patch";
import { explainJSON } from "../codec/json-error.ts";
import type { ApiObject } from "../contract/api-object.ts";
import { internalError, StatusError } from "../contract/status-error.ts";
import { explainType } from "../registry/explain-type.ts";
import type { Registry } from "../registry/registry.ts";
import type { Resource } from "../registry/resource.ts";
import { goKind } from "../codec/go-kind.ts";

/** A patch that can't be decoded. */
export class UndecodablePatchError extends Error {}

/** Decodes the JSON patch of a webhook. Operations that are none are found when it is applied, as in Go. */
export function decodePatch(text: string): JSONPatch {
  const operations = parse(text);
  if (operations === null) return [];
  if (!Array.isArray(operations)) throw undecodable(operations, "jsonpatch.Patch");
  return operations.map((operation: unknown) => {
    if (operation === null) return { op: "unknown", path: "" };
    if (!isObject(operation)) throw undecodable(operation, "jsonpatch.Operation");
    return typeof operation["op"] === "string" ? operation : { ...operation, op: "unknown" };
  }) as JSONPatch;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new UndecodablePatchError(explainJSON(text));
  }
}

function undecodable(found: unknown, type: string): UndecodablePatchError {
  return new UndecodablePatchError(`json: cannot unmarshal ${goKind(found)} into Go value of type ${type}`);
}

/** The object with the changes of a webhook, which is still of its kind. */
export function patchObject(
  object: ApiObject,
  patch: JSONPatch,
  resource: Resource,
  registry: Registry,
): ApiObject {
  const patched = applied(object, patch);
  patched.kind ??= object.kind;
  patched.apiVersion ??= object.apiVersion;
  patched.metadata ??= {};
  if (!isObject(patched.metadata)) {
    const field = `Go struct field ${object.kind}.metadata of type v1.ObjectMeta`;
    throw internalError(`json: cannot unmarshal ${goKind(patched.metadata)} into ${field}`);
  }
  if (resource.custom || (patched.kind === object.kind && patched.apiVersion === object.apiVersion))
    return patched;
  const { why, isServed } = explainType(patched, resource, registry);
  throw isServed ? new StatusError(500, undefined, why) : internalError(why);
}

function applied(object: ApiObject, patch: JSONPatch): ApiObject {
  try {
    return copyJSON(applyJSONPatch(object as unknown as JSONObject, patch)) as unknown as ApiObject;
  } catch (error) {
    throw internalError((error as Error).message);
  }
}
