import { randomUUID } from "node:crypto";
import { internalError, StatusError } from "../contract/status-error.ts";
import type { AdmissionRequest } from "../registry/admission-request.ts";
import { requestMap } from "../expressions/request-map.ts";
import { objectInVersion } from "../expressions/request-names.ts";
import type { WebhookClient } from "./webhook-client.ts";
import type { Webhook } from "./webhook.ts";

/** A webhook's response. */
export interface WebhookAnswer {
  readonly allowed: boolean;
  /** A JSON patch as text. */
  readonly patch?: string;
  readonly status?: { readonly code?: number; readonly message?: string; readonly reason?: string };
  readonly warnings?: readonly string[];
}

/**
 * Calls one webhook. A denial is thrown as the error that the client receives. So is a failed call, unless the failure
 * policy is `Ignore`: then the result is undefined.
 */
export async function callWebhook(
  client: WebhookClient,
  webhook: Webhook,
  request: AdmissionRequest,
  version: string,
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
    answer = readAnswer(body, uid);
  } catch (error) {
    if (webhook.failurePolicy === "Ignore") return undefined;
    throw internalError(
      `failed calling webhook ${JSON.stringify(webhook.name)}: failed to call webhook: ${(error as Error).message}`,
    );
  }
  for (const warning of answer.warnings ?? []) request.warn(warning);
  if (!answer.allowed) throw denied(webhook, answer);
  return answer;
}

function readAnswer(body: unknown, uid: string): WebhookAnswer {
  const { response, kind } = body as {
    kind?: string;
    response?: WebhookAnswer & { uid?: string; patch?: string; patchType?: string };
  };
  if (kind !== "AdmissionReview" || !response)
    throw new Error("webhook response is not an AdmissionReview with a response");
  if (response.uid !== uid)
    throw new Error(
      `expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(response.uid ?? "")}`,
    );
  const { allowed, status, warnings, patch, patchType } = response;
  if (patch && patchType !== "JSONPatch")
    throw new Error("webhook returned response.patch but not response.patchType");
  return {
    allowed: allowed,
    ...(status && { status }),
    ...(warnings && { warnings }),
    ...(patch && { patch: Buffer.from(patch, "base64").toString("utf8") }),
  };
}

/** A denial keeps the webhook's code and reason; the message names the webhook. */
function denied({ name }: Webhook, { status = {} }: WebhookAnswer): StatusError {
  const code = status.code && status.code >= 400 ? status.code : 403;
  const who = `admission webhook ${JSON.stringify(name)} denied the request`;
  const message = status.message
    ? `${who}: ${status.message}`
    : status.reason
      ? `${who}: ${status.reason}`
      : `${who} without explanation`;
  const reason = status.reason ?? (code === 403 ? "Forbidden" : undefined);
  return new StatusError(code, reason, message);
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
