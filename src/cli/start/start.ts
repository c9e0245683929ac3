import { join } from "node:path";
import { lstatSync, mkdirSync, readdirSync, rmSync, utimesSync } from "node:fs";
import { cachedDataVersionTag } from "node:v8";
import { findOwnPackage } from "../../packaging/own-package.ts";
import type { main as Main } from "./main.ts";
import { Scripts } from "./scripts.ts";
import { fitShortRun } from "./short-run.ts";
import { openCacheFolder } from "../../shared/own-folder.ts";

/**
 * The number of folders that are kept: one for each version of tsbuilder and of Node, and for each set of V8's flags.
 */
const keptFolders = 8;

/**
 * Returns the folder for compiled code of this version of tsbuilder and Node with the present flags of V8; creates it
 * if it is missing. Undefined if nothing can be kept, or if another user could change the folder: code in it is run.
 */
export function openCodeFolder(version: string, env: NodeJS.ProcessEnv): string | undefined {
  const all = openCacheFolder("code", env);
  if (all === undefined) return undefined;
  try {
    const folder = join(all, `${version}-${cachedDataVersionTag().toString(16)}`);
    if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) removeOldest(all, folder);
    else utimesSync(folder, new Date(), new Date());
    return folder;
  } catch {
    return undefined;
  }
}

function removeOldest(all: string, made: string): void {
  const folders = readdirSync(all)
    .map((name) => join(all, name))
    .filter((path) => path !== made);
  const byAge = folders
    .map((path) => ({ path, time: lstatSync(path).mtimeMs }))
    .sort((a, b) => b.time - a.time);
  for (const { path } of byAge.slice(keptFolders - 1)) rmSync(path, { recursive: true, force: true });
}

// The only file of the bundle that Node itself loads; all others are scripts whose compiled code is kept. It is not an
// ES module: loading one would first load Node's module loader, which takes as long as `--version`.

const argv = process.argv.slice(2);

const { folder, version } = findOwnPackage();

// A reader such as `head` closes the pipe early: there is nowhere left to write.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(0);
  process.stderr.write(
    `error: the output cannot be written (${error.code})\nhint: check where it is sent to\n`,
  );
  process.exit(1);
});

// Shells and programs wait for `--version`, so nothing else is loaded.
if (argv.length === 1 && (argv[0] === "--version" || argv[0] === "-v")) {
  process.stdout.write(`${version}\n`);
} else {
  fitShortRun(argv);
  const scripts = new Scripts(join(folder, "dist/cli"), openCodeFolder(version, process.env));
  process.once("exit", () => scripts.keepCode());
  const { main } = scripts.load("main.cjs") as { readonly main: typeof Main };
  void main(argv);
}
