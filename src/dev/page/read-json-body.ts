import type { IncomingMessage } from "node:http";
import { RequestError } from "./request-error.ts";

/** The JSON that a request brings. Forms of other sites can't send this type. */
export async function readJsonBody(request: IncomingMessage, most: number): Promise<unknown> {
  const [type = ""] = (request.headers["content-type"] ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json")
    throw new RequestError(415, "the content type must be application/json");
  const parts: Buffer[] = [];
  let length = 0;
  // The answer goes through the same connection, which would be destroyed with the request.
  for await (const part of request.iterator({ destroyOnReturn: false })) {
    length += (part as Buffer).length;
    if (length > most)
      throw new RequestError(413, `the body has more than ${most} bytes`, { connection: "close" });
    parts.push(part as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString());
  } catch {
    throw new RequestError(400, "the body is not JSON");
  }
}
