import type { ServerResponse } from "node:http";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { expect, test, vi } from "vitest";
import { WatchTurn } from "../http/watch-turn.ts";
import { WatchStream } from "./watch-stream.ts";

let now = 0;
const turn = new WatchTurn(() => now);

function startStream(signal: AbortSignal, chunkedEncoding = true) {
  const clock = new FakeClock();
  const sent: Buffer[] = [];
  const failures: unknown[] = [];
  const response = {
    chunkedEncoding,
    flushHeaders() {},
    write: (bytes: Buffer) => sent.push(bytes) > 0,
    end: (bytes?: Buffer) => sent.push(...(bytes ? [bytes] : [])),
    destroy() {},
    writableLength: 0,
  };
  const stream = new WatchStream(response as unknown as ServerResponse, signal, {
    clock,
    turn,
    timeoutSeconds: undefined,
    report: (error) => failures.push(error),
  });
  return { clock, stream, sent, response, failures };
}

const { signal: connected } = new AbortController();
const inTurn = () => new Promise((resolve) => setImmediate(resolve));

test("a watch ends when its client goes, and leaves no timer behind", () => {
  const client = new AbortController();
  const { clock, stream } = startStream(client.signal);
  stream.bookmarks(() => Buffer.from("{}"));
  let ends = 0;
  stream.onEnd(() => ends++);
  expect([clock.timers, ends]).toEqual([2, 0]);
  client.abort();
  expect([clock.timers, ends]).toEqual([0, 1]);
});

test("a watch whose client is gone already ends at once, with what is registered later", () => {
  const { clock, stream } = startStream(AbortSignal.abort());
  let ends = 0;
  stream.onEnd(() => ends++);
  stream.bookmarks(() => Buffer.from("{}"));
  expect([clock.timers, ends]).toEqual([0, 1]);
});

test("the lines of one turn are one chunk, and streams that send the same lines share its bytes", async () => {
  const [first, second, other] = [1, 2, 3].map(() => startStream(connected));
  const [a, b] = [Buffer.from('{"a":1}\n'), Buffer.from('{"b":2}\n')];
  for (const { stream } of [first!, second!]) {
    stream.write(a);
    stream.write(b);
  }
  other!.stream.write(a);
  other!.stream.write(a);
  await inTurn();
  first!.stream.write(b);
  first!.stream.end();
  const sent = first!.sent.map(String);
  expect(sent).toEqual(['10\r\n{"a":1}\n{"b":2}\n\r\n', '8\r\n{"b":2}\n\r\n', "0\r\n\r\n"]);
  expect(second!.sent[0]).toBe(first!.sent[0]);
  expect(other!.sent.map(String)).toEqual(['10\r\n{"a":1}\n{"a":1}\n\r\n']);
});

test("after lines to many streams, those of the next turns are one chunk, unless that takes long; few streams wait for no other turn", async () => {
  const many = Array.from({ length: 40 }, () => startStream(new AbortController().signal));
  const [{ stream, sent } = many[0]!] = many;
  const line = (text: string) => Buffer.from(`${text}\n`);
  for (const each of many) each.stream.write(line("a"));
  await inTurn();
  expect(many.map((each) => each.sent.length)).toEqual(many.map(() => 1));
  stream.write(line("b"));
  await inTurn();
  stream.write(line("c"));
  await inTurn();
  expect(sent).toHaveLength(1);
  await inTurn();
  expect(sent.map(String)).toEqual(["2\r\na\n\r\n", "4\r\nb\nc\n\r\n"]);
  stream.write(line("d"));
  await inTurn();
  expect(sent).toHaveLength(3);

  for (const each of many) each.stream.write(line("e"));
  await inTurn();
  stream.write(line("f"));
  now += 20;
  await inTurn();
  expect(sent).toHaveLength(4);
  await inTurn();
  expect(sent).toHaveLength(5);
});

test("a response without chunks gets the lines alone", async () => {
  const { stream, sent } = startStream(connected, false);
  stream.write(Buffer.from('{"a":1}\n'));
  await inTurn();
  stream.end();
  expect(sent.map(String)).toEqual(['{"a":1}\n']);
});

test("a watch whose lines can't be sent ends with the error, and the others get theirs", async () => {
  const [broken, sound] = [1, 2].map(() => startStream(connected));
  broken!.response.write = () => {
    throw new Error("no memory");
  };
  let ends = 0;
  broken!.stream.onEnd(() => ends++);
  for (const { stream } of [broken!, sound!]) stream.write(Buffer.from("{}\n"));
  await inTurn();
  for (const { stream } of [broken!, sound!]) stream.write(Buffer.from("[]\n"));
  await inTurn();
  expect([broken!.failures, ends]).toEqual([[new Error("no memory")], 1]);
  expect(sound!.sent.map(String)).toEqual(["3\r\n{}\n\r\n", "3\r\n[]\n\r\n"]);
});

test("a watch whose last lines can't be sent ends all the same", () => {
  const { stream, response, failures } = startStream(connected);
  const destroy = vi.spyOn(response, "destroy");
  response.write = () => {
    throw new Error("no memory");
  };
  stream.write(Buffer.from("{}\n"));
  stream.end();
  expect([failures, destroy.mock.calls.length]).toEqual([[new Error("no memory")], 1]);
});

test("fake timers of a test hold no watch up", async () => {
  const { stream, sent } = startStream(connected);
  vi.useFakeTimers();
  stream.write(Buffer.from("{}\n"));
  vi.useRealTimers();
  await inTurn();
  expect(sent).toHaveLength(1);
});
