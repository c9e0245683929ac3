import { randomUUID } from "node:crypto";
import type { JSONPatch } from "@tsbuilder/apimachinery/patch";
import type { ApiObject } from "../contract/api-object.ts";
import { internalError, qualifiedName, StatusError } from "../contract/status-error.ts";
import type { AdmissionRequest } from "../registry/admission-request.ts";
import { currentWriter } from "../registry/writers.ts";
import { denied, InvalidAnswerError, readAnswer, type WebhookAnswer } from "./webhook-answer.ts";
import { requestMap } from "../expressions/request-map.ts";
import { objectInVersion } from "../expressions/request-names.ts";
import { type AdmissionCall, type CallObserver, failureOf, startTiming } from "./webhook-call.ts";
import type { WebhookClient } from "./webhook-client.ts";
import type { ConfiguredWebhook, Webhook } from "./webhook.ts";

/** The version in which a webhook wants the object, and what the webhook may do. */
export interface CallOptions {
  readonly version: string;
  readonly type: "mutating" | "validating";
  /** Applies a mutating webhook's patch. */
  readonly apply?: (patch: JSONPatch) => Promise<ApiObject | undefined>;
}

/** What webhooks are called by, and who is told of it. */
export interface Caller {
  readonly client: WebhookClient;
  readonly observer: CallObserver | undefined;
}

/**
 * Calls one webhook, and returns the object as it has patched it; undefined if it hasn't. A denial is thrown as the error
 * that the client receives. So is a failed call, unless the failure policy is `Ignore`.
 */
export async function callWebhook(
  { client, observer }: Caller,
  { configuration, webhook }: ConfiguredWebhook,
  request: AdmissionRequest,
  { version, type, apply }: CallOptions,
): Promise<ApiObject | undefined> {
  checkDryRun(webhook, request);
  const uid = randomUUID();
  const asked = await describe(request, version, uid);
  const review = { kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1", request: asked };
  const timing = observer && startTiming(observer);
  const tell = (end: Pick<AdmissionCall, "answer" | "failure" | "ignored">): void =>
    observer?.tell({ ...timing!(), type, configuration, ...factsOf(webhook, request, asked), ...end });
  let answer: WebhookAnswer;
  try {
    const body = await client.post(webhook.clientConfig, review, webhook.timeoutSeconds ?? 10);
    answer = readAnswer(body, { uid, mutating: type === "mutating" });
  } catch (error) {
    const ignored = webhook.failurePolicy === "Ignore";
    tell({ failure: failureOf(error), ignored });
    if (ignored) return undefined;
    const { message } = error as Error;
    const why = error instanceof InvalidAnswerError ? message : `failed to call webhook: ${message}`;
    throw internalError(`failed calling webhook ${JSON.stringify(webhook.name)}: ${why}`);
  }
  for (const warning of answer.warnings ?? []) request.warn(warning);
  let patched: ApiObject | undefined;
  try {
    if (answer.allowed && answer.patch) patched = await apply?.(answer.patch);
  } catch (error) {
    tell({ answer, failure: failureOf(error), ignored: false });
    throw error;
  }
  tell({ answer, ignored: false });
  if (!answer.allowed) throw denied(webhook, answer);
  return patched;
}

function checkDryRun({ name, sideEffects }: Webhook, { dryRun }: AdmissionRequest): void {
  if (!dryRun || sideEffects === "None" || sideEffects === "NoneOnDryRun") return;
  throw new StatusError(
    400,
    "BadRequest",
    `admission webhook ${JSON.stringify(name)} does not support dry run`,
  );
}

async function describe(request: AdmissionRequest, version: string, uid: string) {
  const { object, oldObject } = request;
  const [after, before] = await Promise.all(
    [object, oldObject].map((each) => objectInVersion(each, request, version)),
  );
  return { uid, ...requestMap(request, version), object: after ?? null, oldObject: before ?? null };
}

/** What a call is about, for who is told of it. */
function factsOf(
  webhook: Webhook,
  request: AdmissionRequest,
  { uid, object, oldObject }: Awaited<ReturnType<typeof describe>>,
) {
  const { resource, operation, subresource, dryRun, user, namespace } = request;
  const { name = "", generateName = "" } = (object ?? oldObject)?.metadata ?? {};
  const shownName = request.name || name || generateName;
  return {
    uid,
    webhook: webhook.name,
    resource: qualifiedName(resource),
    operation,
    subresource,
    key: namespace === "" ? shownName : `${namespace}/${shownName}`,
    dryRun,
    by: currentWriter() ?? { user: user.name },
    failurePolicy: webhook.failurePolicy === "Ignore" ? ("Ignore" as const) : ("Fail" as const),
    object: object ?? undefined,
    oldObject: oldObject ?? undefined,
  };
}
