import { expect, test } from "vitest";
import { ApiError } from "./api-error.ts";

/** The getters that are true for an error. */
function answersOf(error: ApiError): string[] {
  const getters = Object.getOwnPropertyNames(ApiError.prototype).filter((name) => name.startsWith("is"));
  return getters.filter((name) => error[name as keyof ApiError] === true);
}

// The reasons of metav1.StatusReason, and those of the client's own errors.
test.each([
  ["AlreadyExists", 409, ["isAlreadyExists"]],
  ["AlreadyOwned", 409, ["isAlreadyOwned"]],
  ["BadRequest", 400, ["isBadRequest"]],
  ["Conflict", 409, ["isConflict"]],
  ["Expired", 410, ["isGone"]],
  ["Forbidden", 403, ["isForbidden"]],
  ["Gone", 410, ["isGone"]],
  ["InternalError", 500, ["isInternalError"]],
  ["Invalid", 422, ["isInvalid"]],
  ["Malformed", 0, ["isMalformed"]],
  ["MethodNotAllowed", 405, ["isMethodNotAllowed"]],
  ["NoKindMatch", 404, ["isNoKindMatch"]],
  ["NotAcceptable", 406, ["isNotAcceptable"]],
  ["NotFound", 404, ["isNotFound"]],
  ["RequestEntityTooLarge", 413, ["isRequestEntityTooLarge"]],
  ["ServerTimeout", 500, ["isTimeout"]],
  ["ServiceUnavailable", 503, ["isServiceUnavailable"]],
  ["StoreReadError", 500, ["isStoreReadError"]],
  ["Timeout", 504, ["isTimeout"]],
  ["TooManyRequests", 429, ["isTooManyRequests"]],
  ["Unauthorized", 401, ["isUnauthorized"]],
  ["Unreachable", 0, ["isUnreachable"]],
  ["UnsupportedMediaType", 415, ["isUnsupportedMediaType"]],
  ["Unknown", 418, []],
])("an error of reason %s, with status %d, is told by %j", (reason, code, getters) => {
  expect(answersOf(new ApiError({ code, reason }))).toEqual(getters);
});

test.each([
  [400, ["isBadRequest"]],
  [404, ["isNotFound"]],
  [409, ["isConflict"]],
  [429, ["isTooManyRequests"]],
  [503, ["isServiceUnavailable"]],
  [504, ["isTimeout"]],
  [418, []],
])("an error of status %d without a reason, as from a proxy, has the one of that status", (code, getters) => {
  expect(answersOf(new ApiError({ code }))).toEqual(getters);
});

// Webhooks write what they like as a reason; Go's apierrors.IsForbidden(err) then goes by the code.
test.each([
  [403, "no changes on Sundays", ["isForbidden"]],
  [409, "somebody else is at it", ["isConflict"]],
  [429, "slow down", ["isTooManyRequests"]],
  [404, "", ["isNotFound"]],
])(
  "an error of status %d with the reason %j, which the API doesn't know, is told by %j",
  (code, reason, getters) => {
    expect(answersOf(new ApiError({ code, reason }))).toEqual(getters);
  },
);

test("an error of too many requests is told by its reason alone, as Go does", () => {
  expect(answersOf(new ApiError({ reason: "TooManyRequests" }))).toEqual(["isTooManyRequests"]);
});

test("fields of a Status that are null or empty, as other servers than Kubernetes' write them, count as missing", () => {
  const body = JSON.parse(
    '{ "code": 409, "reason": "", "message": "", "details": { "causes": null, "retryAfterSeconds": null } }',
  );
  const error = new ApiError(body);
  expect(answersOf(error)).toEqual(["isConflict"]);
  expect(error).toMatchObject({
    reason: "Conflict",
    message: "request failed",
    retryAfterSeconds: undefined,
  });
  expect(answersOf(new ApiError({ ...body, details: null }))).toEqual(["isConflict"]);
});
