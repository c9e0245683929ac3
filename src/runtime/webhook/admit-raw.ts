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

const fields: ReadonlySet<string> = new Set<keyof AdmissionDecision>([
  "allowed",
  "status",
  "object",
  "patch",
  "auditAnnotations",
]);

function answerOf(decision: AdmissionDecision, { object }: AdmissionRequest): AdmissionAnswer {
  const { allowed = true, auditAnnotations, patch } = decision;
  // A misspelled `allowed` would admit what was to be rejected.
  const unknown = Object.keys(decision).find((field) => !fields.has(field));
  if (unknown !== undefined) throw new TypeError(`the decision has an unknown field ${show(unknown)}`);
  if (typeof allowed !== "boolean") throw new TypeError(`allowed is ${show(allowed)}: it must be a boolean`);
  if (!allowed) {
    const status = { status: "Failure", code: 403, reason: "Forbidden", ...decision.status } as const;
    return { allowed, auditAnnotations, status };
  }
  if (patch !== undefined && !isPatch(patch))
    throw new TypeError(`patch is ${show(patch)}: it must be an array of operations`);
  if (patch && decision.object)
    throw new TypeError("the webhook returned an object and a patch: return one of them");
  if (!decision.object) return { allowed, auditAnnotations, patch };
  if (!object) throw new TypeError("the webhook returned an object, but the request has none");
  return { allowed, auditAnnotations, patch: createJSONPatch(object, decision.object) };
}

function isPatch(patch: unknown): boolean {
  return Array.isArray(patch) && patch.every((operation) => isObject(operation) && "op" in operation);
}
