import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../support/source-imports.ts";
import { chooseTool, listTools, toolNames } from "./tools.ts";

test.each(toolNames)("the files of %s exist", (name) => {
  const steps = chooseTool(name, ["--flag"]);
  const files = (steps as (readonly string[])[])
    .flat()
    .filter((arg) => /^(?:src|e2e)\/.*\.(?:ts|sh)$/u.test(arg));
  expect(files.filter((file) => !existsSync(join(repository, file)))).toEqual([]);
  expect(steps.at(-1)).toContain("--flag");
});

test("a name that is not a tool's gets the list of all", () => {
  expect(chooseTool("constructor", [])).toBe(`the lab has no constructor\n\n${listTools()}`);
  for (const name of toolNames) expect(listTools()).toContain(`\n  ${name} `);
});
