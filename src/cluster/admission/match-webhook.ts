import type { Store } from "../storage/store.ts";
import type { AdmissionRequest } from "../registry/admission-request.ts";
import { matchesNamespace, matchesObject, matchVersion } from "./match-rules.ts";
import type { WebhookDefinition } from "./webhook-configuration.ts";

/** Finds out whether a webhook is to be called, and in which version it wants the object. */
export function matchWebhook(
  { rules = [], matchPolicy, namespaceSelector, objectSelector }: WebhookDefinition,
  request: AdmissionRequest,
  store: Store,
): string | undefined {
  const version = matchVersion(rules, matchPolicy, request);
  if (version === undefined || !matchesObject(objectSelector, request)) return undefined;
  return matchesNamespace(namespaceSelector, request, store) ? version : undefined;
}
