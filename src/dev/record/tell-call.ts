import { count } from "../../shared/text.ts";
import { keysOfCall, type RecordedAdmission, type RecordedCall } from "./recorded-call.ts";

/** A sentence that says what a webhook was asked and what it answered. */
export function tellCall(call: RecordedCall): string {
  const took = `in ${Math.round(call.seconds * 1000)} ms`;
  if (call.call === "conversion") {
    const what = call.count === 1 ? keysOfCall(call)[0] : count(call.count, "object");
    const asked = `conversion webhook of ${call.configuration} converts ${what ?? "an object"} to ${call.apiVersion}`;
    return call.failure ? `${asked}: fails ${took}: ${call.failure.message}` : `${asked} ${took}`;
  }
  const { webhook, operation, resource, subresource, key, dryRun } = call;
  const what = `${resource}${subresource === "" ? "" : `/${subresource}`} ${key}`;
  return `${call.call} webhook ${webhook} is asked to ${operation} ${what}${dryRun ? " (dry run)" : ""}: ${verdictOf(call, took)}`;
}

function verdictOf({ answer, failure, ignored }: RecordedAdmission, took: string): string {
  if (failure)
    return `fails ${took}, which ${ignored ? "is ignored" : "refuses the request"}: ${failure.message}`;
  if (answer?.allowed !== true) {
    const { message, reason } = answer?.status ?? {};
    return `denies it ${took}${message || reason ? `: ${message || reason}` : ""}`;
  }
  const { patch = [], warnings = [] } = answer;
  const patched = patch.length > 0 ? `, with ${count(patch.length, "change")}` : "";
  const warned = warnings.length > 0 ? `, with ${count(warnings.length, "warning")}` : "";
  return `allows it ${took}${patched}${warned}`;
}
