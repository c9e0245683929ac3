import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../../e2e/support/source-imports.ts";

test.each(["18.20.8", "20.18.3"])("Node %s is refused with the version to install", (version) => {
  const pretend = `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`;
  const { status, stderr } = spawnSync(
    process.execPath,
    [
      `--import=data:text/javascript,${encodeURIComponent(pretend)}`,
      join(repository, "bin/tsbuilder.js"),
      "init",
    ],
    { encoding: "utf8" },
  );
  expect(status).toBe(1);
  expect(stderr).toBe(
    `error: tsbuilder needs Node 20.19 or later, and this is ${version}\nhint: install it from https://nodejs.org\n`,
  );
});
