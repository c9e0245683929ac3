import { expect, test } from "vitest";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { createLogger } from "../log/logger.ts";
import { RequestChannel, intervalSource } from "./source.ts";

const context = (signal: AbortSignal, clock: FakeClock) => ({
  signal,
  patience: signal,
  log: createLogger({ write() {} }),
  clock,
  stuckAfter: 300_000,
  report() {},
});

test("RequestChannel keeps requests that are sent before the controller starts", () => {
  const channel = new RequestChannel<string>();
  const seen: unknown[] = [];
  channel.send("early", { after: "1s" });
  channel.start((...request) => void seen.push(request));
  channel.send("late");
  expect(seen).toEqual([
    ["early", { after: "1s" }],
    ["late", undefined],
  ]);
});

test("intervalSource() calls its function periodically, survives a failure, and stops with its signal", async () => {
  const abort = new AbortController();
  const clock = new FakeClock();
  const seen: string[] = [];
  let rounds = 0;
  const source = intervalSource({
    every: "1m",
    requests: async () => {
      if (++rounds === 2) throw new Error("the cloud API is unavailable");
      return [`round ${rounds}`];
    },
  });
  await source.start((request) => void seen.push(request), context(abort.signal, clock));
  expect(seen).toEqual(["round 1"]);
  await clock.advance(120_000);
  expect(seen).toEqual(["round 1", "round 3"]);
  abort.abort();
  await clock.advance(3_600_000);
  expect(rounds).toBe(3);
});

test("intervalSource() enqueues what follows an invalid request, and reports that one", async () => {
  const seen: string[] = [];
  const errors: Error[] = [];
  const enqueue = (request: string): void => {
    if (request === "") throw new TypeError("no name");
    seen.push(request);
  };
  const { signal } = new AbortController();
  const source = intervalSource({ every: "1m", requests: () => ["a", "", "b"], name: "cloud" });
  const report = (error: Error) => void errors.push(error);
  await source.start(enqueue, { ...context(signal, new FakeClock()), report });
  expect(seen).toEqual(["a", "b"]);
  expect(errors.map(({ message }) => message)).toEqual(['the function of source "cloud" failed: no name']);
});

test("intervalSource() rejects a period that would never pause", () => {
  const requests = (): string[] => [];
  expect(() => intervalSource({ every: "0s", requests, name: "cloud" })).toThrow(
    'every of source "cloud" is "0s": it must be positive',
  );
  expect(() => intervalSource({ every: "often" as never, requests })).toThrow("which is not a duration");
});
