import { randomUUID } from "node:crypto";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import type { Reply, RequestContext } from "../http/request-context.ts";

const compress = promisify(gzip);
const compressFrom = 128 * 1024;

/** Sends a response. Large bodies are compressed if the client accepts gzip; streams never are. */
export async function sendReply(context: RequestContext, reply: Reply): Promise<void> {
  const { request, response } = context;
  if (response.headersSent || response.destroyed) return;
  response.setHeader("Audit-Id", randomUUID());
  response.setHeader("Cache-Control", "no-cache, private");
  if (reply.contentType) response.setHeader("Content-Type", reply.contentType);
  if (context.warnings.size > 0) response.setHeader("Warning", [...context.warnings].map(warningHeader));
  for (const [name, value] of Object.entries(reply.headers ?? {})) response.setHeader(name, value);
  response.statusCode = reply.code;
  if (reply.stream) return reply.stream(response);

  let body = typeof reply.body === "string" ? Buffer.from(reply.body) : (reply.body ?? Buffer.alloc(0));
  if (body.length >= compressFrom && /\bgzip\b/.test(request.headers["accept-encoding"] ?? "")) {
    body = await compress(body, { level: 1 });
    response.setHeader("Content-Encoding", "gzip");
    response.setHeader("Vary", "Accept-Encoding");
  }
  response.setHeader("Content-Length", body.length);
  response.end(context.method === "HEAD" ? undefined : body);
}

/** A warning header. Its text is a quoted string without control characters, which would end the header. */
function warningHeader(text: string): string {
  const printable = text.replace(/[^\x20-\x7e]/g, " ").replace(/["\\]/g, "\\$&");
  return `299 - "${printable}"`;
}
