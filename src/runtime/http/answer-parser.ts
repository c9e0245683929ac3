/** The status line and headers of an answer; header names in lower case, repeated headers joined. */
export interface AnswerHead {
  readonly status: number;
  readonly headers: { readonly [name: string]: string };
}

/** Receives an answer in parts. */
export interface AnswerSink {
  onHead(head: AnswerHead): void;
  onBody(chunk: Buffer): void;
  /** The answer is complete; `canReuse` says whether the connection can be used for another request. */
  onEnd(canReuse: boolean): void;
}

/** The element that is expected next. Bodies are `fixed` in length, or in chunks, each after a line with its size. */
type Stage = "head" | "fixed" | "size" | "chunk" | "chunk-end" | "trailers" | "until-close" | "done";

const maxHeadLength = 65_536;
const maxSizeLineLength = 1024;
const carriageReturn = 13;
const lineFeed = 10;

/** Parses answers from one connection, wherever its chunks end. Throws a `ProtocolError` for invalid HTTP. */
export class AnswerParser {
  readonly #sink: AnswerSink;
  #stage: Stage = "done";
  /** The unfinished part of a line or of the head. */
  #rest: Buffer | undefined;
  /** Remaining bytes of the body, or of its chunk. */
  #bytesLeft = 0;
  #canReuse = true;

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  /** Expects an answer from now on. */
  begin(): void {
    this.#stage = "head";
    this.#canReuse = true;
  }

  push(chunk: Buffer): void {
    let bytes: Buffer = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk;
    this.#rest = undefined;
    while (bytes.length > 0) {
      const length = this.#take(bytes);
      if (length < 0) {
        this.#rest = bytes;
        return;
      }
      bytes = bytes.subarray(length);
    }
  }

  /** The connection was closed. Returns whether the answer was complete: some bodies end with their connection. */
  close(): boolean {
    if (this.#stage !== "until-close") return this.#stage === "done";
    this.#canReuse = false;
    this.#finish();
    return true;
  }

  /** Parses one element; returns its length in bytes, -1 if it is incomplete. */
  #take(bytes: Buffer): number {
    switch (this.#stage) {
      case "head":
        return this.#takeHead(bytes);
      case "fixed":
      case "chunk":
        return this.#takeCounted(bytes);
      case "until-close":
        this.#sink.onBody(bytes);
        return bytes.length;
      case "size":
        return this.#takeSize(bytes);
      case "chunk-end":
        if (bytes.length < 2) return -1;
        if (bytes[0] !== carriageReturn || bytes[1] !== lineFeed)
          throw new ProtocolError("a chunk is longer than it says");
        this.#stage = "size";
        return 2;
      case "trailers": {
        const end = findEnd("\r\n", bytes, maxHeadLength);
        if (end === 0) this.#finish();
        else if (end > 0) readHeader(bytes.toString("latin1", 0, end));
        return end < 0 ? -1 : end + 2;
      }
      case "done":
        throw new ProtocolError("the server sent more than was asked for");
    }
  }

