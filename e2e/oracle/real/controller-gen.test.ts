import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

const script = join(import.meta.dirname, "controller-gen/record.ts");

test("all conformance examples match the output of controller-gen for their Go twins", () => {
  const args = ["--conditions=@tsbuilder/source", "--import", "tsx", script];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  console.log(stdout.trim().split("\n").at(-1));
  expect(status === 0 ? "" : stdout + stderr).toBe("");
});
