import { afterEach, expect, test, vi } from "vitest";
import { exploreFlags, exploringHeap, readExploring } from "./test.ts";

const none = { explore: false, time: "1m" };

afterEach(() => vi.unstubAllEnvs());

test("--explore runs the exploring tests only, for as long as --time says, from a seed", () => {
  vi.stubEnv("NODE_OPTIONS", undefined);
  expect(
    readExploring({ explore: true, time: "10m", seed: 7 }, new Set(["explore", "time", "seed"])),
  ).toEqual({
    env: { TSBUILDER_EXPLORE_TIME: "10m", TSBUILDER_EXPLORE_SEED: "7", NODE_OPTIONS: exploringHeap },
    files: ["_explore.test.ts"],
  });
  expect(readExploring(none, new Set())).toEqual({ env: {}, files: [] });
});

test("--explore keeps the user's own options of Node, which win", () => {
  vi.stubEnv("NODE_OPTIONS", "--max-semi-space-size=16");
  const { env } = readExploring({ ...none, explore: true }, new Set(["explore"]));
  expect(env["NODE_OPTIONS"]).toBe(`${exploringHeap} --max-semi-space-size=16`);
});

test("each exploration begins with another seed", () => {
  const seeds = Array.from(
    { length: 5 },
    () => readExploring({ ...none, explore: true }, new Set(["explore"])).env["TSBUILDER_EXPLORE_SEED"],
  );
  expect(new Set(seeds).size).toBeGreaterThan(1);
});

test("--from names the release that is upgraded", () => {
  const { env } = readExploring({ ...none, explore: true, from: "v1.2.0" }, new Set(["explore", "from"]));
  expect(env["TSBUILDER_EXPLORE_FROM"]).toBe("v1.2.0");
  expect(() => readExploring({ ...none, from: "v1.2.0" }, new Set(["from"]))).toThrow(
    "--from says how to explore",
  );
});

test("--time and --seed need --explore, and --time a duration", () => {
  expect(() => readExploring(none, new Set(["time"]))).toThrow("--time says how to explore");
  expect(() => readExploring({ ...none, seed: 1 }, new Set(["seed"]))).toThrow("--seed says how to explore");
  expect(() => exploreFlags.time.check("ten minutes")).toThrow('--time "ten minutes" is not a duration');
  expect(() => exploreFlags.time.check("-5m")).toThrow('--time "-5m" is not a duration');
});
