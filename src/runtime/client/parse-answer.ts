import { isObject } from "@tsbuilder/apimachinery/json";
import { ApiError } from "../errors/api-error.ts";

/**
 * Reads the JSON object that an answer is. Throws an `ApiError` for what is none: the page of a proxy, a text that was
 * cut off. It must not look like an error of the program.
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

/** An answer that is not what an API server would say. */
export function malformed(text: string, request: string, cause?: unknown): ApiError {
  const start = text === "" ? "it is empty" : `it begins with ${JSON.stringify(text.slice(0, 80))}`;
  const message = `the answer is no object of an API server: ${start}. Does a proxy stand in between?`;
  return new ApiError({ code: 0, reason: "Malformed", message }, { request, cause });
}
