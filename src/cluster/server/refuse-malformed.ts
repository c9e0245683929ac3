import type { Duplex } from "node:stream";

/** Go's server waits this long for the client to read the response: a reset would discard it. */
const lingerMilliseconds = 500;

/** Connections that got their response. */
const refused = new WeakSet<Duplex>();

/** Responds to what is not an HTTP request, or has too many headers, as Go's server does, and ends the connection. */
export function refuseMalformed({ code }: NodeJS.ErrnoException, socket: Duplex): void {
  if (refused.has(socket)) return;
  if (!socket.writable || code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  refused.add(socket);
  const status =
    code === "HPE_HEADER_OVERFLOW"
      ? "431 Request Header Fields Too Large"
      : code === "ERR_HTTP_REQUEST_TIMEOUT"
        ? "408 Request Timeout"
        : "400 Bad Request";
  const headers = "Content-Type: text/plain; charset=utf-8\r\nConnection: close";
  socket.end(`HTTP/1.1 ${status}\r\n${headers}\r\n\r\n${status}`);
  // What the client still sends is received but discarded.
  socket.resume();
  setTimeout(() => socket.destroy(), lingerMilliseconds).unref();
}
