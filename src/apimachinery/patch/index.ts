/**
 * Patches as pure functions of objects: JSON patches and merge patches here, strategic merge patches in `strategic`,
 * server-side apply in `apply`. `fields-v1` reads the owners of fields, in a browser, too.
 */

export * from "./json-patch.ts";
export { applyMergePatch, createMergePatch } from "./merge-patch.ts";
export type { JSONObject } from "../json/index.ts";
export { FailedTestError, PatchError, type PatchFailure } from "./patch-error.ts";
export type { SchemaNode } from "./schema-node.ts";
