import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AnswerHead, AnswerParser, ProtocolError } from "./answer-parser.ts";

interface Answer {
  head: AnswerHead;
  body: string;
  canReuse: boolean;
}

/** Reads a text cut into pieces as one answer; `closed` says that the connection ended after it. */
function read(pieces: readonly Buffer[], { closed = false } = {}): Answer | undefined {
  let head: AnswerHead | undefined;
  const body: Buffer[] = [];
  let end: Answer | undefined;
  const parser = new AnswerParser({
    onHead: (seen) => void (head = seen),
    onBody: (chunk) => void body.push(Buffer.from(chunk)),
    onEnd: (canReuse) => void (end = { head: head!, body: Buffer.concat(body).toString("utf8"), canReuse }),
  });
  parser.begin();
  for (const piece of pieces) parser.push(piece);
  // Says by itself whether the answer was complete.
  if (closed && parser.close() !== (end !== undefined)) throw new Error("close() is wrong about the end");
  return end;
}

function cut(text: string, at: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text, "utf8");
  const ends = [...new Set(at.map((end) => end % (bytes.length + 1)))].sort((left, right) => left - right);
  return [0, ...ends].map((start, index) => bytes.subarray(start, ends[index] ?? bytes.length));
}

const body = '{"name":"größe 🎉"}';
const fixed = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const size = (text: string): string => Buffer.byteLength(text).toString(16);
const chunked = `HTTP/1.1 201 Created\r\nTransfer-Encoding: chunked\r\n\r\n${size(body)};x=1\r\n${body}\r\n3 \r\nabc\r\n0\r\nTrailer: x\r\n\r\n`;

describe("AnswerParser", () => {
  test.each([
    ["a counted body", fixed, 200, body],
    ["a body in chunks", chunked, 201, `${body}abc`],
    ["no body at all", "HTTP/1.1 204 No Content\r\n\r\n", 204, ""],
    ["an empty body", "HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n", 200, ""],
    [
      "hints before the answer",
      `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n${fixed}`,
      200,
      body,
    ],
  ])("reads %s, wherever it is cut", (_, text, status, wanted) => {
    fc.assert(
      fc.property(fc.array(fc.nat(text.length * 2), { maxLength: 12 }), (ends) => {
        expect(read(cut(text, ends))).toMatchObject({ head: { status }, body: wanted, canReuse: true });
      }),
    );
    expect(read([...Buffer.from(text)].map((byte) => Buffer.of(byte)))).toMatchObject({ body: wanted });
  });

  test("reads the longest line about a chunk wherever it is cut", () => {
    const line = `3;${"x".repeat(1022)}`;
    const text = `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${line}\r\nabc\r\n0\r\n\r\n`;
    for (const pieces of [[Buffer.from(text)], [...Buffer.from(text)].map((byte) => Buffer.of(byte))])
      expect(read(pieces)).toMatchObject({ body: "abc" });
    expect(() => read([Buffer.from(text.replace(";x", ";xx"))])).toThrow(ProtocolError);
  });

  test("reads a header of many spaces in the time of its length, and not of its square", () => {
    const before = process.cpuUsage();
    const head = read([
      Buffer.from(`HTTP/1.1 204 No Content\r\na: \t x${" ".repeat(60_000)}y \t\r\n\r\n`),
    ])?.head;
    expect(head?.headers["a"]).toBe(`x${" ".repeat(60_000)}y`);
    expect(process.cpuUsage(before).user).toBeLessThan(500_000);
  });

  test("takes the end of the connection for the end of a body without a length", () => {
    const text = "HTTP/1.1 200 OK\r\n\r\nall there is";
    expect(read([Buffer.from(text)])).toBeUndefined();
    expect(read([Buffer.from(text)], { closed: true })).toMatchObject({
      body: "all there is",
      canReuse: false,
    });
  });

  test.each([
    ["in a counted body", fixed.slice(0, -1)],
    ["in a body of chunks", chunked.slice(0, -2)],
    ["in the head", fixed.slice(0, 30)],
  ])("knows that an answer broke off %s", (_, text) => {
    expect(read([Buffer.from(text)], { closed: true })).toBeUndefined();
  });

  test.each([
    ["the server closes", "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n", false],
    ["the server is an old one", "HTTP/1.0 200 OK\r\ncontent-length: 0\r\n\r\n", false],
    [
      "an old server keeps it",
      "HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n",
      true,
    ],
    [
      "there are two lengths",
      "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-length: 3\r\n\r\n0\r\n\r\n",
      false,
    ],
  ])("tells whether the connection may be used again: %s", (_, text, canReuse) => {
    expect(read([Buffer.from(text)])).toMatchObject({ canReuse });
  });

  test("joins repeated headers, and believes a length that is said twice alike", () => {
    const text =
      "HTTP/1.1 200 OK\r\nWarning: a\r\nwarning:b \r\ncontent-length: 0\r\nContent-Length: 0\r\n\r\n";
    expect(read([Buffer.from(text)])?.head.headers).toEqual({ warning: "a, b", "content-length": "0" });
  });

  test.each([
    ["no head at all", "\r\n\r\n"],
    ["another protocol", "SSH-2.0-OpenSSH_9.2\r\n\r\n"],
    ["a header without a name", "HTTP/1.1 200 OK\r\n: x\r\n\r\n"],
    ["a header that goes on", "HTTP/1.1 200 OK\r\na: x\r\n y\r\n\r\n"],
    ["a bare return in the first line", "HTTP/1.1 200 O\rK\r\n\r\n"],
    ["an encoding behind a space of Latin-1", "HTTP/1.1 200 OK\r\ntransfer-encoding:\xa0chunked\r\n\r\n"],
    ["a status that is none", "HTTP/1.1 000 OK\r\n\r\n"],
    ["a trailer without a name", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\nx\r\n\r\n"],
    ["a zero byte in a header", "HTTP/1.1 200 OK\r\na: x\0y\r\n\r\n"],
    ["a line break without its return", "HTTP/1.1 200 OK\r\na: x\nb: y\r\n\r\n"],
    ["two lengths that differ", "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n"],
    ["a negative length", "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n"],
    ["an encoding nobody asked for", "HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n"],
    ["a chunk without a size", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n"],
    ["a chunk longer than its size", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nabc\r\n"],
    ["a head without an end", `HTTP/1.1 200 OK\r\na: ${"x".repeat(70_000)}`],
    ["more than one answer", fixed + fixed],
    [
      "another protocol that nobody asked for",
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\n\r\n${fixed}`,
    ],
  ])("refuses %s", (_, text) => {
    expect(() => read([Buffer.from(text, "latin1")])).toThrow(ProtocolError);
  });

  test("gives one answer after another", () => {
    const ends: boolean[] = [];
    const parser = new AnswerParser({ onHead() {}, onBody() {}, onEnd: (canReuse) => ends.push(canReuse) });
    for (const text of [chunked, fixed]) {
      parser.begin();
      parser.push(Buffer.from(text));
    }
    expect(ends).toEqual([true, true]);
  });
});
