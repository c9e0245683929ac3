import type { IncomingMessage } from "node:http";
import { tooLarge } from "../status/index.ts";

/** What the API server takes in one request; etcd's own limit lies below it. */
export const bodyLimit = 3 * 1024 * 1024;

/** Reads a request's body, and stops at the limit. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > bodyLimit) throw tooLarge(bodyLimit);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size);
}
