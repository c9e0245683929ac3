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

  /** By the sections of RFC 9112, or of RFC 9110 with an X: the rest of an answer after `HTTP/`, and what it must be. */
  test.each<[section: string, rule: string, text: string, wanted: string | undefined, canReuse?: boolean]>([
    ["2.2", "a bare CR is invalid", "1.1 200 OK\r\na: x\ry\r\n\r\n", undefined],
    ["2.3", "other major versions are others", "2.0 200 OK\r\ncontent-length: 0\r\n\r\n", undefined],
    ["4", "a reason may be empty", "1.1 200 \r\ncontent-length: 1\r\n\r\nx", "x", true],
    ["4", "a status has three digits", "1.1 20 OK\r\ncontent-length: 1\r\n\r\nx", undefined],
    ["5.1", "no space before the colon", "1.1 200 OK\r\ncontent-length : 1\r\n\r\nx", undefined],
    ["5.1", "spaces around a value", "1.1 200 OK\r\ncontent-length: \t 1 \t\r\n\r\nx", "x", true],
    // Go reads it as chunked, too; Node doesn't.
    [
      "5.1",
      "a tab behind a coding",
      "1.1 200 OK\r\ntransfer-encoding: chunked\t\r\n\r\n1\r\nx\r\n0\r\n\r\n",
      "x",
      true,
    ],
    [
      "6.1",
      "the name of an encoding has no case",
      "1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n0\r\n\r\n",
      "",
      true,
    ],
    [
      "6.1",
      "an encoding in HTTP/1.0 is faulty: close",
      "1.0 200 OK\r\nconnection: keep-alive\r\ntransfer-encoding: chunked\r\n\r\n0\r\n\r\n",
      "",
      false,
    ],
    ["6.3", "1: no body after 204", "1.1 204 No\r\ncontent-length: 3\r\n\r\n", "", true],
    ["6.3", "1: no body after 304", "1.1 304 No\r\ntransfer-encoding: chunked\r\n\r\n", "", true],
    [
      "6.3",
      "3: chunks override a length: close",
      "1.1 200 OK\r\ncontent-length: 9\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
      "x",
      false,
    ],
    [
      "6.3",
      "4: chunks are not the last encoding",
      "1.1 200 OK\r\ntransfer-encoding: chunked, gzip\r\n\r\n0\r\n\r\n",
      undefined,
    ],
    ["6.3", "5: a list of other lengths", "1.1 200 OK\r\ncontent-length: 1, 2\r\n\r\nx", undefined],
    ["6.3", "5: a sign", "1.1 200 OK\r\ncontent-length: +1\r\n\r\nx", undefined],
    ["6.3", "5: nothing", "1.1 200 OK\r\ncontent-length:\r\n\r\n", undefined],
    ["6.3", "5: a base", "1.1 200 OK\r\ncontent-length: 0x1\r\n\r\nx", undefined],
    [
      "7.1",
      "sizes have no case",
      "1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nA\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n",
      "01234567890123456789",
      true,
    ],
    [
      "7.1",
      "zeros before a size",
      "1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0001\r\nx\r\n000\r\n\r\n",
      "x",
      true,
    ],
    [
      "7.1",
      "a size that overflows",
      "1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nfffffffffffffffff\r\nx",
      undefined,
    ],
    ["7.1", "a sign before a size", "1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n-1\r\nx", undefined],
    [
      "7.1.1",
      "extensions that nobody knows",
      '1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;a="b;c" ;d\r\nx\r\n0;e\r\n\r\n',
      "x",
      true,
    ],
    [
      "7.1.2",
      "trailers are not headers",
      "1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\ncontent-length: 5\r\n\r\n",
      "",
      true,
    ],
    ["9.3", "close", "1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n", "", false],
    [
      "9.3",
      "close in a list, in any case",
      "1.1 200 OK\r\nconnection: upgrade, Close\r\ncontent-length: 0\r\n\r\n",
      "",
      false,
    ],
    ["9.3", "HTTP/1.0 closes", "1.0 200 OK\r\ncontent-length: 0\r\n\r\n", "", false],
    [
      "9.3",
      "HTTP/1.0 that is kept",
      "1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n",
      "",
      true,
    ],
    [
      "X 5.3",
      "repeated fields are a list",
      "1.1 200 OK\r\nconnection: a\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
      "",
      false,
    ],
    ["X 15", "a status that nobody knows", "1.1 599 New\r\ncontent-length: 0\r\n\r\n", "", true],
    [
      "X 15.2",
      "1xx come before the answer, any number of them",
      "1.1 100 Go\r\n\r\nHTTP/1.1 199 On\r\ncontent-length: 9\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
      "",
      true,
    ],
    [
      "X 15.2.2",
      "an upgrade that nobody asked for",
      "1.1 101 No\r\nupgrade: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n",
      undefined,
    ],
  ])("keeps section %s: %s", (_section, _rule, text, wanted, canReuse) => {
    const judge = (): Partial<Answer> | undefined => {
      try {
        const { body: seen, canReuse: isKept } = read([Buffer.from(`HTTP/${text}`)])!;
        return { body: seen, canReuse: isKept };
      } catch (error) {
        if (error instanceof ProtocolError) return undefined;
        throw error;
      }
    };
    expect(judge()).toEqual(wanted === undefined ? undefined : { body: wanted, canReuse });
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
