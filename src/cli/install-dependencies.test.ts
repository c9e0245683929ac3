import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { installDependencies } from "./install-dependencies.ts";

const path = process.env["PATH"];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "tsbuilder-install-"));
});
afterEach(() => {
  process.env["PATH"] = path;
  rmSync(folder, { recursive: true, force: true });
});

test.skipIf(process.platform === "win32")("says what runs before it does, and how to retry it", () => {
  writeFileSync(join(folder, "npm"), "#!/bin/sh\nexit 3\n");
  chmodSync(join(folder, "npm"), 0o755);
  process.env["PATH"] = `${folder}${delimiter}${path}`;
  const notes: string[] = [];
  expect(() => installDependencies(folder, { note: (text) => void notes.push(text) })).toThrow(
    expect.objectContaining({ code: "TOOL_FAILED", hint: expect.stringContaining("npm install") as string }),
  );
  expect(notes).toEqual([
    "Installing the project's packages with npm install; if it is interrupted, run it again.",
  ]);
});
