import type { ServerResponse } from "node:http";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { expect, test } from "vitest";
import { WatchStream } from "./watch-stream.ts";

function startStream(signal: AbortSignal) {
  const clock = new FakeClock();
  const response = { flushHeaders() {}, write: () => true, end() {}, writableLength: 0 };
  const stream = new WatchStream(response as unknown as ServerResponse, signal, clock, {
    timeoutSeconds: undefined,
  });
  return { clock, stream };
}

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
