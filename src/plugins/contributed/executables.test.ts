import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeExecutable } from "../../../e2e/support/plugins/executable-plugin.ts";
import { callExecutable, executableFolder, findExecutable, listExecutables } from "./executables.ts";

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "executables-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

test.each([
  [{ EXTERNAL_PLUGINS_PATH: "/own", XDG_CONFIG_HOME: "/config", HOME: "/home/me" }, "linux", "/own"],
  [{ XDG_CONFIG_HOME: "/config", HOME: "/home/me" }, "linux", "/config/kubebuilder/plugins"],
  [{ HOME: "/home/me" }, "linux", "/home/me/.config/kubebuilder/plugins"],
  [
    { EXTERNAL_PLUGINS_PATH: "own", XDG_CONFIG_HOME: "./config", HOME: "/home/me" },
    "linux",
    "/home/me/.config/kubebuilder/plugins",
  ],
  [{ HOME: "/Users/me" }, "darwin", "/Users/me/Library/Application Support/kubebuilder/plugins"],
] as const)("with %j on %s, executables are in %s", (env, platform, folder) => {
  expect(executableFolder(env, platform)).toBe(folder);
});

test("an executable has the name of its folder, with any ending", () => {
  const folder = makeFolder();
  writeExecutable(folder, "a.example.com/v1", "#!/bin/sh\n");
  writeExecutable(folder, "b/v2-alpha", "#!/bin/sh\n", ".py");
  expect(findExecutable("a.example.com/v1", folder)).toBe(join(folder, "a.example.com/v1/a.example.com"));
  expect(findExecutable("b/v2-alpha", folder)).toBe(join(folder, "b/v2-alpha/b.py"));
  expect(findExecutable("b/v1", folder)).toBeUndefined();
  expect(listExecutables(folder)).toEqual(["a.example.com/v1", "b/v2-alpha"]);
});

const request = { command: "init", args: [], universe: {} } as const;

test("an executable that does not end is stopped", () => {
  const folder = makeFolder();
  writeExecutable(folder, "slow/v1", "#!/bin/sh\nexec sleep 60\n");
  const file = join(folder, "slow/v1/slow");
  expect(() => callExecutable("slow/v1", file, request, folder, { milliseconds: 100, bytes: 10 })).toThrow(
    "took longer than 0.1 s at init",
  );
});

test("an executable that writes without end is stopped", () => {
  const folder = makeFolder();
  writeExecutable(folder, "long/v1", "#!/bin/sh\nexec yes\n");
  const file = join(folder, "long/v1/long");
  expect(() =>
    callExecutable("long/v1", file, request, folder, { milliseconds: 60_000, bytes: 1000 }),
  ).toThrow("wrote more than 1000 bytes at init");
});
