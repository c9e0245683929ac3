import { expect, test } from "vitest";
import { systemClock } from "@tsbuilder/apimachinery/time";
import { createLogger } from "../log/create-logger.ts";
import { eventually } from "../testing/eventually.ts";
import { intervalSource } from "./interval-source.ts";
import { RequestChannel } from "./request-channel.ts";

const context = (signal: AbortSignal) => ({
  signal,
  patience: signal,
  log: createLogger({ write() {} }),
  clock: systemClock,
  stuckAfter: 300_000,
  report() {},
});

test("RequestChannel keeps what is sent before the controller starts", () => {
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

test("intervalSource() asks again and again, survives a failure, and stops with its signal", async () => {
  const abort = new AbortController();
  const seen: string[] = [];
  let rounds = 0;
  const source = intervalSource({
    every: "1ms",
    requests: async () => {
      if (++rounds === 2) throw new Error("the cloud is away");
      return [`round ${rounds}`];
    },
  });
  await source.start((request) => void seen.push(request), context(abort.signal));
  expect(seen).toEqual(["round 1"]);
  await eventually(() => seen.includes("round 3"));
  expect(seen).not.toContain("round 2");
  abort.abort();
  const before = rounds;
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(rounds).toBeLessThanOrEqual(before + 1);
});
