import { expect, test } from "vitest";
import { parseFlakesOptions } from "./flakes-options.ts";

test("flakes: options", () => {
  expect(parseFlakesOptions([])).toEqual({ runs: 5, busy: 3, alone: false, projects: ["unit"], files: [] });
  expect(
    parseFlakesOptions(["--runs=20", "--busy", "0", "--alone", "--project", "journeys", "src/cli"]),
  ).toEqual({ runs: 20, busy: 0, alone: true, projects: ["journeys"], files: ["src/cli"] });
});

test("flakes: a value that is not a number is refused", () => {
  expect(() => parseFlakesOptions(["--runs", "many"])).toThrow("--runs takes a whole number");
});
