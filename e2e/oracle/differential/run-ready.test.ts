import { expect, test } from "vitest";
import type { MaskedAnswer } from "../conformance/mask-answer.ts";
import type { Server } from "../conformance/run-story.ts";
import { runReady } from "./run-ready.ts";

const story = { name: "story", steps: [{ method: "GET", path: "/foos/a" }] };

/** Runs a story on a server that answers with these codes, then with 503. */
async function runOn(...codes: number[]): Promise<{ code: number | undefined; ids: string[] }> {
  const ids: string[] = [];
  const answers = await runReady({} as Server, story, "story", async (_, __, id) => {
    ids.push(id);
    return [{ code: codes.shift() ?? 503 } as MaskedAnswer];
  });
  return { code: answers?.[0]?.code, ids };
}

test("a story runs again while a server that takes up a CRD refuses it", async () => {
  expect(await runOn(200)).toEqual({ code: 200, ids: ["story"] });
  expect(await runOn(503, 503, 201)).toEqual({ code: 201, ids: ["story", "story-2", "story-3"] });
});

test("a story runs again if the cache of a new kind is not there yet, but not for another 429", async () => {
  const answers: MaskedAnswer[] = [
    { code: 429, type: "", body: { message: "storage is (re)initializing" } },
    { code: 429, type: "", body: { message: "Cannot evict pod" } },
  ];
  const last = answers.at(-1);
  const run = () => Promise.resolve([answers.shift()!]);
  expect(await runReady({} as Server, story, "story", run)).toEqual([last]);
  expect(answers).toEqual([]);
});

test("a story runs again if it reads from a cache that may not know of the last write yet, but not for ever", async () => {
  const reads = async (path: string, ...codes: number[]): Promise<[number, number | undefined]> => {
    let runs = 0;
    const reading = { ...story, steps: [{ method: "GET", path }] };
    const answers = await runReady({} as Server, reading, "story", async () => {
      runs++;
      return [{ code: codes.shift() ?? 404 } as MaskedAnswer];
    });
    return [runs, answers?.[0]?.code];
  };
  expect(await reads("/foos/a?resourceVersion=0", 404, 200)).toEqual([2, 200]);
  expect(await reads("/foos/a?pretty=1&resourceVersion=0&x=y")).toEqual([5, 404]);
  expect(await reads("/foos/a?resourceVersion=01")).toEqual([1, 404]);
  expect(await reads("/foos/a")).toEqual([1, 404]);
});

test("a story that a server always refuses has no answers", async () => {
  expect((await runOn()).code).toBeUndefined();
});

test("a story runs again where a server ends a connection without an answer, and has no answers if it always does", async () => {
  const ids: string[] = [];
  const ended = Object.assign(new Error("socket hang up"), { code: "ECONNRESET" });
  const answers = await runReady({} as Server, story, "story", (_, __, id) => {
    ids.push(id);
    return Promise.reject(ended);
  });
  expect(answers).toBeUndefined();
  expect(ids).toHaveLength(5);
});
