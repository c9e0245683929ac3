import { randomUUID } from "node:crypto";
import type { OutgoingHttpHeaders, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { Reply, RequestContext } from "../http/request-context.ts";
import type { TimeSlices } from "../http/time-slices.ts";

/** Bodies from this size on are compressed, as on the real server. */
const compressFrom = 128 * 1024;

/** A block is encrypted and written at once, which should take less than a millisecond. */
export const blockSize = 128 * 1024;

/** Sends a response. A large body is compressed if the client accepts gzip, and sent no faster than the client reads. */
export async function sendReply(
  context: RequestContext,
  response: ServerResponse,
  reply: Reply,
  slices: TimeSlices,
): Promise<void> {
  if (response.headersSent || response.destroyed || reply.takeOver) return;
  const headers = headersOf(context, reply);
  if (reply.stream) {
    response.writeHead(reply.code, headers);
    return reply.stream(response);
  }
  const parts = partsOf(reply.body);
  const size = parts.reduce((sum, { length }) => sum + length, 0);
  const isCompressed =
    size >= compressFrom && /\bgzip\b/.test(context.request.headers["accept-encoding"] ?? "");
  response.writeHead(reply.code, {
    ...headers,
    ...(isCompressed ? { "Content-Encoding": "gzip", Vary: "Accept-Encoding" } : { "Content-Length": size }),
  });
  if (context.method === "HEAD") response.end();
  else if (isCompressed) await sendCompressed(response, parts);
  else if (size <= blockSize) response.end(parts.length === 1 ? parts[0] : Buffer.concat(parts));
  else await sendBlocks(response, parts, slices);
}

/** The headers of every response, except those about the length and encoding of its body. */
export function headersOf(context: RequestContext, reply: Reply): OutgoingHttpHeaders {
  // Go drops warnings that are empty or have control characters.
  const warnings = [...context.warnings].filter((text) => /^\P{Cc}+$/u.test(text));
  return {
    "Audit-Id": randomUUID(),
    "Cache-Control": "no-cache, private",
    ...(reply.contentType && { "Content-Type": reply.contentType }),
    ...(warnings.length > 0 && { Warning: warnings.map(warningHeader) }),
    ...reply.headers,
  };
}

/** A warning header. Its text is a quoted string in UTF-8, whose bytes Node takes as characters of Latin-1. */
function warningHeader(text: string): string {
  const quoted = text.replace(/["\\]/g, "\\$&");
  return `299 - "${Buffer.from(quoted).toString("latin1")}"`;
}

/** The bytes of a body, in parts. */
export function partsOf(body: Reply["body"] = ""): readonly Buffer[] {
  if (typeof body === "string") return [Buffer.from(body)];
  return Buffer.isBuffer(body) ? [body] : body;
}

async function sendCompressed(response: ServerResponse, parts: readonly Buffer[]): Promise<void> {
  const blocks = Readable.from(blocksOf(parts), { highWaterMark: 1 });
  try {
    await pipeline(blocks, createGzip({ level: 1 }), response);
  } catch (error) {
    // The client has disconnected.
    if ((error as NodeJS.ErrnoException).code !== "ERR_STREAM_PREMATURE_CLOSE") throw error;
  }
}

async function sendBlocks(response: ServerResponse, parts: readonly Buffer[], slices: TimeSlices) {
  const pause = slices.begin();
  for (const block of blocksOf(parts)) {
    if (response.destroyed) return;
    if (!response.write(block)) await untilDrained(response);
    const paused = pause();
    if (paused) await paused;
  }
  response.end();
}

/** Joins small parts, and cuts large ones, into blocks of at most `blockSize` bytes. */
export function* blocksOf(parts: Iterable<Buffer>): Generator<Buffer> {
  let block: Buffer[] = [];
  let size = 0;
  for (const part of parts) {
    for (let start = 0; start < part.length; start += blockSize) {
      const piece = part.subarray(start, start + blockSize);
      if (size + piece.length > blockSize) {
        yield Buffer.concat(block);
        block = [];
        size = 0;
      }
      block.push(piece);
      size += piece.length;
    }
  }
  if (size > 0) yield Buffer.concat(block);
}

/** Resolves when the client has read what was written, or has disconnected. */
function untilDrained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off("drain", done).off("close", done);
      resolve();
    };
    response.on("drain", done).on("close", done);
  });
}
