import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { describeError, explainError } from "./report.ts";

const folder = mkdtempSync(join(tmpdir(), "tsbuilder-report-"));
const say = (act: () => unknown): string => {
  try {
    act();
  } catch (error) {
    return describeError(error, () => undefined);
  }
  throw new Error("nothing was thrown");
};

test("names the file of a system error, and what to do", () => {
  const file = join(folder, "file");
  writeFileSync(file, "");
  expect(say(() => readFileSync(folder))).toContain("is a folder, but a file is expected (EISDIR, read)");
  const gone = Object.assign(new Error("no such file or directory, uv_cwd"), {
    code: "ENOENT",
    syscall: "uv_cwd",
  });
  expect(
    say(() => {
      throw gone;
    }),
  ).toContain("error: the current folder does not exist any more");
  expect(explainError(gone).code).toBe("NOT_FOUND");
  expect(say(() => writeFileSync(join(file, "below"), ""))).toBe(
    `error: "${file}/below" is inside of a file, but a folder is expected (ENOTDIR, open)\nhint: move the file away`,
  );
});

test("reports everything else as a bug, with its stack", () => {
  expect(say(() => undefined!["x" as never])).toMatch(/^internal error: TypeError: .*\n {4}at /u);
});
