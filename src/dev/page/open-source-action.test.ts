import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "@tsbuilder/runtime/testing";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openSourceAction } from "./open-source-action.ts";

let work: string;
let root: string;
let source: string;

beforeAll(() => {
  work = realpathSync(mkdtempSync(join(tmpdir(), "open source ")));
  root = join(work, "project");
  mkdirSync(join(root, "src"), { recursive: true });
  source = join(root, "a.ts");
  for (const file of [source, join(work, "secret.txt")]) writeFileSync(file, "");
  // The folder's name has a space, which the variable can't have.
  vi.stubEnv("PATH", `${root}:${process.env["PATH"]}`);
  symlinkSync(join(work, "secret.txt"), join(root, "link.ts"));
});

afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(work, { recursive: true, force: true });
});

/** Makes an editor that writes its arguments, one a line. */
function editor(name: string): string {
  const program = join(root, name);
  writeFileSync(
    program,
    `#!/bin/sh\nprintf '%s\\n' "$@" > "${program}.new"\nmv "${program}.new" "${program}.args"\n`,
  );
  chmodSync(program, 0o755);
  return program;
}

const argsOf = (program: string): Promise<string[]> =>
  eventually(() => readFileSync(`${program}.args`, "utf8").trimEnd().split("\n"));

test.each([
  ["code", (file: string) => ["--goto", `${file}:40:5`]],
  ["webstorm", (file: string) => ["--line", "40", "--column", "5", file]],
  ["subl", (file: string) => [`${file}:40:5`]],
  ["unknown", (file: string) => [`${file}:40:5`]],
])("%s is told the line in its own way", async (name, args) => {
  const program = editor(name);
  await openSourceAction(root, { TSBUILDER_EDITOR: name })({ source: `${source}:40:5` });
  expect(await argsOf(program)).toEqual(args(source));
});

test.each(["vim", "constructor"])(
  "%s has no windows: it is not started, and a hint says what to set",
  async (EDITOR) => {
    await expect(openSourceAction(root, { EDITOR })({ source: `${source}:1:1` })).rejects.toMatchObject({
      message: "no editor is known",
      hint: expect.stringContaining("TSBUILDER_EDITOR"),
    });
  },
);

test.each(["/etc/passwd:1:1", "link.ts:1:1", "gone.ts:1:1", "src:1:1", "../secret.txt:1:1", ""])(
  "%j is not opened",
  async (path) => {
    const program = editor("never");
    const given = path.startsWith("/") || path === "" ? path : join(root, path);
    await expect(openSourceAction(root, { TSBUILDER_EDITOR: "never" })({ source: given })).rejects.toThrow();
    expect(existsSync(`${program}.args`)).toBe(false);
  },
);
