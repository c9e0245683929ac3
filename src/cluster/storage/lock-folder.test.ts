import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { lockFolder } from "./file-journal.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "lock-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("only one cluster at a time can use a folder", () => {
  const unlock = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(`the process ${process.pid} keeps its objects in "${folder}"`);
  unlock();
  lockFolder(folder)();
  expect(readdirSync(folder)).toEqual([]);
});

test("the lock of a killed process is taken over", async () => {
  const module = JSON.stringify(new URL("file-journal.ts", import.meta.url).href);
  const code = `const { lockFolder } = await import(${module}); lockFolder(${JSON.stringify(folder)}); console.log("locked"); setInterval(() => {}, 1000);`;
  const loader = [
    "--conditions=@tsbuilder/source",
    "--import",
    import.meta.resolve("tsx"),
    "--input-type=module",
    "-e",
    code,
  ];
  const child = spawn(process.execPath, loader, { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  expect(() => lockFolder(folder)).toThrow(`the process ${child.pid!} keeps its objects`);
  child.kill("SIGKILL");
  await once(child, "exit");
  lockFolder(folder)();
});

test.each(["", "nonsense", "1 0\n"])("a lock file with the content %j is ignored", (text) => {
  writeFileSync(join(folder, "lock"), text);
  const unlock = lockFolder(folder);
  expect(() => lockFolder(folder)).toThrow(`the process ${process.pid} keeps its objects`);
  unlock();
});