  #takeHead(bytes: Buffer): number {
    const end = findEnd("\r\n\r\n", bytes, maxHeadLength);
    if (end < 0) return -1;
    const { version, ...head } = readHead(bytes.toString("latin1", 0, end));
    // What follows is no longer HTTP: read as that, another's bytes would be the answer.
    if (head.status === 101) throw new ProtocolError("the server switches protocols, which nobody asked for");
    // 100 Continue and 103 Early Hints precede the answer.
    if (head.status >= 200) this.#beginBody(head, version);
    return end + 4;
  }

  #beginBody(head: AnswerHead, version: string): void {
    const { connection = "", "transfer-encoding": encoding, "content-length": length } = head.headers;
    const isKeptAlive =
      /\bkeep-alive\b/i.test(connection) || (version === "1.1" && !/\bclose\b/i.test(connection));
    // Two conflicting lengths, or an encoding that HTTP/1.0 doesn't have, are a means of request smuggling: the connection is not reused.
    const isDoubtful = encoding !== undefined && (length !== undefined || version === "1.0");
    this.#canReuse = isKeptAlive && !isDoubtful;
    this.#sink.onHead(head);
    if (head.status === 204 || head.status === 304) this.#finish();
    else if (encoding !== undefined) {
      if (encoding.toLowerCase() !== "chunked")
        throw new ProtocolError(`transfer-encoding "${encoding}" is none that was asked for`);
      this.#stage = "size";
    } else if (length !== undefined) {
      if (!/^\d+$/.test(length)) throw new ProtocolError(`content-length "${length}" is not a length`);
      this.#stage = "fixed";
      this.#bytesLeft = Number(length);
      if (this.#bytesLeft === 0) this.#finish();
    } else {
      this.#stage = "until-close";
    }
  }

  #takeCounted(bytes: Buffer): number {
    const part = bytes.length <= this.#bytesLeft ? bytes : bytes.subarray(0, this.#bytesLeft);
    this.#bytesLeft -= part.length;
    this.#sink.onBody(part);
    if (this.#bytesLeft > 0) return part.length;
    if (this.#stage === "chunk") this.#stage = "chunk-end";
    else this.#finish();
    return part.length;
  }

  #takeSize(bytes: Buffer): number {
    const end = findEnd("\r\n", bytes, maxSizeLineLength);
    if (end < 0) return -1;
    const line = bytes.toString("latin1", 0, end);
    const [, size] = /^([0-9a-f]{1,12})[\t ]*(?:;.*)?$/i.exec(line) ?? [];
    if (size === undefined) throw new ProtocolError(`"${line}" is not the size of a chunk`);
    this.#bytesLeft = Number.parseInt(size, 16);
    this.#stage = this.#bytesLeft === 0 ? "trailers" : "chunk";
    return end + 2;
  }

  #finish(): void {
    this.#stage = "done";
    this.#sink.onEnd(this.#canReuse);
  }
}

/** The server sent something that is not HTTP/1.1. */
export class ProtocolError extends Error {
  override readonly name = "ProtocolError";
  readonly code = "EPROTO";
}

/** The position of a delimiter; -1 if it hasn't arrived yet. Throws if it doesn't follow within a number of bytes. */
function findEnd(delimiter: string, bytes: Buffer, maxLength: number): number {
  const end = bytes.indexOf(delimiter, 0, "latin1");
  // The delimiter itself may be cut.
  if (end > maxLength || (end < 0 && bytes.length >= maxLength + delimiter.length))
    throw new ProtocolError(`nothing ended within ${maxLength} bytes`);
  return end;
}

/** Parses a status line and headers. Throws a `ProtocolError` if they are invalid. */
function readHead(text: string): AnswerHead & { readonly version: string } {
  const lines = text.split("\r\n");
  const [, version, status] =
    /^HTTP\/(1\.[01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/.exec(lines[0]!) ?? [];
  if (version === undefined || status === undefined)
    throw new ProtocolError(`"${lines[0]!.slice(0, 100)}" is not an HTTP/1.1 response`);
  const headers: { [name: string]: string } = {};
  for (let at = 1; at < lines.length; at++) {
    const [name, value] = readHeader(lines[at]!);
    const former = headers[name];
    headers[name] = former === undefined || former === value ? value : `${former}, ${value}`;
  }
  return { version, status: Number(status), headers };
}

/** Splits a line into the name of a header, in lower case, and its value. */
function readHeader(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(colon, 0)).toLowerCase();
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(line))
    throw new ProtocolError(`"${line.slice(0, 100)}" is not a header`);
  // A space of Latin-1 is none here: another parser would find another encoding.
  let [start, end] = [colon + 1, line.length];
  while (isBlank(line[start])) start++;
  while (end > start && isBlank(line[end - 1])) end--;
  return [name, line.slice(start, end)];
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\t";
}
