import { isObject, type JSONValue } from "../json/index.ts";
import { PatchError, undecodable } from "./patch-error.ts";

/** One operation of a JSON patch (RFC 6902). */
export type JSONPatchOperation =
  | { op: "add" | "replace" | "test"; path: string; value: JSONValue }
  | { op: "remove"; path: string }
  | { op: "move" | "copy"; from: string; path: string };

/** A JSON patch (RFC 6902): operations in the order in which they are applied. */
export type JSONPatch = JSONPatchOperation[];

/** The API server's limit of operations in one patch. */
export const maxJSONPatchOperations = 10_000;

/** Checks that a decoded body is a JSON patch. */
export function parseJSONPatch(body: unknown): JSONPatch {
  if (!Array.isArray(body)) throw undecodable(body, "[]handlers.jsonPatchOp");
  if (body.length > maxJSONPatchOperations) {
    throw new PatchError(
      "too-large",
      `The allowed maximum operations in a JSON patch is ${maxJSONPatchOperations}, got ${body.length}`,
    );
  }
  return body.map((operation) => {
    if (!isObject(operation)) throw undecodable(operation, "handlers.jsonPatchOp");
    return operation as JSONPatchOperation;
  });
}
