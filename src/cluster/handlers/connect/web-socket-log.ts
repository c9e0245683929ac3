import { createHash } from "node:crypto";
import type { Duplex, Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { StatusError, badRequest } from "../../contract/status-error.ts";
import type { Reply, RequestContext } from "../../http/request-context.ts";

/** The subprotocols of a stream that only the server sends: in binary messages, or in texts of base64. */
const protocols = ["", "binary.k8s.io", "base64.binary.k8s.io"];

/** What RFC 6455 appends to a client's key. */
const acceptGUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

const [textFrame, binaryFrame, closeFrame, pingFrame, pongFrame] = [1, 2, 8, 9, 10];

/** Returns the reply that sends a log by WebSocket, as kube-apiserver does; undefined for other requests. */
export function webSocketReply({ request: { headers } }: RequestContext, log: Readable): Reply | undefined {
  if (headers.upgrade?.toLowerCase() !== "websocket") return undefined;
  const { "sec-websocket-key": key, "sec-websocket-version": version } = headers;
  if (!key || version !== "13") throw badRequest("the request is no handshake of a WebSocket of version 13");
  const asked = (headers["sec-websocket-protocol"] ?? "").split(",").map((name) => name.trim());
  const protocol = asked.find((name) => protocols.includes(name));
  if (protocol === undefined)
    throw new StatusError(403, "Forbidden", `no subprotocol of ${asked.join(", ")} is supported`);
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Upgrade: websocket",
    "Connection: Upgrade",
    `Sec-WebSocket-Accept: ${createHash("sha1").update(`${key}${acceptGUID}`).digest("base64")}`,
    ...(protocol === "" ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
  ];
  const isText = protocol.startsWith("base64.");
  const takeOver = (client: Duplex, head: Buffer): void => {
    client.write(`${lines.join("\r\n")}\r\n\r\n`);
    client.unshift(head);
    answerControlFrames(client);
    client.once("close", () => log.destroy());
    pipeline(log, (chunks) => messagesOf(chunks as AsyncIterable<Buffer>, isText), client, { end: false })
      .catch(() => undefined)
      .finally(() => client.end(() => client.destroy()));
  };
  return { code: 101, takeOver };
}

/** Frames the messages of a log: an empty one at once, so that clients know that it was opened, and the normal end. */
async function* messagesOf(log: AsyncIterable<Buffer>, isText: boolean): AsyncGenerator<Buffer> {
  const message = (bytes: Buffer): Buffer =>
    isText ? frame(textFrame, Buffer.from(bytes.toString("base64"))) : frame(binaryFrame, bytes);
  yield message(Buffer.alloc(0));
  for await (const chunk of log) yield message(chunk);
  yield normalEnd;
}

function frame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const size = length < 126 ? [length] : length < 2 ** 16 ? [126, length >> 8, length & 0xff] : undefined;
  const head = Buffer.from([0x80 | opcode, ...(size ?? [127, 0, 0, 0, 0, 0, 0, 0, 0])]);
  if (!size) head.writeUIntBE(length, 4, 6);
  return Buffer.concat([head, payload]);
}

/** The closing frame with code 1000. */
const normalEnd = frame(closeFrame, Buffer.from([0x03, 0xe8]));

/** Answers pings and ends with the client. It has nothing else to say: a longer message than those ends it, too. */
function answerControlFrames(client: Duplex): void {
  let unread = Buffer.alloc(0);
  client.on("data", (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    while (unread.length >= 2) {
      const [opcode, length] = [unread[0]! & 0xf, unread[1]! & 0x7f];
      if (opcode === closeFrame || length > 125) return client.end(normalEnd, () => client.destroy());
      if (unread.length < 6 + length) return;
      const mask = unread.subarray(2, 6);
      const sent = Buffer.from(unread.subarray(6, 6 + length).map((byte, at) => byte ^ mask[at % 4]!));
      if (opcode === pingFrame) client.write(frame(pongFrame, sent));
      unread = unread.subarray(6 + length);
    }
  });
}
