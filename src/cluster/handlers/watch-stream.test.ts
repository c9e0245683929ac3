import type { Writable } from "node:stream";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { beforeEach, expect, test, vi } from "vitest";
import { WatchTurn } from "../http/watch-turn.ts";
import type { Change } from "../storage/entry.ts";
import { type SharedView, joinGroup } from "./watch.ts";
import { backlogLimit, WatchStream } from "./watch-stream.ts";

let now = 0;
let turn: WatchTurn;
beforeEach(() => (turn = new WatchTurn(() => now)));

/** A stream whose initial objects are sent. */
function startStream(...options: Parameters<typeof beginStream>) {
  const begun = beginStream(...options);
  begun.stream.started();
  return begun;
}

function beginStream(signal = new AbortController().signal, isChunked = true) {
  const clock = new FakeClock();
  const sent: Buffer[] = [];
  const failures: unknown[] = [];
  const response = {
    write: (bytes: Buffer) => sent.push(bytes) > 0,
    end: (bytes?: Buffer) => sent.push(...(bytes ? [bytes] : [])),
    destroyed: false,
    destroy: () => {
      response.destroyed = true;
    },
    writableLength: 0,
  };
  const stream = new WatchStream(response as unknown as Writable, signal, {
    clock,
    turn,
    timeoutSeconds: undefined,
    isChunked,
    report: (error) => failures.push(error),
  });
  return { clock, stream, sent, response, failures };
}

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
  const [first, second, other] = [1, 2, 3].map(() => startStream());
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

test("initial lines are sent in blocks as they are made, and the rest once all are", async () => {
  const { stream, sent } = beginStream(undefined, false);
  const line = Buffer.alloc(50 * 1024, "a");
  const blocks = Array.from({ length: 7 }, () => {
    stream.write(line);
    return sent.length;
  });
  await inTurn();
  expect([...blocks, sent.length]).toEqual([0, 0, 1, 1, 1, 2, 2, 2]);
  stream.started();
  expect(sent.map((bytes) => bytes.length / line.length)).toEqual([3, 3, 1]);
});

test.each([
  { streams: 1, turns: 0 },
  { streams: 2, turns: 1 },
  { streams: 5, turns: 2 },
  { streams: 12, turns: 6 },
  { streams: 40, turns: 6 },
])(
  "after lines to $streams streams, those of the next $turns turns are one chunk",
  async ({ streams, turns }) => {
    const all = Array.from({ length: streams }, () => startStream());
    const [{ stream, sent }] = all as [(typeof all)[number]];
    for (const each of all) each.stream.write(Buffer.from("a"));
    await inTurn();
    expect(all.map((each) => each.sent.map(String))).toEqual(all.map(() => ["1\r\na\r\n"]));
    for (let turn = 0; turn < turns; turn++) {
      stream.write(Buffer.from("b"));
      await inTurn();
      expect(sent).toHaveLength(1);
    }
    stream.write(Buffer.from("c"));
    await inTurn();
    const lines = `${"b".repeat(turns)}c`;
    expect(sent.map(String).slice(1)).toEqual([`${lines.length}\r\n${lines}\r\n`]);
    stream.write(Buffer.from("d"));
    await inTurn();
    expect(sent).toHaveLength(3);
  },
);

test("after lines to a group of streams, those of the next turns wait as for so many streams", async () => {
  let flushes = 0;
  const group = { size: 4, flush: () => void flushes++ };
  turn.add(group);
  await inTurn();
  turn.add(group);
  for (let waited = 0; waited < 2; waited++) {
    await inTurn();
    expect(flushes).toBe(1);
  }
  await inTurn();
  expect(flushes).toBe(2);
});

test("lines wait for no further turn once the first has waited for 20 ms", async () => {
  const all = Array.from({ length: 12 }, () => startStream());
  for (const each of all) each.stream.write(Buffer.from("a"));
  await inTurn();
  for (const waited of [19, 1]) {
    all[0]!.stream.write(Buffer.from("b"));
    now += waited;
    await inTurn();
    expect(all[0]!.sent).toHaveLength(1);
  }
  await inTurn();
  expect(all[0]!.sent.map(String).at(-1)).toBe("2\r\nbb\r\n");
});

