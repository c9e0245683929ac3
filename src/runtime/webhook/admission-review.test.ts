import { expect, test } from "vitest";
import { createLogger } from "../log/logger.ts";
import { admitWithDefaulter, admitWithValidator, reviewAdmission } from "./admit.ts";
import type { AdmissionRequest } from "./webhooks.ts";

const whole = { uid: "u", operation: "CREATE", kind: { kind: "A" }, resource: { resource: "as" } };
const review = (request: unknown) => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request,
});

const allow = async () => ({ allowed: true });

test.for([
  ["nothing", undefined],
  ["null", null],
  ["a text", "u-1"],
  ["a number for a uid", { ...whole, uid: 1 }],
  ["no operation", { ...whole, operation: undefined }],
  ["an unknown operation", { ...whole, operation: "PATCH" }],
  ["no kind", { ...whole, kind: undefined }],
  ["no resource", { ...whole, resource: "as" }],
  ["an object that is a text", { ...whole, object: "text" }],
  ["an old object that is a list", { ...whole, oldObject: [] }],
] as const)("a review whose request is %s, is refused and never let through", async ([, request]) => {
  await expect(reviewAdmission(review(request), allow)).rejects.toMatchObject({ status: 400 });
});

test("a review with null for missing fields is accepted", async () => {
  const request = { ...whole, object: { metadata: {} }, oldObject: null };
  const seen: unknown[] = [];
  await reviewAdmission(review(request), (asked) => {
    seen.push(asked);
    return allow();
  });
  expect(seen).toEqual([request]);
});

test("the answer has the API version of the review", async () => {
  const asked = { ...review(whole), apiVersion: "admission.k8s.io/v1beta1" };
  expect(await reviewAdmission(asked, allow)).toEqual({
    apiVersion: "admission.k8s.io/v1beta1",
    kind: "AdmissionReview",
    response: { uid: "u", allowed: true },
  });
});

test.for([
  ["CREATE", { object: null }],
  ["CREATE", { object: { spec: {} } }],
  ["UPDATE", { object: { metadata: {} } }],
  ["DELETE", { oldObject: { metadata: "none" } }],
] as const)(
  "a %s without the objects that belong to it never reaches a validator or defaulter: %o",
  async ([operation, objects]) => {
    const log = createLogger({ write() {} });
    const request = { ...whole, operation, ...objects } as unknown as AdmissionRequest;
    const { signal } = new AbortController();
    const called: string[] = [];
    const tell = (name: string) => () => void called.push(name);
    const validate = admitWithValidator(
      { validateCreate: tell("create"), validateUpdate: tell("update"), validateDelete: tell("delete") },
      log,
    );
    await expect(validate(request, signal)).rejects.toMatchObject({ status: 400 });
    const wrong = { ...request, operation: "CREATE", object: { metadata: 1 } } as unknown as AdmissionRequest;
    await expect(admitWithDefaulter({ default: tell("default") }, log)(wrong, signal)).rejects.toMatchObject({
      status: 400,
    });
    expect(called).toEqual([]);
  },
);
