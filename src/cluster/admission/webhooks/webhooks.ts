// Admission webhooks and conversion webhooks. This file chooses the webhooks of a request, `call-webhook.ts` calls one
// and tells its observer, `webhook-answer.ts` reads the review in its response, and `webhook-client.ts` has the
// connection. `convert-by-webhook.ts` converts custom resources.

import { copyJSON, isEqual } from "@tsbuilder/apimachinery/json";
import type { MutatingWebhookConfiguration } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import type { JSONPatch } from "@tsbuilder/apimachinery/patch";
import type { AdmissionRequest } from "../../registry/core.ts";
import type { Authorizer } from "../../contract/authorizer.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import type { Registry } from "../../registry/registry.ts";
import type { Store } from "../../storage/store.ts";
import type { AdmissionPlugin, Rounds } from "../admission.ts";
import { type Caller, type ConfiguredWebhook, type Webhook, callWebhook } from "./call-webhook.ts";
import { patchObject } from "./webhook-answer.ts";
import { matchVersion, matchesNamespace, matchesObject } from "../match-rules.ts";
import { forbidden } from "../../contract/status-error.ts";
import { type Compilation, conditionsHold } from "../../expressions/expression.ts";
import { objectsInVersion, requestNames } from "../../expressions/request-names.ts";
import { PolicyCompiler } from "../../expressions/policy-compiler.ts";

interface WebhookContext extends Caller {
  readonly store: Store;
  readonly authorizer: Authorizer;
  readonly registry: Registry;
}

/** Calls mutating webhooks one by one, and again if their policy says so; calls validating webhooks in parallel. */
export function webhookAdmission(context: WebhookContext): AdmissionPlugin {
  const { store, authorizer } = context;
  return {
    name: "Webhooks",
    async mutate(request, rounds) {
      if (isExempt(request)) return request.object;
      const webhooks = listWebhooks(store, "mutatingwebhookconfigurations");
      if (webhooks.length === 0) return request.object;
      return mutate(context, webhooks, request, rounds);
    },
    async validate(request) {
      if (isExempt(request)) return;
      const webhooks = listWebhooks(store, "validatingwebhookconfigurations");
      if (webhooks.length === 0) return;
      const outcomes = await Promise.allSettled(
        webhooks.map(async (configured) => {
          const { webhook } = configured;
          const version = matchWebhook(webhook, request, store);
          if (version === undefined) return;
          if (!(await webhookConditionsHold(webhook, request, version, authorizer))) return;
          await callWebhook(context, configured, request, { version, type: "validating" });
        }),
      );
      const refusal = outcomes.find((outcome) => outcome.status === "rejected");
      if (refusal) throw refusal.reason;
    },
  };
}

const group = "admissionregistration.k8s.io";

/** Resources whose writes call no webhook: otherwise, a broken configuration or policy could not be fixed. */
const exemptResources = new Set([
  "mutatingwebhookconfigurations",
  "validatingwebhookconfigurations",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
]);

function isExempt({ resource }: AdmissionRequest): boolean {
  return exemptResources.has(resource.plural) && resource.group === group;
}

/** All webhooks of one kind of configuration, sorted by the name of the configuration. */
function listWebhooks(store: Store, plural: string): ConfiguredWebhook[] {
  const stored = store.collection(`${plural}.${group}`).list();
  return stored.flatMap(({ key: configuration, object }) => {
    const { webhooks = [] } = object as MutatingWebhookConfiguration;
    return webhooks.map((webhook) => ({ configuration, webhook }));
  });
}

/** Returns the version in which a webhook receives the object; undefined if it is not called for this request. */
function matchWebhook(
  { rules = [], matchPolicy, namespaceSelector, objectSelector }: Webhook,
  request: AdmissionRequest,
  store: Store,
): string | undefined {
  const version = matchVersion(rules, matchPolicy, request);
  if (version === undefined || !matchesObject(objectSelector, request)) return undefined;
  return matchesNamespace(namespaceSelector, request, store) ? version : undefined;
}

/** Evaluates the match conditions of a webhook. The failure policy decides about errors in them. */
async function webhookConditionsHold(
  webhook: Webhook,
  request: AdmissionRequest,
  version: string,
  authorizer: Authorizer,
): Promise<boolean> {
  if (!webhook.matchConditions?.length) return true;
  const [object, oldObject] = await objectsInVersion(request, version);
  const names = requestNames(request, { authorizer, version, object, oldObject });
  const holds = conditionsHold(conditionsOf(webhook), () => names);
  if (typeof holds === "boolean") return holds;
  if (webhook.failurePolicy === "Ignore") return false;
  throw forbidden(request.resource, request.name, holds.error);
}

/** Stored webhooks are never changed in place, so their conditions are compiled once. */
const compiled = new WeakMap<Webhook, Compilation[]>();

function conditionsOf(webhook: Webhook): Compilation[] {
  let conditions = compiled.get(webhook);
  if (!conditions) {
    const compiler = new PolicyCompiler({ params: false, variables: false });
    conditions = webhook.matchConditions!.map(({ expression }) => compiler.condition(expression));
    compiled.set(webhook, conditions);
  }
  return conditions;
}

/** Calls the webhooks that are due, each with the object as those before have changed it. Returns the last state. */
async function mutate(
  context: WebhookContext,
  webhooks: readonly ConfiguredWebhook[],
  request: AdmissionRequest,
  rounds: Rounds,
): Promise<ApiObject | undefined> {
  const { store, authorizer } = context;
  let { object } = request;
  const calls = rounds.callsOf("Webhooks", object);
  for (const configured of webhooks) {
    const { webhook } = configured;
    const current = { ...request, object };
    const version = matchWebhook(webhook, current, store);
    if (version === undefined || !calls.isDue(webhook)) continue;
    if (!(await webhookConditionsHold(webhook, current, version, authorizer))) continue;
    object = await callMutating(context, configured, current, version);
    if (!isEqual(current.object, object)) calls.noteChange();
    if (webhook.reinvocationPolicy === "IfNeeded") calls.remember(webhook);
  }
  calls.endRound(object);
  return object;
}

/** Calls one webhook with the object in the version of its rule. Returns the object in the request's version. */
async function callMutating(
  context: WebhookContext,
  configured: ConfiguredWebhook,
  request: AdmissionRequest,
  version: string,
): Promise<ApiObject | undefined> {
  const { object, resource } = request;
  const apply = async (patch: JSONPatch): Promise<ApiObject | undefined> => {
    if (!object) return undefined;
    const base = version === request.version ? object : await resource.convert(object, version);
    const patched = patchObject(base, patch, resource, context.registry);
    return version === request.version ? patched : copyJSON(await resource.convert(patched, request.version));
  };
  return (await callWebhook(context, configured, request, { version, type: "mutating", apply })) ?? object;
}
