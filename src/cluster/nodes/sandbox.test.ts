import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

// e2e/oracle/real/node tests what runs in a sandbox.

const own = (script: string) =>
  spawnSync("unshare", ["--mount", "sh", "-c", `mount -t tmpfs own /var/tmp && ${script}`], {
    encoding: "utf8",
  });

test("a process that dies before anybody cleans up after it leaves no folder", ({ skip }) => {
  skip(own("true").status !== 0, "this needs root and unshare");
  const module = JSON.stringify(join(import.meta.dirname, "sandbox.ts"));
  const start = `process.env.PATH = ""; void (await import(${module})).startSandbox(["node-1"]);`;
  const program = `${process.execPath} --conditions=@tsbuilder/source --import tsx --input-type=module`;
  const { stdout, stderr } = own(`${program} -e '${start}'; ls /var/tmp`);
  expect(stderr).toContain("spawn bash ENOENT");
  expect(stdout).toBe("");
});
