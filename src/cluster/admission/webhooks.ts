import { applyJSONPatch, isEqual, parseJSONPatch } from "@tsbuilder/apimachinery/patch";
import { internalError } from "../status/index.ts";
import { type ApiObject, cloneJSON } from "../storage/api-object.ts";
import type { Store } from "../storage/store.ts";
import type { AdmissionPlugin, AdmissionRequest } from "./admission.ts";
import { callWebhook } from "./call-webhook.ts";
import { conditionsHold } from "./match-conditions.ts";
import { matchWebhook } from "./match-webhook.ts";
import type { WebhookClient } from "./webhook-client.ts";
import type { WebhookDefinition } from "./webhook-configuration.ts";

const group = "admissionregistration.k8s.io";

/** Webhooks are never asked about webhooks: a broken one could not be repaired. */
const exempt = new Set([
  "mutatingwebhookconfigurations",
  "validatingwebhookconfigurations",
  "mutatingadmissionpolicies",
  "mutatingadmissionpolicybindings",
  "validatingadmissionpolicies",
  "validatingadmissionpolicybindings",
]);

/** Mutating webhooks one after the other, once more where asked for; validating webhooks all at once. */
export function webhookAdmission(store: Store, client: WebhookClient): AdmissionPlugin {
  return {
    name: "Webhooks",
    async mutate(request) {
      if (exempt.has(request.resource.plural) && request.resource.group === group) return request.object;
      const calls = matching(store, "mutatingwebhookconfigurations", request);
      if (calls.length === 0) return request.object;
      return mutate(client, calls, request);
    },
    async validate(request) {
      if (exempt.has(request.resource.plural) && request.resource.group === group) return;
      const calls = matching(store, "validatingwebhookconfigurations", request);
      const outcomes = await Promise.allSettled(
        calls.map(async ({ webhook, version }) => {
          if (conditionsHold(webhook, request)) await callWebhook(client, webhook, request, version);
        }),
      );
      const refusal = outcomes.find((outcome) => outcome.status === "rejected");
      if (refusal) throw refusal.reason;
    },
  };
}

interface Call {
  readonly webhook: WebhookDefinition;
  readonly version: string;
}

/** The webhooks that match, by the name of their configuration, then in their order. */
function matching(store: Store, plural: string, request: AdmissionRequest): Call[] {
  return store
    .collection(`${plural}.${group}`)
    .list()
    .flatMap(({ object }) => (object as unknown as { webhooks?: WebhookDefinition[] }).webhooks ?? [])
    .flatMap((webhook) => {
      const found = matchWebhook(webhook, request, store);
      return found ? [{ webhook, version: found.version }] : [];
    });
}

async function mutate(
  client: WebhookClient,
  calls: readonly Call[],
  request: AdmissionRequest,
): Promise<ApiObject | undefined> {
  let { object } = request;
  /** What each webhook that wants to be asked again has left behind. */
  const left = new Map<WebhookDefinition, ApiObject | undefined>();
  for (const call of calls) {
    const asked = { ...request, object };
    if (!conditionsHold(call.webhook, asked)) continue;
    object = await mutateOnce(client, call, asked);
    if (call.webhook.reinvocationPolicy === "IfNeeded") left.set(call.webhook, object);
  }
  for (const call of calls) {
    if (!left.has(call.webhook) || isEqual(left.get(call.webhook), object)) continue;
    const asked = { ...request, object };
    if (conditionsHold(call.webhook, asked)) object = await mutateOnce(client, call, asked);
  }
  return object;
}

async function mutateOnce(
  client: WebhookClient,
  { webhook, version }: Call,
  request: AdmissionRequest,
): Promise<ApiObject | undefined> {
  const answer = await callWebhook(client, webhook, request, version);
  if (!answer?.patch || !request.object) return request.object;
  const { resource } = request;
  const base = version === request.version ? request.object : await resource.convert(request.object, version);
  let patched: ApiObject;
  try {
    const operations = parseJSONPatch(JSON.parse(answer.patch));
    patched = cloneJSON(applyJSONPatch(base as never, operations)) as unknown as ApiObject;
  } catch (error) {
    throw internalError((error as Error).message);
  }
  return version === request.version ? patched : cloneJSON(await resource.convert(patched, request.version));
}
