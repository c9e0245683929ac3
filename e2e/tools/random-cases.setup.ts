import { relative } from "node:path";
import * as fc from "fast-check";
import { expect } from "vitest";
import { repository } from "../support/source-imports.ts";
import { describeFailure, readRandomSettings } from "./random-cases.ts";

/** Runs before each test file, and sets the seed of every property. */
const settings = readRandomSettings(process.env);

fc.configureGlobal({
  ...settings,
  reporter(details: fc.RunDetails<unknown>) {
    if (!details.failed) return;
    const { testPath = "", currentTestName = "" } = expect.getState();
    const test = { file: relative(repository, testPath), name: currentTestName };
    throw new Error(describeFailure(details, test), { cause: details.errorInstance });
  },
});
