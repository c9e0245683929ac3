import { existsSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { processesFor, withHelpers } from "./test.ts";

const shareOf = ({ TSBUILDER_EXPLORE_SHARE: share = "{}" }: Readonly<Record<string, string>>) =>
  JSON.parse(share) as { readonly index: number; readonly count: number; readonly folder: string };

test("helpers explore beside the tests whose output the user sees, until those end", async () => {
  const started: string[] = [];
  const ended: number[] = [];
  let place = "";
  const result = await withHelpers(3, async (env, options) => {
    const { index, count, folder } = shareOf(env);
    started.push(`${index} of ${count}: ${options.stdio}`);
    place = folder;
    if (options.stdio === "ignore") {
      // The second one ends by itself, as it does if its tests can't start.
      if (index === 2) return 1;
      await new Promise<void>((resolve) => {
        options.cancelSignal.addEventListener("abort", () => resolve());
      });
      ended.push(index);
      return 1;
    }
    await Promise.resolve();
    await Promise.resolve();
    expect(readdirSync(folder)).toEqual(["end 2"]);
    return 0;
  });
  expect(result).toBe(0);
  expect(started.toSorted()).toEqual(["0 of 3: inherit", "1 of 3: ignore", "2 of 3: ignore"]);
  expect(ended).toEqual([1]);
  expect(existsSync(place)).toBe(false);
});

test("with a test for each core there are no helpers", async () => {
  expect(await withHelpers(1, (env) => Promise.resolve(Object.keys(env)))).toEqual([]);
});

test("there are as many helpers as cores have nothing else to do, and as the memory has room for", () => {
  const files = (count: number) =>
    Array.from({ length: count }, (_, index) => [`${index}_explore.test.ts`, `${index}.test.ts`]).flat();
  const gigabyte = 1024 ** 3;
  expect([1, 2, 3, 9].map((count) => processesFor(files(count), 8, 64 * gigabyte))).toEqual([8, 4, 2, 1]);
  expect([0.5, 4, 9].map((memory) => processesFor(files(2), 8, memory * gigabyte))).toEqual([1, 2, 4]);
});
