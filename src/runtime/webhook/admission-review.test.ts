import { expect, test } from "vitest";
import { createLogger } from "../log/logger.ts";
import { admissionReview, admitWithDefaulter, admitWithValidator, readAdmissionReview } from "./admit.ts";
import type { AdmissionRequest } from "./webhooks.ts";

const whole = { uid: "u", operation: "CREATE", kind: { kind: "A" }, resource: { resource: "as" } };
const review = (request: unknown) => ({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request,
});

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
] as const)("a review whose request is %s, is refused and never let through", ([, request]) => {
  expect(() => readAdmissionReview(review(request))).toThrow(
    expect.objectContaining({ status: 400 }) as Error,
  );
});

test("a review with null for missing fields is accepted", () => {
  const request = { ...whole, object: { metadata: {} }, oldObject: null };
  expect(readAdmissionReview(review(request)).request).toBe(request);
});

test("the answer has the API version of the review", () => {
  const asked = { ...review(whole), apiVersion: "admission.k8s.io/v1beta1" };
  const { apiVersion, request } = readAdmissionReview(asked);
  expect(admissionReview(apiVersion, request.uid, { allowed: true })).toEqual({
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
