import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { toolPath } from "./tool-path.ts";

test.each([
  ["/opt/bin:/usr/bin", "/opt/bin:/usr/bin"],
  ["/p/node_modules/.bin:.:bin::/opt/bin", "/opt/bin"],
  ["", "/usr/bin:/bin"],
  [":", "/usr/bin:/bin"],
  [".:bin", "/usr/bin:/bin"],
  ["/p/node_modules/.bin:/p/node_modules/.bin/", "/usr/bin:/bin"],
])("of the PATH %j, programs of the machine are looked for in %j", (given, expected) => {
  expect(toolPath(given)).toBe(expected);
});

test("without a PATH, a program in the current folder is not run", () => {
  const folder = mkdtempSync(join(tmpdir(), "tool-path-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const program = "planted";
  writeFileSync(join(folder, program), "#!/bin/sh\necho ran\n", { mode: 0o755 });
  vi.stubEnv("PATH", undefined);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { error } = spawnSync(program, [], { cwd: folder, env: { PATH: toolPath() } });
  expect(error).toMatchObject({ code: "ENOENT" });
});
