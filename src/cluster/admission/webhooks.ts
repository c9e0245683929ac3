import { copyJSON, isEqual } from "@tsbuilder/apimachinery/json";
import type { MutatingWebhookConfiguration } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import type { AdmissionRequest } from "../registry/admission-request.ts";
import type { Authorizer } from "../contract/authorizer.ts";
import type { ApiObject } from "../contract/api-object.ts";
import type { Registry } from "../registry/registry.ts";
import type { Store } from "../storage/store.ts";
import type { AdmissionPlugin } from "./admission.ts";
import { callWebhook } from "./call-webhook.ts";
import { matchWebhook } from "./match-webhook.ts";
import type { Rounds } from "./rounds.ts";
import { webhookConditionsHold } from "./webhook-conditions.ts";
import type { WebhookClient } from "./webhook-client.ts";
import { patchObject } from "./webhook-patch.ts";
import type { Webhook } from "./webhook.ts";

const group = "admissionregistration.k8s.io";

/** No webhook is called for writes of webhook configurations and policies: a broken one could not be fixed. */
const exempt = new Set([
  "mutatingwebhookconfigurations",
  "validatingwebhookconfigurations",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
]);

interface WebhookContext {
  readonly store: Store;
  readonly client: WebhookClient;
  readonly authorizer: Authorizer;
  readonly registry: Registry;
}

/** Calls mutating webhooks one by one, again if their reinvocation policy says so, and validating webhooks in parallel. */
export function webhookAdmission(context: WebhookContext): AdmissionPlugin {
  const { store, client, authorizer } = context;
  return {
    name: "Webhooks",
    async mutate(request, rounds) {
      if (isExempt(request)) return request.object;
      const webhooks = definitions(store, "mutatingwebhookconfigurations");
      if (webhooks.length === 0) return request.object;
      return mutate(context, webhooks, request, rounds);
    },
    async validate(request) {
      if (isExempt(request)) return;
      const webhooks = definitions(store, "validatingwebhookconfigurations");
      if (webhooks.length === 0) return;
      const outcomes = await Promise.allSettled(
        webhooks.map(async (webhook) => {
          const version = matchWebhook(webhook, request, store);
          if (version === undefined) return;
          if (!(await webhookConditionsHold(webhook, request, version, authorizer))) return;
          await callWebhook(client, webhook, request, { version, type: "validating" });
        }),
      );
      const refusal = outcomes.find((outcome) => outcome.status === "rejected");
      if (refusal) throw refusal.reason;
    },
  };
}

function isExempt({ resource }: AdmissionRequest): boolean {
  return exempt.has(resource.plural) && resource.group === group;
}

/** All webhooks of one kind of configuration, sorted by the name of the configuration. */
function definitions(store: Store, plural: string): Webhook[] {
  return store
    .collection(`${plural}.${group}`)
    .list()
    .flatMap(({ object }) => (object as MutatingWebhookConfiguration).webhooks ?? []);
}

/** Each webhook receives the object as the webhooks before it have changed it. */
async function mutate(
  context: WebhookContext,
  webhooks: readonly Webhook[],
  request: AdmissionRequest,
  rounds: Rounds,
): Promise<ApiObject | undefined> {
  const { store, authorizer } = context;
  let { object } = request;
  const calls = rounds.callsOf("Webhooks", object);
  for (const webhook of webhooks) {
    const asked = { ...request, object };
    const version = matchWebhook(webhook, asked, store);
    if (version === undefined || !calls.isDue(webhook)) continue;
    if (!(await webhookConditionsHold(webhook, asked, version, authorizer))) continue;
    object = await mutateOnce(context, webhook, asked, version);
    if (!isEqual(asked.object, object)) calls.changed();
    if (webhook.reinvocationPolicy === "IfNeeded") calls.remember(webhook);
  }
  calls.end(object);
  return object;
}

async function mutateOnce(
  { client, registry }: WebhookContext,
  webhook: Webhook,
  request: AdmissionRequest,
  version: string,
): Promise<ApiObject | undefined> {
  const answer = await callWebhook(client, webhook, request, { version, type: "mutating" });
  if (!answer?.patch || !request.object) return request.object;
  const { resource } = request;
  const base = version === request.version ? request.object : await resource.convert(request.object, version);
  const patched = patchObject(base, answer.patch, resource, registry);
  return version === request.version ? patched : copyJSON(await resource.convert(patched, request.version));
}
