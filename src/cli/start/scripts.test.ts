import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { toScripts } from "../../packaging/to-scripts.ts";
import { Scripts, openCodeFolder, readCode } from "./scripts.ts";

let folder: string;
let code: string;

beforeEach(() => {
  const root = mkdtempSync(join(tmpdir(), "tsbuilder-scripts-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  folder = join(root, "bundle with ünicode");
  code = join(root, "code");
  for (const path of [folder, code]) mkdirSync(path);
});

/** Writes modules, turns them into scripts, and returns what a run of the first one gives. */
function build(modules: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(modules)) writeFileSync(join(folder, name), text);
  toScripts(folder);
}

/** A process that loads a script, calls its `main`, and ends. */
function run(codeFolder: string | undefined = code): unknown {
  const scripts = new Scripts(folder, codeFolder);
  const { main } = scripts.load("main.cjs") as { main: () => unknown };
  const result = main();
  scripts.keepCode();
  return result;
}

function runsKept(name = "main.cjs"): number | undefined {
  return readCode(join(code, name), readFileSync(join(folder, name)))?.runs;
}

describe("scripts", () => {
  it("load one another as the modules did", async () => {
    build({
      "main.js": `import { basename } from "node:path";
import { add, count } from "./chunk-A1.js";
export async function main() {
  const { later } = await import("./later-B2.js");
  add();
  return [basename("/a/b"), count, later(), import.meta.url, 'require("./elsewhere.js")'];
}`,
      "chunk-A1.js": "export let count = 0;\nexport function add() { count += 1; }",
      "later-B2.js": 'import { count } from "./chunk-A1.js";\nexport const later = () => `seen ${count}`;',
    });
    expect(readdirSync(folder).sort()).toEqual(["chunk-A1.cjs", "later-B2.cjs", "main.cjs"]);
    const url = `file://${encodeURI(join(folder, "main.cjs"))}`;
    expect(await run()).toEqual(["b", 1, "seen 1", url, 'require("./elsewhere.js")']);
    expect(["main.cjs", "chunk-A1.cjs"].map(runsKept)).toEqual([0, 0]);
  });

  it("import later what is CommonJS, with its names", async () => {
    writeFileSync(join(folder, "yaml.cjs"), "exports.parse = (text) => [text];");
    writeFileSync(
      join(folder, "start.mjs"),
      'export const main = async () => { const yaml = await import("./yaml.cjs"); return [yaml.parse("a"), yaml.default.parse("b")]; };',
    );
    const entryPoints = { main: join(folder, "start.mjs") };
    buildSync({
      entryPoints,
      outdir: folder,
      bundle: true,
      splitting: true,
      format: "esm",
      platform: "node",
    });
    toScripts(folder);
    expect(await run()).toEqual([["a"], ["b"]]);
  });

  it("load modules of Node that few commands need when something of them is used", async () => {
    const loaded = `process.moduleLoadList.includes("NativeModule child_process")`;
    writeFileSync(
      join(folder, "main.js"),
      `import { execFileSync } from "node:child_process";
export const main = () => [${loaded}, execFileSync(process.execPath, ["-p", "6 * 7"]).toString(), ${loaded}];`,
    );
    toScripts(folder);
    // In a process without tsx, which uses that module itself.
    const loader = join(code, "scripts.mjs");
    buildSync({
      entryPoints: [join(import.meta.dirname, "scripts.ts")],
      outfile: loader,
      bundle: true,
      platform: "node",
      format: "esm",
    });
    const run = `const { Scripts } = await import(${JSON.stringify(pathToFileURL(loader).href)});
console.log(JSON.stringify(new Scripts(${JSON.stringify(folder)}, undefined).load("main.cjs").main()));`;
    const said = execFileSync(process.execPath, ["--input-type=module", "--eval", run], { encoding: "utf8" });
    expect(JSON.parse(said)).toEqual([false, "42\n", true]);
  });

  it("keep their code, complete it in three more runs, and then leave it", () => {
    build({ "main.js": "export const main = () => 1;" });
    expect([run(), runsKept(), run(), runsKept()]).toEqual([1, 0, 1, 1]);
    expect([run(), runsKept(), run(), runsKept(), run(), runsKept()]).toEqual([1, 2, 1, 3, 1, 3]);
  });

  it("are compiled again when they have changed, even if their length has not", () => {
    build({ "main.js": "export const main = () => 1;" });
    run();
    build({ "main.js": "export const main = () => 2;" });
    expect(run()).toBe(2);
    expect(runsKept()).toBe(0);
  });

  it.each([
    ["cut off", (bytes: Buffer) => bytes.subarray(0, bytes.length - 40)],
    ["empty", () => Buffer.alloc(0)],
    ["damaged", (bytes: Buffer) => Buffer.from(bytes.map((byte, at) => (at > 100 ? byte ^ 0x55 : byte)))],
  ])("are compiled again when their code is %s", (_, spoil) => {
    build({ "main.js": "export const main = () => [1, 2].map((n) => n * 2);" });
    run();
    const file = join(code, "main.cjs");
    writeFileSync(file, spoil(readFileSync(file)));
    expect(run()).toEqual([2, 4]);
    expect(runsKept()).toBe(0);
  });

  it("run where nothing can be kept", () => {
    build({ "main.js": "export const main = () => 1;" });
    expect(run(join(code, "missing"))).toBe(1);
    expect(run(undefined)).toBe(1);
  });

  it("leave nothing of scripts that are gone, or of commands that were killed", () => {
    build({ "main.js": "export const main = () => 1;" });
    for (const name of ["chunk-OLD.cjs", "main.cjs.4711"]) writeFileSync(join(code, name), "");
    run();
    expect(readdirSync(code)).toEqual(["main.cjs"]);
  });
});

describe("the folder of compiled code", () => {
  const open = (version = "1.0.0") => openCodeFolder(version, { XDG_CACHE_HOME: code });
  const all = () => join(code, "tsbuilder/code");

  it("is only for its owner, and one for each version", () => {
    const first = open();
    expect(first?.startsWith(join(all(), "1.0.0-"))).toBe(true);
    expect(open()).toBe(first);
    expect(open("1.0.1")).not.toBe(first);
  });

  it("is another one for each program of Node, also if V8 has the same version", () => {
    const openFor = (program: string) => openCodeFolder("1.0.0", { XDG_CACHE_HOME: code }, program);
    const [one, other] = ["one", "other"].map((name) => join(folder, name)) as [string, string];
    writeFileSync(one, "node");
    writeFileSync(other, "node 2");
    expect(openFor(one)).not.toBe(openFor(other));
    // A program that was replaced in its place.
    const before = openFor(one);
    expect(openFor(one)).toBe(before);
    utimesSync(one, 1, 1);
    expect(openFor(one)).not.toBe(before);
  });

  it("is not used where others may write to it", () => {
    open();
    chmodSync(all(), 0o770);
    expect(open()).toBeUndefined();
  });

  it("is not used if it is a link, or cannot be made", () => {
    mkdirSync(join(code, "tsbuilder"));
    symlinkSync(folder, all());
    expect(open()).toBeUndefined();
    rmSync(all());
    writeFileSync(all(), "");
    expect(open()).toBeUndefined();
  });

  it("is not used if Node is asked to keep no code", () => {
    const env = { XDG_CACHE_HOME: code, NODE_DISABLE_COMPILE_CACHE: "1" };
    expect(openCodeFolder("1.0.0", env)).toBeUndefined();
    expect(readdirSync(code)).toEqual([]);
  });

  it.each(["", "nowhere", join(tmpdir(), "tsbuilder-no-home")])("is not made for the home %j", (home) => {
    expect(openCodeFolder("1.0.0", { XDG_CACHE_HOME: "relative", HOME: home })).toBeUndefined();
    expect(existsSync(home)).toBe(false);
  });

  it("is not made below /proc, where Node's recursive mkdir never ends", () => {
    expect(openCodeFolder("1.0.0", { XDG_CACHE_HOME: "/proc/tsbuilder" })).toBeUndefined();
  });

  it("exists for the eight versions that were used last", () => {
    const versions = Array.from({ length: 9 }, (_, at) => `1.0.${at}`);
    const names = () => readdirSync(all()).map((name) => name.split("-")[0]);
    // Each is a second older than the next one.
    for (const [at, version] of versions.slice(0, 8).entries()) {
      const time = new Date(Date.now() - (8 - at) * 1000);
      utimesSync(open(version)!, time, time);
    }
    open("1.0.0");
    open("1.0.8");
    expect(new Set(names())).toEqual(new Set(versions.filter((version) => version !== "1.0.1")));
  });

  it("is not used below a folder in which others may exchange it", () => {
    expect(open()).toBeDefined();
    chmodSync(join(code, "tsbuilder"), 0o777);
    expect(open()).toBeUndefined();
    chmodSync(join(code, "tsbuilder"), 0o700);
    chmodSync(code, 0o777);
    expect(open()).toBeUndefined();
    // As in /tmp, where everyone may write, but exchange only what is theirs.
    chmodSync(code, 0o1777);
    expect(open()).toBeDefined();
  });
});
