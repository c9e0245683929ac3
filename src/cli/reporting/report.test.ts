import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { getSystemErrorMap } from "node:util";
import { describe, expect, onTestFinished, test } from "vitest";
import { describeError, explainError } from "./explain-error.ts";

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

describe("errors of the operating system", () => {
  const systemError = (code: string, fields: object = {}): Error =>
    Object.assign(new Error(`${code}: words, rename`), { code, errno: -1, syscall: "rename", ...fields });

  test.each([...getSystemErrorMap().values()].map(([code]) => code))("%s is no bug of tsbuilder", (code) => {
    const { code: reported, message, hint } = explainError(systemError(code, { path: "PROJECT" }));
    expect([code, "UNKNOWN"]).toContain(reported);
    expect(message).toMatch(/^"PROJECT" .*, rename\)$/u);
    expect(hint).not.toContain("bug");
  });

  test.each(["ENFILE", "EBUSY", "ENOTEMPTY", "ETXTBSY", "ENOENT", "ENOMEM", "ENXIO"])(
    "%s has advice of its own",
    (code) => {
      expect(explainError(systemError(code)).code).toBe(code);
    },
  );

  test("knows by its number what Node has no name for", () => {
    const { EDQUOT, EIDRM } = constants.errno;
    const numbered = (errno: number): Error =>
      systemError(`Unknown system error -${errno}`, { errno: -errno, path: "PROJECT" });
    expect(explainError(numbered(EDQUOT))).toEqual({
      code: "EDQUOT",
      message: '"PROJECT" does not fit into your quota (EDQUOT, rename)',
      hint: "free some space and run the command again",
    });
    expect(explainError(numbered(EIDRM))).toMatchObject({
      code: "UNKNOWN",
      message: '"PROJECT" is refused by the operating system (EIDRM, rename)',
    });
    expect(explainError(numbered(9999))).toMatchObject({ code: "UNKNOWN" });
  });

  test("names an address", async () => {
    const socket = connect({ host: "127.0.0.1", port: 1 });
    const [refused] = (await once(socket, "error")) as [Error];
    expect(explainError(refused)).toEqual({
      code: "ECONNREFUSED",
      message: '"127.0.0.1:1" refuses connections (ECONNREFUSED, connect)',
      hint: "check the address, and whether a server listens there",
    });
  });

  test("names a program", () => {
    const { error } = spawnSync(join(folder, "missing"));
    expect(explainError(error)).toMatchObject({
      code: "ENOENT",
      message: `"${join(folder, "missing")}" does not exist (ENOENT, spawnSync)`,
    });
  });
});

test("reports everything else as a bug, with its stack", () => {
  expect(say(() => undefined!["x" as never])).toMatch(/^internal error: TypeError: .*\n {4}at /u);
});

test("a terminal gets no escape sequence of a project", async () => {
  const root = mkdtempSync(join(tmpdir(), "tsbuilder-report-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  writeFileSync(
    join(root, "PROJECT"),
    `version: "3"\nlayout:\n- typescript.tsbuilder.dev/v1\ndomain: example.com\nprojectName: "a\\e]52;c;eA==\\a\\u202e"\n`,
  );
  for (const line of ["manifests --check", "plugins", "edit --enable prometheus"]) {
    const cli = join(import.meta.dirname, "../start/from-source.ts");
    const node = ["--conditions=@tsbuilder/source", "--import", import.meta.resolve("tsx")];
    const { stdout, stderr } = spawnSync(process.execPath, [...node, cli, ...line.split(" ")], {
      cwd: root,
      encoding: "utf8",
    });
    expect(stdout + stderr).toContain("\\u001b]52;c;eA==\\u0007\\u202e");
    expect(["\u001b", "\u0007", "\u202e"].filter((char) => (stdout + stderr).includes(char))).toEqual([]);
  }
});
