import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writePrivate } from "./files.ts";

const modeOf = (file: string): number => statSync(file).mode & 0o777;

test("writePrivate() takes a file away from other readers, and makes new ones private", () => {
  const folder = mkdtempSync(join(tmpdir(), "private-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const shared = join(folder, "shared");
  writeFileSync(shared, "old");
  chmodSync(shared, 0o644);
  for (const file of [shared, join(folder, "new")]) {
    writePrivate(file, "secret");
    expect([modeOf(file), readFileSync(file, "utf8")]).toEqual([0o600, "secret"]);
  }
});

test.runIf(process.platform === "linux")("writePrivate() leaves the mode of a device as it is", () => {
  const before = modeOf("/dev/null");
  writePrivate("/dev/null", "secret");
  expect(modeOf("/dev/null")).toBe(before);
});
