import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { applyJSONPatch, type JSONObject } from "@tsbuilder/apimachinery/patch";
import type { RecordedCall } from "../../dev/record/recorded-call.ts";

/** The object as a webhook changed it; undefined if it changed nothing, or if the patch doesn't fit what is known of it. */
export function patchedObject(call: RecordedCall): KubernetesObject | undefined {
  if (call.call === "conversion" || call.object === undefined) return undefined;
  const { patch = [], allowed } = call.answer ?? {};
  if (allowed !== true || patch.length === 0) return undefined;
  try {
    return applyJSONPatch(call.object as unknown as JSONObject, patch) as unknown as KubernetesObject;
  } catch {
    return undefined;
  }
}
