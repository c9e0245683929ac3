import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { type JSONObject, applyJSONPatch } from "@tsbuilder/apimachinery/patch";
import { type RecordedCall, isOperator, keysOfCall, placeName } from "./recorded.ts";
import { type RequestTarget, requestTarget } from "./request-target.ts";
import type { Call, Reconcile } from "./timed.ts";

/** The outcome of a webhook call. `ignored`: the call failed, and the request went on, as failurePolicy Ignore says. */
export type Verdict = "allowed" | "patched" | "converted" | "denied" | "ignored" | "failed";

/** Returns the outcome of a call. A patch counts even if it was too large to be recorded. */
export function verdictOf(call: RecordedCall): Verdict {
  if (call.call === "conversion") return call.failure ? "failed" : "converted";
  const { failure, ignored, answer, omitted = [] } = call;
  if (failure) return ignored ? "ignored" : "failed";
  if (answer?.allowed !== true) return "denied";
  return (answer.patch?.length ?? 0) > 0 || omitted.includes("patch") ? "patched" : "allowed";
}

/** Returns the type and name of a webhook; a conversion webhook has the name of its CRD. */
export function webhookName(call: RecordedCall): string {
  if (call.call === "conversion") return `conversion webhook of ${call.configuration}`;
  return `${call.call} webhook ${call.webhook}`;
}

/** Returns the place of the object that configures a webhook: a webhook configuration, or a CRD. */
export function configurationPlace({ call, configuration }: RecordedCall): string {
  const resource =
    call === "conversion"
      ? "customresourcedefinitions.apiextensions.k8s.io"
      : `${call}webhookconfigurations.admissionregistration.k8s.io`;
  return placeName({ resource, key: configuration });
}

/** Applies a webhook's patch; undefined if there is none, or if it does not fit the recorded object. */
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

/** Times come from two processes, and each rounds down to a whole millisecond. */
export const clockInaccuracy = 1;

/** Returns true if a call happened during a reconcile, and one of the reconcile's requests can have caused it. */
export function isCallOfReconcile(call: Call, reconcile: Reconcile): boolean {
  if (call.from < reconcile.from - clockInaccuracy || call.to > reconcile.to + clockInaccuracy) return false;
  return (
    isOperator(call.by) && reconcile.requests.some(({ method, path }) => isCallOfRequest(call, method, path))
  );
}

/** The admission operations of HTTP methods. An apply patch and a PUT create an object that does not exist. */
const operations: Readonly<Record<string, readonly string[]>> = {
  GET: ["CONNECT"],
  POST: ["CREATE", "CONNECT"],
  PUT: ["UPDATE", "CREATE"],
  PATCH: ["UPDATE", "CREATE"],
  DELETE: ["DELETE"],
};

/** Returns true if a request can have caused a call, judged by resource, object, subresource and operation. */
export function isCallOfRequest(call: Call, method: string, path: string): boolean {
  const target = requestTarget(path);
  if (target === undefined || target.resource !== call.resource) return false;
  if (!keysOfCall(call).some((key) => targets(target, key))) return false;
  if (call.call === "conversion") return true;
  if (call.subresource !== (target.subresource ?? "")) return false;
  return operations[method]?.includes(call.operation) === true;
}

function targets({ namespace, name }: RequestTarget, key: string): boolean {
  const prefix = namespace === undefined ? "" : `${namespace}/`;
  return name === undefined ? key.startsWith(prefix) : key === `${prefix}${name}`;
}
