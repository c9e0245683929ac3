import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const source = fileURLToPath(new URL("bin/create-tsbuilder.js", import.meta.url));

/** A tsbuilder that prints where it was called and with what, and writes nothing. */
const standIn = `console.log(JSON.stringify([process.cwd(), ...process.argv.slice(2)]));
process.exit(process.argv.includes("--wrong") ? 3 : 0);`;

let work: string;
beforeEach(() => {
  work = realpathSync(mkdtempSync(join(tmpdir(), "create-")));
  const tsbuilder = join(work, "node_modules/tsbuilder");
  mkdirSync(join(tsbuilder, "bin"), { recursive: true });
  writeFileSync(join(tsbuilder, "package.json"), '{"name":"tsbuilder"}');
  writeFileSync(join(tsbuilder, "bin/tsbuilder.js"), standIn);
  writeFileSync(join(work, "package.json"), '{"type":"module"}');
  cpSync(source, join(work, "create.js"));
});
afterEach(() => rmSync(work, { recursive: true }));

const create = (...words: string[]) => createBy("npm/11.19.1 node/v24.22.3 linux x64", ...words);
const createBy = (npm_config_user_agent: string, ...words: string[]) =>
  spawnSync(process.execPath, [join(work, "create.js"), ...words], {
    cwd: work,
    encoding: "utf8",
    env: { ...process.env, npm_config_user_agent },
  });

test("makes the folder and runs tsbuilder init in it with the other words", () => {
  const { status, stdout, stderr } = create("new/operator", "--domain", "example.com");
  expect(JSON.parse(stdout)).toEqual([join(work, "new/operator"), "init", "--domain", "example.com"]);
  expect(stderr).toContain('The project is in "new/operator"');
  expect(status).toBe(0);
});

test("returns the exit code of a failed init, and removes the folders that it made", () => {
  expect(create("new/operator", "--wrong")).toMatchObject({ status: 3, stderr: "" });
  expect(existsSync(join(work, "new"))).toBe(false);
});

test("passes no -- to init", () => {
  const { stdout } = create("operator", "--", "--domain", "example.com");
  expect(JSON.parse(stdout)).toEqual([join(work, "operator"), "init", "--domain", "example.com"]);
});

test("refuses a file", () => {
  expect(create("create.js")).toMatchObject({
    status: 1,
    stdout: "",
    stderr: 'error: "create.js" is a file\nhint: choose the name of a new folder\n',
  });
});

test("leaves a folder that existed", () => {
  mkdirSync(join(work, "operator"));
  create("operator", "--wrong");
  expect(existsSync(join(work, "operator"))).toBe(true);
});

test.each([[[]], [["--domain", "example.com"]]])("refuses to guess the folder of %j", (words) => {
  const { status, stdout, stderr } = create(...words);
  expect(stderr).toMatch(/^error: the folder for the project is missing\nhint: npm create tsbuilder/);
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
});

test("shows init's help without making a folder", () => {
  const { stdout } = create("operator", "--help");
  expect(stdout).toMatch(/^Usage: npm create [\s\S]*"init","--help"\]\n$/);
  expect(existsSync(join(work, "operator"))).toBe(false);
});

test.each([
  ["pnpm/10.34.9 npm/? node/v24.22.3 linux x64", [], ["--package-manager", "pnpm"]],
  ["yarn/4.18.1 npm/? node/v24.22.3 linux x64", [], ["--package-manager", "yarn"]],
  ["bun/1.4.5 npm/? node/v24.3.0 linux x64", [], ["--package-manager", "bun"]],
  ["pnpm/10.34.9 npm/? node/v24.22.3 linux x64", ["--package-manager=npm"], ["--package-manager=npm"]],
  ["yarn/1.22.22 npm/? node/v24.22.3 linux x64", [], []],
  ["npm/11.19.1 node/v24.22.3 linux x64", [], []],
  ["", [], []],
])("whoever creates it by %j with %j has it installed so", (agent, words, expected) => {
  const { stdout } = createBy(agent, "operator", ...words);
  expect(JSON.parse(stdout)).toEqual([join(work, "operator"), "init", ...expected]);
});
