import type { IncomingMessage } from "node:http";
import { tooLarge } from "../contract/status-error.ts";

/** The largest request body that the API server accepts; etcd's limit is lower. */
export const bodyLimit = 3 * 1024 * 1024;

/** Reads a request's body up to the limit. The rest is received but discarded, so that the client reads the response. */
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
