import type { Store } from "../storage/store.ts";
import type { AdmissionRequest } from "../registry/admission-request.ts";
import { matchesNamespace, matchesObject, matchVersion } from "./match-rules.ts";
import type { Webhook } from "./webhook.ts";

/** Returns the version in which a webhook receives the object; undefined if it is not called for this request. */
export function matchWebhook(
  { rules = [], matchPolicy, namespaceSelector, objectSelector }: Webhook,
  request: AdmissionRequest,
  store: Store,
): string | undefined {
  const version = matchVersion(rules, matchPolicy, request);
  if (version === undefined || !matchesObject(objectSelector, request)) return undefined;
  return matchesNamespace(namespaceSelector, request, store) ? version : undefined;
}
