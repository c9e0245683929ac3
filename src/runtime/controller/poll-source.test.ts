import { FakeClock } from "@tsbuilder/apimachinery/time";
import { expect, onTestFinished, test } from "vitest";
import { createLogger } from "../log/logger.ts";
import { pollSource } from "./poll-source.ts";

interface Entry {
  id: string;
  owner: string;
  address?: string;
}

/** An external system, and a source that polls it; `poll` moves the clock by a minute. */
async function start(entries: Entry[], { isDown = false } = {}) {
  const system = { entries, isDown, calls: 0, respond: async () => {} };
  const clock = new FakeClock();
  const seen: string[] = [];
  const errors: string[] = [];
  const source = pollSource<Entry, string>({
    name: "dns",
    every: "1m",
    list: async () => {
      system.calls++;
      const found = structuredClone(system.entries);
      await system.respond();
      if (system.isDown) throw new Error("503");
      return found;
    },
    key: ({ id }) => id,
    requests: ({ owner }) => [owner],
  });
  const abort = new AbortController();
  onTestFinished(() => abort.abort());
  await source.start((request, { priority = 0 } = {}) => void seen.push(`${request} ${priority}`), {
    signal: abort.signal,
    patience: abort.signal,
    log: createLogger({ write() {} }),
    clock,
    stuckAfter: 300_000,
    report: ({ message }) => void errors.push(message),
  });
  const poll = async (milliseconds = 60_000) => {
    seen.length = 0;
    await clock.advance(milliseconds);
    return seen;
  };
  return { system, source, seen, errors, poll, abort };
}

test("the first poll enqueues all, later ones what appeared, changed and disappeared", async () => {
  const { system, source, seen, poll } = await start([
    { id: "1", owner: "a" },
    { id: "2", owner: "b" },
    { id: "3", owner: "c" },
  ]);
  expect(seen).toEqual(["a -100", "b -100", "c -100"]);
  expect(source.get("1")).toEqual({ id: "1", owner: "a" });
  expect(await poll()).toEqual([]);
  system.entries = [
    { id: "2", owner: "b", address: "new" },
    { id: "3", owner: "other" },
    { id: "4", owner: "d" },
  ];
  expect(await poll()).toEqual(["a 0", "b 0", "b 0", "c 0", "other 0", "d 0"]);
  expect(source.list().map(({ id }) => id)).toEqual(["2", "3", "4"]);
  expect(source.get("1")).toBeUndefined();
});

test("while polls fail, what was read stays, and they become rarer; the next success is as usual", async () => {
  const { system, source, errors, poll } = await start([{ id: "1", owner: "a" }]);
  system.isDown = true;
  await poll();
  expect(errors).toEqual(['the list of source "dns" failed: 503']);
  expect(source.get("1")).toBeDefined();
  system.calls = 0;
  await poll(1000 + 2000 + 4000 + 8000);
  expect(system.calls).toBe(4);
  await poll(3_600_000);
  system.calls = 0;
  await poll(3_600_000);
  // Every five minutes.
  expect(system.calls).toBe(12);
  Object.assign(system, { isDown: false, entries: [{ id: "1", owner: "a", address: "new" }], calls: 0 });
  expect(await poll(300_000)).toEqual(["a 0", "a 0"]);
  await poll(300_000);
  expect(system.calls).toBeGreaterThan(4);
});

test("a system that is down at the start keeps nobody from starting, and reads say that nothing is known", async () => {
  const { system, source, poll } = await start([{ id: "1", owner: "a" }], { isDown: true });
  expect(() => source.get("1")).toThrow('the source "dns" has read nothing yet');
  expect(() => source.list()).toThrow('the source "dns" has read nothing yet');
  system.isDown = false;
  expect(await poll(1000)).toEqual(["a -100"]);
  expect(source.get("1")).toBeDefined();
});

test("a system that doesn't answer is down after a time, and its late answer doesn't count", async () => {
  const { system, source, errors, poll } = await start([{ id: "1", owner: "a" }]);
  let answer = () => {};
  system.respond = () => new Promise((resolve) => (answer = resolve));
  system.entries = [];
  await poll(60_000);
  await poll(300_000);
  expect(errors).toEqual(['the list of source "dns" failed: it still runs after 300 s']);
  answer();
  expect(await poll(0)).toEqual([]);
  expect(source.get("1")).toBeDefined();
});

test("own writes are read at once, also after a poll that began before them", async () => {
  const { system, source, poll } = await start([{ id: "1", owner: "a" }]);
  let answer = () => {};
  system.respond = () => new Promise((resolve) => (answer = resolve));
  await poll();
  source.wrote({ id: "2", owner: "b" });
  source.wroteDeletion("1");
  expect(source.list()).toEqual([{ id: "2", owner: "b" }]);
  answer();
  expect(await poll(0)).toEqual([]);
  expect(source.list()).toEqual([{ id: "2", owner: "b" }]);
  // What others did since is seen by the next poll.
  Object.assign(system, { entries: [], respond: async () => {} });
  expect(await poll()).toEqual(["b 0"]);
});

test("a system that never answers keeps no manager from starting, and is seen when it does", async () => {
  const answers: ((found: string[]) => void)[] = [];
  const clock = new FakeClock();
  const [stop, patience] = [new AbortController(), new AbortController()];
  onTestFinished(() => stop.abort());
  const source = pollSource<string, string>({
    name: "dns",
    every: "1m",
    list: () => new Promise((resolve) => answers.push(resolve)),
    key: String,
    requests: (id) => [id],
  });
  const seen: string[] = [];
  const starting = source.start((request) => void seen.push(request), {
    signal: stop.signal,
    patience: patience.signal,
    log: createLogger({ write() {} }),
    clock,
    stuckAfter: 300_000,
    report() {},
  });
  await clock.advance(120_000);
  patience.abort();
  await starting;
  answers[0]!(["a"]);
  await clock.advance(0);
  expect(seen).toEqual(["a"]);
  await clock.advance(60_000);
  expect(answers).toHaveLength(2);
});

test("a second controller can't start a source; after the end of the first, all things are new again", async () => {
  const { source, abort } = await start([{ id: "1", owner: "a" }]);
  const again = new AbortController();
  onTestFinished(() => again.abort());
  const seen: string[] = [];
  const begin = () =>
    source.start((request) => void seen.push(request), {
      signal: again.signal,
      patience: again.signal,
      log: createLogger({ write() {} }),
      clock: new FakeClock(),
      stuckAfter: 300_000,
      report() {},
    });
  await expect(begin()).rejects.toThrow('the source "dns" has two controllers');
  abort.abort();
  await begin();
  expect(seen).toEqual(["a"]);
});

test("a source that was stopped polls no more", async () => {
  const { system, poll, abort } = await start([]);
  abort.abort();
  system.calls = 0;
  await poll(3_600_000);
  expect(system.calls).toBe(0);
});

test("pollSource() rejects a period that would never pause", () => {
  const options = { list: () => [], key: String, requests: () => [], name: "dns" };
  expect(() => pollSource({ ...options, every: "0s" })).toThrow('every of source "dns" is "0s"');
});
