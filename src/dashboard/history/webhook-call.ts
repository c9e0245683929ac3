import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { type JSONObject, applyJSONPatch } from "@tsbuilder/apimachinery/patch";
import { type RecordedCall, placeName } from "../../dev/record/recorded.ts";

/** What came of a webhook's call: `ignored` failed, and the request went on. */
export type Verdict = "allowed" | "patched" | "converted" | "denied" | "ignored" | "failed";

/** From the best to the worst. */
export const verdicts: readonly Verdict[] = [
  "allowed",
  "converted",
  "patched",
  "ignored",
  "denied",
  "failed",
];

export function verdictOf(call: RecordedCall): Verdict {
  if (call.call === "conversion") return call.failure ? "failed" : "converted";
  const { failure, ignored, answer, omitted = [] } = call;
  if (failure) return ignored ? "ignored" : "failed";
  if (answer?.allowed !== true) return "denied";
  return (answer.patch?.length ?? 0) > 0 || omitted.includes("patch") ? "patched" : "allowed";
}

/** A webhook with what it does, by its name; one that converts, by its CRD. */
export function webhookName(call: RecordedCall): string {
  if (call.call === "conversion") return `conversion webhook of ${call.configuration}`;
  return `${call.call} webhook ${call.webhook}`;
}

/** Where the configuration of a webhook stands. */
export function configurationPlace({ call, configuration }: RecordedCall): string {
  const resource =
    call === "conversion"
      ? "customresourcedefinitions.apiextensions.k8s.io"
      : `${call}webhookconfigurations.admissionregistration.k8s.io`;
  return placeName({ resource, key: configuration });
}

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
