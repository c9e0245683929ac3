import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { writeOutput } from "./files.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "write-output-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const output = { what: "the manifest", flag: "--output" };

test("writeOutput() makes folders, and keeps a secret to its owner", () => {
  writeOutput(join(folder, "a/b/c"), "text", { ...output, isPrivate: true });
  writeOutput(join(folder, "a/b/d"), "more", output);
  expect(readFileSync(join(folder, "a/b/c"), "utf8")).toBe("text");
  expect(statSync(join(folder, "a/b/c")).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(folder, "a/b/d"), "utf8")).toBe("more");
});

test("writeOutput() keeps a secret to its owner in the place of a file that all may read", () => {
  const file = join(folder, "kubeconfig");
  writeFileSync(file, "old and longer", { mode: 0o644 });
  writeOutput(file, "secret", { ...output, isPrivate: true });
  expect(readFileSync(file, "utf8")).toBe("secret");
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test.each([
  "a-file/x",
  "a-file/deep/x",
  ".",
  ...(process.platform === "linux" ? ["/proc/x", "/proc/no/such/x"] : []),
])("writeOutput() says that it can't write %s", (path) => {
  writeFileSync(join(folder, "a-file"), "");
  expect(() => writeOutput(path.startsWith("/") ? path : join(folder, path), "text", output)).toThrow(
    expect.objectContaining({
      message: expect.stringContaining("the manifest cannot be written: "),
      hint: "give a file that you may write with --output",
    }),
  );
});
