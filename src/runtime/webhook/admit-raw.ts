import { isObject } from "@tsbuilder/apimachinery/json";
import { createJSONPatch } from "@tsbuilder/apimachinery/patch";
import { show } from "../callbacks/thrown-error.ts";
import type { Logger } from "../log/logger.ts";
import { answerSafely } from "./admit.ts";
import type { AdmissionAnswer, AdmissionHandler } from "./admission-review.ts";
import type { AdmissionDecision, AdmissionWebhook } from "./admission-webhook.ts";
import type { AdmissionRequest } from "./webhooks.ts";

/** Runs a webhook that decides about the request itself. Its object is a copy, so the webhook may change it. */
export function admitRaw<Body extends object>(
  handler: AdmissionWebhook<Body>,
  log: Logger,
): AdmissionHandler {
  return (request, signal) =>
    answerSafely(request, signal, log, async (context) => {
      const copy = { ...request, ...(request.object && { object: structuredClone(request.object) }) };
      const asked = copy as unknown as AdmissionRequest<Body>;
      const decision = (await handler(asked, { ...context, request: asked })) as
        | AdmissionDecision
        | undefined;
      if (decision === undefined) return { allowed: true };
      if (!isObject(decision))
        throw new TypeError(`the webhook returned ${show(decision)}, which is not a decision`);
      return answerOf(decision, request);
    });
}

function answerOf(decision: AdmissionDecision, { object }: AdmissionRequest): AdmissionAnswer {
  const { allowed = true, auditAnnotations } = decision;
  if (typeof allowed !== "boolean") throw new TypeError(`allowed is ${show(allowed)}: it must be a boolean`);
  if (!allowed) {
    const status = { status: "Failure", code: 403, reason: "Forbidden", ...decision.status } as const;
    return { allowed, auditAnnotations, status };
  }
  if (decision.patch && decision.object)
    throw new TypeError("the webhook returned an object and a patch: return one of them");
  if (!decision.object) return { allowed, auditAnnotations, patch: decision.patch };
  if (!object) throw new TypeError("the webhook returned an object, but the request has none");
  return { allowed, auditAnnotations, patch: createJSONPatch(object, decision.object) };
}
