import { TerminalError } from "../errors/terminal-error.ts";

/** A request as it is sent. */
export interface WireRequest {
  readonly method: string;
  readonly host: string;
  /** Including the query. */
  readonly path: string;
  /** Header names in lower case. */
  readonly headers: { readonly [name: string]: string | readonly string[] };
  readonly body: string | undefined;
}

/** Serializes a request for HTTP/1.1. Throws a `TerminalError` for anything that would inject a second request. */
export function requestBytes({ method, host, path, headers, body }: WireRequest): string | Buffer {
  if (/[^\x21-\x7e]/.test(path))
    throw new TerminalError(`"${path}" is not a valid URL path: percent-encode it`);
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\n`;
  for (const name in headers) {
    const value = headers[name]!;
    if (typeof value === "string") head += headerLine(name, value);
    else for (const each of value) head += headerLine(name, each);
  }
  if (body !== undefined) head += `content-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  else head += method === "GET" || method === "DELETE" ? "\r\n" : "content-length: 0\r\n\r\n";
  // One write makes one packet and one TLS record. Headers are Latin-1, bodies UTF-8: the same for ASCII.
  if (isAscii(head)) return body === undefined ? head : head + body;
  return Buffer.concat([Buffer.from(head, "latin1"), Buffer.from(body ?? "")]);
}

function headerLine(name: string, value: string): string {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name))
    throw new TerminalError(`"${name}" is not a valid header name`);
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
    throw new TerminalError(`the header "${name}" has a character that is invalid in headers`);
  return `${name}: ${value}\r\n`;
}

function isAscii(text: string): boolean {
  return !/[\x80-\xff]/.test(text);
}
