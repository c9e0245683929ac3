import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { repository } from "../../support/source-imports.ts";

test("inputs that run new code are kept", () => {
  const args = ["run", "--silent", "lab", "--", "fuzz", "certs", "--inputs", "300", "--seed", "1"];
  const said = execFileSync("npm", args, { cwd: repository, encoding: "utf8" });
  // The target has three inputs of its own.
  expect(Number(/(\d+) kept/.exec(said)?.[1])).toBeGreaterThan(3);
});
