import type { IncomingMessage } from "node:http";
import { RefusedRequest } from "./refused-request.ts";

/** The JSON that a request brings. Forms of other sites can't send this type. */
export async function readJsonBody(request: IncomingMessage, most: number): Promise<unknown> {
  const [type = ""] = (request.headers["content-type"] ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json")
    throw new RefusedRequest(415, "the content type must be application/json");
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request) {
    length += (part as Buffer).length;
    // Nobody reads the rest, so the connection can't be used again.
    if (length > most)
      throw new RefusedRequest(413, `the body has more than ${most} bytes`, { connection: "close" });
    parts.push(part as Buffer);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString());
  } catch {
    throw new RefusedRequest(400, "the body is not JSON");
  }
}
