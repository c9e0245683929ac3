import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { explainStart } from "./cluster-failures.ts";
import { startForeground } from "./foreground-cluster.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "start-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("startForeground() hints at what to do if the folder for its objects is a file", async () => {
  writeFileSync(join(folder, "data"), "");
  const options = {
    folder,
    kubeconfig: "kubeconfig",
    port: undefined,
    data: "data",
    controllers: "none",
    stages: undefined,
  };
  await expect(startForeground(options)).rejects.toMatchObject({
    message: `the cluster's objects cannot be persisted: ${join(folder, "data")}`,
    hint: expect.stringContaining("omit --data or --persist") as string,
  });
});

test("startForeground() names the damaged line of a log, and how to go on", async () => {
  mkdirSync(join(folder, "data"));
  const log = join(folder, "data/log.jsonl");
  const record = '{"c":"x","k":"a","r":2}';
  writeFileSync(log, `${crc32(record).toString(16).padStart(8, "0")} ${record}\nnonsense\n`);
  const options = {
    folder,
    kubeconfig: "kubeconfig",
    port: undefined,
    data: "data",
    controllers: "none",
    stages: undefined,
  };
  await expect(startForeground(options)).rejects.toMatchObject({
    name: "TsbuilderError",
    message: `line 2 of "${log}" is damaged: its checksum does not match`,
    hint: expect.stringContaining("head -n 1 log.jsonl") as string,
  });
});

test("explainStart() hints at what to do if the disk is full", () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  expect(() => explainStart(full)).toThrow("the disk is full");
});

test("explainStart() tells a port that is not allowed from a folder", () => {
  const fields = { code: "EACCES", syscall: "listen", address: "127.0.0.1", port: 80 };
  const refused = Object.assign(new Error("listen EACCES: permission denied 127.0.0.1:80"), fields);
  expect(() => explainStart(refused)).toThrow("the system does not let the cluster have its port");
});

test("explainStart() leaves other errors alone", () => {
  const other = new Error("a bug");
  expect(() => explainStart(other)).toThrow(other);
});
