import { isObject } from "@tsbuilder/apimachinery/json";
import { ApiError } from "../errors/api-error.ts";

/**
 * Parses an answer as a JSON object. Throws an `ApiError` for anything else, such as a proxy's error page or truncated
 * text, so that it doesn't look like a bug of the program.
 */
export function parseAnswer(text: string, request: string): object {
  let value: unknown;
  let cause: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    cause = error;
  }
  if (isObject(value)) return value;
  throw malformed(text, request, cause);
}

/** An answer that an API server would not send. */
export function malformed(text: string, request: string, cause?: unknown): ApiError {
  const start = text === "" ? "it is empty" : `it begins with ${JSON.stringify(text.slice(0, 80))}`;
  const message = `the answer is not a Kubernetes object: ${start}. Is a proxy in between?`;
  return new ApiError({ code: 0, reason: "Malformed", message }, { request, cause });
}
