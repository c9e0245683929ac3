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
