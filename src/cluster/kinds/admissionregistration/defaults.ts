import type { ApiObject } from "../../contract/api-object.ts";
import { type Fields, eachOf, fillIn } from "../fill-in.ts";

export function defaultPolicy(object: ApiObject): void {
  object["spec"] ??= {};
  fillIn(object["spec"], () => ({ failurePolicy: "Fail" }));
  defaultMatch((object["spec"] as Fields)["matchConstraints"]);
}

export function defaultBinding(object: ApiObject): void {
  object["spec"] ??= {};
  defaultMatch((object["spec"] as Fields)["matchResources"]);
}

export function defaultWebhook(webhook: Fields): void {
  fillIn(webhook, () => ({ ...matchEverything(), failurePolicy: "Fail", timeoutSeconds: 10 }));
  for (const rule of eachOf(webhook, "rules")) rule["scope"] ??= "*";
  fillIn((webhook["clientConfig"] as Fields | undefined)?.["service"], () => ({ port: 443 }));
}

function defaultMatch(match: unknown): void {
  fillIn(match, matchEverything);
  const rules = [...eachOf(match, "resourceRules"), ...eachOf(match, "excludeResourceRules")];
  for (const rule of rules) rule["scope"] ??= "*";
}

function matchEverything(): Fields {
  return { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} };
}