test("a response without chunks gets the lines alone", async () => {
  const { stream, sent } = startStream(undefined, false);
  stream.write(Buffer.from('{"a":1}\n'));
  await inTurn();
  stream.end();
  expect(sent.map(String)).toEqual(['{"a":1}\n']);
});

test("a watch whose lines can't be sent ends with the error, and the others get theirs", async () => {
  const [broken, sound] = [1, 2].map(() => startStream());
  broken!.response.write = () => {
    throw new Error("no memory");
  };
  let ends = 0;
  broken!.stream.onEnd(() => ends++);
  for (const { stream } of [broken!, sound!]) stream.write(Buffer.from("{}\n"));
  await inTurn();
  for (const { stream } of [broken!, sound!]) stream.write(Buffer.from("[]\n"));
  await inTurn();
  await inTurn();
  expect([broken!.failures, ends]).toEqual([[new Error("no memory")], 1]);
  expect(sound!.sent.map(String)).toEqual(["3\r\n{}\n\r\n", "3\r\n[]\n\r\n"]);
});

test("a watch whose last lines can't be sent ends all the same", async () => {
  const { stream, response, failures } = startStream();
  const destroy = vi.spyOn(response, "destroy");
  response.write = () => {
    throw new Error("no memory");
  };
  stream.write(Buffer.from("{}\n"));
  stream.end();
  await inTurn();
  expect([failures, destroy.mock.calls.length]).toEqual([[new Error("no memory")], 1]);
});

/** Lets streams join a group, which sends a line to all of them for each change. */
function startGroup() {
  const listeners = new Set<(change: Change) => void>();
  const collection = {
    listen: (listener: (change: Change) => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const target = { resource: { collection }, core: { watchTurn: turn } };
  let line = (revision: number): Buffer => Buffer.from(`${revision}\n`);
  const view = {
    key: "all",
    target,
    line: ({ revision }: Change) => line(revision),
  } as unknown as SharedView;
  return {
    join: (stream: WatchStream, fail: (error: unknown) => void = () => undefined) =>
      stream.onEnd(joinGroup(view, stream, fail)),
    change: (revision: number) => {
      for (const listener of listeners) listener({ revision } as Change);
    },
    breakLines: (error: Error) => {
      line = () => {
        throw error;
      };
    },
    isListening: () => listeners.size > 0,
  };
}

test("a member of a group that can't be sent to gets nothing further, and the others get their lines in order", async () => {
  const [first, broken, last] = [1, 2, 3].map(() => startStream());
  const group = startGroup();
  for (const { stream } of [first!, broken!, last!]) group.join(stream);
  const write = broken!.response.write;
  broken!.response.write = () => {
    broken!.response.write = write;
    throw new Error("no memory");
  };
  broken!.stream.write(Buffer.from("own\n"));
  group.change(1);
  group.change(2);
  await inTurn();
  group.change(3);
  first!.stream.end();
  expect([broken!.sent, broken!.failures]).toEqual([[], [new Error("no memory")]]);
  for (const { sent } of [first!, last!]) expect(sent.join("")).toContain("4\r\n1\n2\n\r\n2\r\n3\n\r\n");
  last!.stream.end();
  expect(group.isListening()).toBe(false);
});

test("all members of a group are told of a change that can't be encoded", () => {
  const told: unknown[] = [];
  const group = startGroup();
  for (const { stream } of [startStream(), startStream()]) group.join(stream, (error) => told.push(error));
  group.breakLines(new Error("no line"));
  group.change(1);
  expect(told).toEqual([new Error("no line"), new Error("no line")]);
});

test("a bookmark for a watch whose client reads nothing ends it, and leaves no timer behind", async () => {
  const { clock, stream, response, sent } = startStream();
  const group = startGroup();
  group.join(stream);
  stream.bookmarks(() => Buffer.from("bookmark\n"));
  response.writableLength = backlogLimit + 1;
  group.change(1);
  clock.advanceSync(60_000);
  expect([clock.timers, response.destroyed, group.isListening()]).toEqual([0, true, false]);
  await inTurn();
  expect(sent.join("")).not.toContain("bookmark");
});

test("fake timers of a test hold no watch up", async () => {
  const { stream, sent } = startStream();
  vi.useFakeTimers();
  stream.write(Buffer.from("{}\n"));
  vi.useRealTimers();
  await inTurn();
  expect(sent).toHaveLength(1);
});
