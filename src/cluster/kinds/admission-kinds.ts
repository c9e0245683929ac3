import type { Strategy } from "../registry/resource.ts";
import type { ApiObject } from "../contract/api-object.ts";
import { mutatingBindingProblems, validatingBindingProblems } from "./binding-rules.ts";
import { mutatingPolicyProblems, validatingPolicyProblems } from "./policy-rules.ts";
import { webhookProblems } from "./webhook-rules.ts";
import { eachOf, type Fields, fillIn } from "./fill-in.ts";

/** Webhooks are called for every version and scope, block what they can't answer, and have ten seconds. */
export const validatingWebhooksStrategy: Partial<Strategy> = {
  validate: (object) => [...webhookProblems(object)],
  validateUpdate: (object, old) => [...webhookProblems(object, old)],
  default: (object) => eachOf(object, "webhooks").forEach(defaultWebhook),
};

export const mutatingWebhooksStrategy: Partial<Strategy> = {
  validate: (object) => [...webhookProblems(object)],
  validateUpdate: (object, old) => [...webhookProblems(object, old)],
  default(object) {
    for (const webhook of eachOf(object, "webhooks")) {
      defaultWebhook(webhook);
      webhook["reinvocationPolicy"] ??= "Never";
    }
  },
};

export const validatingPolicyStrategy: Partial<Strategy> = {
  validate: (object) => [...validatingPolicyProblems(object)],
  validateUpdate: (object, old) => [...validatingPolicyProblems(object, old)],
  default(object) {
    defaultPolicy(object);
    object["status"] ??= {};
  },
};

export const mutatingPolicyStrategy: Partial<Strategy> = {
  validate: (object) => [...mutatingPolicyProblems(object)],
  validateUpdate: (object, old) => [...mutatingPolicyProblems(object, old)],
  default: defaultPolicy,
};

export const validatingBindingStrategy: Partial<Strategy> = {
  validate: (object) => [...validatingBindingProblems(object)],
  validateUpdate: (object) => [...validatingBindingProblems(object)],
  default: defaultBinding,
};

export const mutatingBindingStrategy: Partial<Strategy> = {
  validate: (object) => [...mutatingBindingProblems(object)],
  validateUpdate: (object) => [...mutatingBindingProblems(object)],
  default: defaultBinding,
};

function defaultPolicy(object: ApiObject): void {
  object["spec"] ??= {};
  fillIn(object["spec"], () => ({ failurePolicy: "Fail" }));
  defaultMatch((object["spec"] as Fields)["matchConstraints"]);
}

function defaultBinding(object: ApiObject): void {
  object["spec"] ??= {};
  defaultMatch((object["spec"] as Fields)["matchResources"]);
}

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
