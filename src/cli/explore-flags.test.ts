import { expect, test } from "vitest";
import { exploreFlags, readExploring } from "./explore-flags.ts";

const none = { explore: false, time: "1m" };

test("--explore runs the exploring tests only, for as long as --time says, from a seed", () => {
  expect(
    readExploring({ explore: true, time: "10m", seed: 7 }, new Set(["explore", "time", "seed"])),
  ).toEqual({
    env: { TSBUILDER_EXPLORE_TIME: "10m", TSBUILDER_EXPLORE_SEED: "7" },
    files: ["_explore.test.ts"],
  });
  expect(readExploring(none, new Set())).toEqual({ env: {}, files: [] });
});

test("each exploration begins with another seed", () => {
  const seeds = Array.from(
    { length: 5 },
    () => readExploring({ ...none, explore: true }, new Set(["explore"])).env["TSBUILDER_EXPLORE_SEED"],
  );
  expect(new Set(seeds).size).toBeGreaterThan(1);
});

test("--time and --seed need --explore, and --time a duration", () => {
  expect(() => readExploring(none, new Set(["time"]))).toThrow("--time says how to explore");
  expect(() => readExploring({ ...none, seed: 1 }, new Set(["seed"]))).toThrow("--seed says how to explore");
  expect(() => exploreFlags.time.check("ten minutes")).toThrow('--time "ten minutes" is not a duration');
});
