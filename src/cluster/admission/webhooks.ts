import { copyJSON, isEqual } from "@tsbuilder/apimachinery/json";
import type { MutatingWebhookConfiguration } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import type { JSONPatch } from "@tsbuilder/apimachinery/patch";
import type { AdmissionRequest } from "../registry/admission-request.ts";
import type { Authorizer } from "../contract/authorizer.ts";
import type { ApiObject } from "../contract/api-object.ts";
import type { Registry } from "../registry/registry.ts";
import type { Store } from "../storage/store.ts";
import type { AdmissionPlugin } from "./admission.ts";
import { callWebhook, type Caller } from "./call-webhook.ts";
import { matchWebhook } from "./match-webhook.ts";
import type { Rounds } from "./rounds.ts";
import { webhookConditionsHold } from "./webhook-conditions.ts";
import { patchObject } from "./webhook-patch.ts";
import type { ConfiguredWebhook } from "./webhook.ts";

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

interface WebhookContext extends Caller {
  readonly store: Store;
  readonly authorizer: Authorizer;
  readonly registry: Registry;
}

/** Calls mutating webhooks one by one, again if their reinvocation policy says so, and validating webhooks in parallel. */
export function webhookAdmission(context: WebhookContext): AdmissionPlugin {
  const { store, authorizer } = context;
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

function isExempt({ resource }: AdmissionRequest): boolean {
  return exempt.has(resource.plural) && resource.group === group;
}

/** All webhooks of one kind of configuration, sorted by the name of the configuration. */
function definitions(store: Store, plural: string): ConfiguredWebhook[] {
  return store
    .collection(`${plural}.${group}`)
    .list()
    .flatMap(({ key, object }) =>
      ((object as MutatingWebhookConfiguration).webhooks ?? []).map((webhook) => ({
        configuration: key,
        webhook,
      })),
    );
}

/** Each webhook receives the object as the webhooks before it have changed it. */
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
    const asked = { ...request, object };
    const version = matchWebhook(webhook, asked, store);
    if (version === undefined || !calls.isDue(webhook)) continue;
    if (!(await webhookConditionsHold(webhook, asked, version, authorizer))) continue;
    object = await mutateOnce(context, configured, asked, version);
    if (!isEqual(asked.object, object)) calls.changed();
    if (webhook.reinvocationPolicy === "IfNeeded") calls.remember(webhook);
  }
  calls.end(object);
  return object;
}

async function mutateOnce(
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
