import { expect, test } from "vitest";
import { ApiError } from "../errors/api-error.ts";
import { createLogger } from "../log/logger.ts";
import { admitRaw, reviewAdmission } from "./admit.ts";
import type { AdmissionRequest, AdmissionWebhook } from "./webhooks.ts";

const log = createLogger({ write() {} });
const { signal } = new AbortController();

/** As an API server sends it for `kubectl exec`. */
const exec = {
  uid: "u-1",
  operation: "CONNECT",
  kind: { group: "", version: "v1", kind: "PodExecOptions" },
  resource: { group: "", version: "v1", resource: "pods" },
  subResource: "exec",
  requestSubResource: "exec",
  name: "db-0",
  namespace: "prod",
  userInfo: { username: "alice" },
  object: { apiVersion: "v1", kind: "PodExecOptions", command: ["sh"], container: "db" },
  oldObject: null,
  dryRun: false,
};

/** Answers a whole AdmissionReview. */
async function review<Body extends object>(webhook: AdmissionWebhook<Body>, sent: object): Promise<object> {
  const body = { apiVersion: "admission.k8s.io/v1", kind: "AdmissionReview", request: sent };
  const answer = await reviewAdmission(body, (request) => admitRaw(webhook, log)(request, signal));
  return (answer as { response: object }).response;
}

function patchOf(response: object): unknown {
  return JSON.parse(Buffer.from((response as { patch: string }).patch, "base64").toString());
}

test("a CONNECT reaches the webhook with its options and subresource, and can be rejected with a warning", async () => {
  const seen: AdmissionRequest<object>[] = [];
  const response = await review<{ command?: string[] }>((request, { warn, request: same }) => {
    seen.push(request);
    expect(same).toBe(request);
    warn(`${request.userInfo.username} runs ${request.object?.command?.join(" ")}`);
    return { allowed: false, status: { message: "not in prod" }, auditAnnotations: { reason: "prod" } };
  }, exec);
  expect(seen).toEqual([exec]);
  expect(response).toEqual({
    uid: "u-1",
    allowed: false,
    status: { status: "Failure", code: 403, reason: "Forbidden", message: "not in prod" },
    warnings: ["alice runs sh"],
    auditAnnotations: { reason: "prod" },
  });
});

test("nothing, an empty decision and an unchanged object admit without a patch", async () => {
  const admitted = { uid: "u-1", allowed: true };
  expect(await review(() => {}, exec)).toEqual(admitted);
  expect(await review(async () => ({}), exec)).toEqual(admitted);
  expect(await review(({ object }) => ({ object: object! }), exec)).toEqual(admitted);
});

test("a changed object is sent as a patch against the original, even if the request's own was edited", async () => {
  const edited = await review<{ container?: string }>(({ object }) => {
    object!.container = "sidecar";
    return { object: object! };
  }, exec);
  expect(patchOf(edited)).toEqual([{ op: "replace", path: "/container", value: "sidecar" }]);
  const patch = [{ op: "remove", path: "/container" }] as const;
  expect(patchOf(await review(() => ({ patch }), exec))).toEqual(patch);
});

test("an error rejects: an ApiError with its status, any other with 403 and its message", async () => {
  const busy = new ApiError({ code: 429, reason: "TooManyRequests", message: "later" });
  expect(await review(() => Promise.reject(busy), exec)).toMatchObject({
    allowed: false,
    status: { code: 429, reason: "TooManyRequests", message: "later" },
  });
  expect(await review(() => Promise.reject(new Error("no")), exec)).toMatchObject({
    allowed: false,
    status: { code: 403, message: "no" },
  });
});

test.for([
  ["a text", "yes"],
  ["null", null],
  ["a decision that isn't a boolean", { allowed: "yes" }],
  ["an object and a patch", { object: {}, patch: [] }],
  ["a patch that is none", { patch: {} }],
  ["a patch of other things than operations", { patch: ["remove"] }],
  ["a misspelled field", { allow: false }],
] as const)("%s is a programming error and never admits", async ([, decision]) => {
  await expect(review(() => decision as never, exec)).rejects.toThrow(TypeError);
});

test("a changed object for a request without one is a programming error", async () => {
  const deletion = { ...exec, operation: "DELETE", object: null };
  await expect(review(() => ({ object: {} }), deletion)).rejects.toThrow("the request has none");
});
