import { randomUUID } from "node:crypto";
import { internalError, StatusError } from "../contract/status-error.ts";
import type { AdmissionRequest } from "../registry/admission-request.ts";
import { denied, InvalidAnswerError, readAnswer, type WebhookAnswer } from "./webhook-answer.ts";
import { requestMap } from "../expressions/request-map.ts";
import { objectInVersion } from "../expressions/request-names.ts";
import type { WebhookClient } from "./webhook-client.ts";
import type { Webhook } from "./webhook.ts";

/** The version in which a webhook wants the object, and what the webhook may do. */
export interface WebhookCall {
  readonly version: string;
  readonly type: "mutating" | "validating";
}

/**
 * Calls one webhook. A denial is thrown as the error that the client receives. So is a failed call, unless the failure
 * policy is `Ignore`: then the result is undefined.
 */
export async function callWebhook(
  client: WebhookClient,
  webhook: Webhook,
  request: AdmissionRequest,
  { version, type }: WebhookCall,
): Promise<WebhookAnswer | undefined> {
  checkDryRun(webhook, request);
  const uid = randomUUID();
  const review = {
    kind: "AdmissionReview",
    apiVersion: "admission.k8s.io/v1",
    request: await describe(request, version, uid),
  };
  let answer: WebhookAnswer;
  try {
    const body = await client.post(webhook.clientConfig, review, webhook.timeoutSeconds ?? 10);
    answer = readAnswer(body, { uid, mutating: type === "mutating" });
  } catch (error) {
    if (webhook.failurePolicy === "Ignore") return undefined;
    const { message } = error as Error;
    const why = error instanceof InvalidAnswerError ? message : `failed to call webhook: ${message}`;
    throw internalError(`failed calling webhook ${JSON.stringify(webhook.name)}: ${why}`);
  }
  for (const warning of answer.warnings ?? []) request.warn(warning);
  if (!answer.allowed) throw denied(webhook, answer);
  return answer;
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
