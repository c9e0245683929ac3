import type { IncomingMessage } from "node:http";

/** A request that can't be handled, with the status of the answer. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** API servers allow objects of 3 MiB; a review contains two of them and more. */
const maxBody = 7 * 1024 * 1024;

/** Reads a JSON body. Throws an `HttpError` for one that is too large, of another type, or malformed. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const type = request.headers["content-type"]?.split(";")[0]?.trim();
  if (request.method !== "POST") throw new HttpError(405, "only POST is served here");
  if (type !== "application/json")
    throw new HttpError(400, `the content type is ${type ?? "missing"}, not application/json`);
  const chunks: Buffer[] = [];
  let length = 0;
  // The answer needs the connection, which the end of a loop would destroy.
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBody) throw new HttpError(413, `the body is larger than ${maxBody} bytes`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new HttpError(400, "the body is not JSON");
  }
}
