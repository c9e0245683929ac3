import type { Strategy } from "../../resource.ts";
import { webhookProblems } from "./webhook-rules.ts";
import { eachOf, type Fields, fillIn } from "./fill-in.ts";

/** Webhooks are called for every version and scope, block what they can't answer, and have ten seconds. */
export const validatingWebhooksStrategy: Partial<Strategy> = {
  validate: (object) => [...webhookProblems(object)],
  validateUpdate: (object) => [...webhookProblems(object)],
  default: (object) => eachOf(object, "webhooks").forEach(defaultWebhook),
};

export const mutatingWebhooksStrategy: Partial<Strategy> = {
  validate: (object) => [...webhookProblems(object)],
  validateUpdate: (object) => [...webhookProblems(object)],
  default(object) {
    for (const webhook of eachOf(object, "webhooks")) {
      defaultWebhook(webhook);
      webhook["reinvocationPolicy"] ??= "Never";
    }
  },
};

export const admissionPolicyStrategy: Partial<Strategy> = {
  default(object) {
    fillIn(object["spec"], () => ({ failurePolicy: "Fail" }));
    defaultMatch((object["spec"] as Fields | undefined)?.["matchConstraints"]);
    if (object.kind === "ValidatingAdmissionPolicy") object["status"] ??= {};
  },
};

export const admissionBindingStrategy: Partial<Strategy> = {
  default: (object) => defaultMatch((object["spec"] as Fields | undefined)?.["matchResources"]),
};

function defaultWebhook(webhook: Fields): void {
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
