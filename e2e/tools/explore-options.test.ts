import { expect, test } from "vitest";
import { parseExploreOptions } from "./explore-options.ts";

test("parseExploreOptions() explores everything for five minutes, with a fresh seed", () => {
  expect(parseExploreOptions([], 42)).toEqual({
    time: 300_000,
    rounds: Number.POSITIVE_INFINITY,
    seed: 42,
    runs: 1000,
    only: [],
    test: undefined,
    path: undefined,
  });
});

test("parseExploreOptions() accepts a time, a negative seed, and folders in any form", () => {
  const argv = [
    "--time",
    "10m",
    "--seed=-5",
    "--only",
    "./src/apimachinery/",
    "--only",
    "src/cli/replay.test.ts",
  ];
  expect(parseExploreOptions(argv, 42)).toMatchObject({
    time: 600_000,
    seed: -5,
    only: ["src/apimachinery", "src/cli/replay.test.ts"],
  });
});

test("parseExploreOptions() runs one round for one case, and any number if asked", () => {
  const options = ["--test", "a", "--seed", "1", "--path", "0:1"];
  expect(parseExploreOptions(options, 42)).toMatchObject({ rounds: 1 });
  expect(parseExploreOptions(["--rounds", "25"], 42)).toMatchObject({
    rounds: 25,
    time: Number.POSITIVE_INFINITY,
  });
});

test.each([
  [["--path", "0:1"], "--path names a case of one test with one seed: it requires --test and --seed"],
  [["--time", "5m", "--rounds", "2"], "--time and --rounds are mutually exclusive"],
  [["--seed", "x"], '--seed takes a whole number, not "x"'],
  [["--time", "5"], 'missing unit in duration "5"'],
  [["--sed", "5"], "--sed"],
])("parseExploreOptions() refuses %j", (argv, message) => {
  expect(() => parseExploreOptions(argv, 42)).toThrow(message);
});
