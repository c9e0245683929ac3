import { spawnSync } from "node:child_process";
import { expect, test } from "vitest";
import { createLogger } from "../log/logger.ts";
import { type MemoryLimits, readMemoryLimits, warnOfLooseHeap } from "./memory-limits.ts";

const mebibyte = 2 ** 20;

function warningOf(limits: MemoryLimits): unknown {
  const lines: string[] = [];
  warnOfLooseHeap(limits, createLogger({ write: (line) => lines.push(line) }));
  return lines.map((line) => JSON.parse(line) as unknown);
}

test("a heap that may outgrow its container is warned of, with the limit that fits", () => {
  expect(warningOf({ container: 256 * mebibyte, heap: 259 * mebibyte })).toMatchObject([
    {
      level: "warn",
      msg: expect.stringContaining("set NODE_OPTIONS=--max-old-space-size=192") as string,
      containerMiB: 256,
      heapMiB: 259,
    },
  ]);
});

test("nothing is said of a heap that fits, or where there is no container", () => {
  expect(warningOf({ container: 256 * mebibyte, heap: 200 * mebibyte })).toEqual([]);
  expect(warningOf({ container: undefined, heap: 4_000 * mebibyte })).toEqual([]);
});

test("the heap's limit is that of Node's options", () => {
  const module = JSON.stringify(new URL("memory-limits.ts", import.meta.url).pathname);
  const program = `console.log(JSON.stringify((await import(${module})).readMemoryLimits()))`;
  const args = ["--import", "tsx", "--max-old-space-size=192", "--input-type=module", "--eval", program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  expect(stderr).toBe("");
  const { heap } = JSON.parse(stdout) as MemoryLimits;
  expect(heap).toBeGreaterThanOrEqual(192 * mebibyte);
  expect(heap).toBeLessThan(256 * mebibyte);
  expect(readMemoryLimits().heap).not.toBe(heap);
});
