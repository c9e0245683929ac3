export { applyJSONPatch, maxCopiedBytes } from "./apply-json-patch.ts";
export { applyMergePatch } from "./apply-merge-patch.ts";
export { createJSONPatch } from "./create-json-patch.ts";
export { createMergePatch } from "./create-merge-patch.ts";
export type { JSONObject } from "../json/index.ts";
export {
  type JSONPatch,
  type JSONPatchOperation,
  maxJSONPatchOperations,
  parseJSONPatch,
} from "./json-patch.ts";
export { formatPointer, parsePointer } from "./json-pointer.ts";
export { FailedTestError, PatchError, type PatchFailure } from "./patch-error.ts";
export type { SchemaNode } from "./schema-node.ts";
