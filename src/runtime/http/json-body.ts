// The bodies of responses: `parseResponse` reads one object, `JsonLines` a stream of them, such as the events of a watch.

import { isObject } from "@tsbuilder/apimachinery/json";
import { ApiError } from "../errors/api-error.ts";

const newline = 10;

/**
 * Splits a byte stream into lines of JSON, wherever its chunks end: within a line, within a character, or after many
 * lines. A line is stored in pieces until its end arrives, so that one of many megabytes is copied once.
 */
export class JsonLines {
  #pieces: Buffer[] = [];

  /** Adds a chunk and returns the lines that it completes, without blank ones. */
  push(chunk: Buffer): string[] {
    const lines: string[] = [];
    let start = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      const line = this.#finish(chunk.subarray(start, end));
      if (line !== "" && line !== "\r") lines.push(line);
      start = end + 1;
    }
    if (start < chunk.length) this.#pieces.push(chunk.subarray(start));
    return lines;
  }

  /** The bytes after the last newline. A stream that ended properly has none. */
  get rest(): string {
    return Buffer.concat(this.#pieces).toString("utf8");
  }

  #finish(last: Buffer): string {
    if (this.#pieces.length === 0) return last.toString("utf8");
    const line = Buffer.concat([...this.#pieces, last]).toString("utf8");
    this.#pieces = [];
    return line;
  }
}

/**
 * Parses a response as a JSON object. Throws an `ApiError` for anything else, such as a proxy's error page or truncated
 * text, so that it doesn't look like a bug of the program.
 */
export function parseResponse(text: string, request: string): object {
  let value: unknown;
  let cause: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    cause = error;
  }
  if (isObject(value)) return value;
  throw malformedResponse(text, request, cause);
}

/** The error for a response that an API server would not send. */
export function malformedResponse(text: string, request: string, cause?: unknown): ApiError {
  const start = text === "" ? "it is empty" : `it begins with ${JSON.stringify(text.slice(0, 80))}`;
  const message = `the answer is not a Kubernetes object: ${start}. Is a proxy in between?`;
  return new ApiError({ code: 0, reason: "Malformed", message }, { request, cause });
}
