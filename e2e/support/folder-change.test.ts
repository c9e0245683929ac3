import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { folderChange } from "./folder-change.ts";
import { watchProcess } from "./watched-process.ts";

const folder = mkdtempSync(join(tmpdir(), "folder-change-"));
afterAll(() => rmSync(folder, { recursive: true }));

test("a change before the wait is seen", async () => {
  const maker = watchProcess("cat", spawn("cat"));
  const changed = folderChange(folder, (file) => file === "meant");
  writeFileSync(join(folder, "other"), "");
  writeFileSync(join(folder, "meant"), "");
  expect(await changed(maker.watch)).toBeUndefined();
  await maker.stop();
});

test("a wait for a change fails when the process that should make it ends", async () => {
  const changed = folderChange(folder, () => false);
  const maker = watchProcess("the maker", spawn("sh", ["-c", "echo no space; exit 4"]));
  await expect(changed(maker.watch)).rejects.toThrow(
    /^the maker ended with 4: no such change in [^]*no space/,
  );
});
