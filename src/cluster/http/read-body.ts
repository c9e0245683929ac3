import type { IncomingMessage } from "node:http";
import { tooLarge } from "../contract/status-error.ts";

/** What the API server takes in one request; etcd's own limit lies below it. */
export const bodyLimit = 3 * 1024 * 1024;

/** Reads a request's body, and keeps no more of it than the limit; the rest is passed over, so that the client reads the answer. */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bodyLimit) chunks.push(chunk);
      else {
        chunks.length = 0;
        reject(tooLarge(bodyLimit));
      }
    });
    request.on("error", reject);
    request.on("end", () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
  });
}
