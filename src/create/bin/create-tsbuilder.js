#!/usr/bin/env node
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** `npm create tsbuilder@latest FOLDER -- FLAGS` is `tsbuilder init FLAGS` in a new folder. */
const usage = `Usage: npm create tsbuilder@latest FOLDER -- FLAGS
Makes FOLDER and runs tsbuilder init in it, which asks for the domain unless you give it:
  npm create tsbuilder@latest my-operator -- --domain example.com
`;

// Ctrl-C ends tsbuilder, and the folder is removed after that.
process.on("SIGINT", () => {});

const words = process.argv.slice(2);
if (words.includes("--help") || words.includes("-h")) {
  process.stdout.write(`${usage}FLAGS are those of tsbuilder init:\n\n`);
  process.exit(runInit(".", ["--help"]));
}
const [folder, ...rest] = words;
if (folder === undefined || folder.startsWith("-")) {
  const hint = "npm create tsbuilder@latest my-operator -- --domain example.com";
  process.stderr.write(`error: the folder for the project is missing\nhint: ${hint}\n`);
  process.exit(1);
}
if (existsSync(folder) && !statSync(folder).isDirectory()) {
  process.stderr.write(`error: "${folder}" is a file\nhint: choose the name of a new folder\n`);
  process.exit(1);
}
// mkdirSync() returns the topmost folder that it made: everything in it is new.
const made = mkdirSync(folder, { recursive: true });
// Some package managers pass `--` on.
const flags = rest[0] === "--" ? rest.slice(1) : rest;
const code = runInit(folder, [...flags, ...packageManagerFlags(flags)]);
if (code === 0) {
  process.stderr.write(`\nThe project is in "${folder}"; npx tsbuilder there runs its tsbuilder.\n`);
} else if (made !== undefined && readdirSync(folder).length === 0) {
  rmSync(made, { recursive: true });
}
process.exit(code);

/** Returns flags that name the package manager in use; none if it is named, or is Yarn 1, whose lock files differ. */
function packageManagerFlags(flags) {
  const [, name, major] = /^(pnpm|yarn|bun)\/(\d+)/.exec(process.env.npm_config_user_agent ?? "") ?? [];
  const isNamed = flags.some((flag) => /^--package-manager(=|$)/.test(flag));
  return name === undefined || isNamed || `${name} ${major}` === "yarn 1" ? [] : ["--package-manager", name];
}

function runInit(cwd, flags) {
  const tsbuilder = dirname(createRequire(import.meta.url).resolve("tsbuilder/package.json"));
  const program = join(tsbuilder, "bin/tsbuilder.js");
  const { status, error } = spawnSync(process.execPath, [program, "init", ...flags], {
    cwd,
    stdio: "inherit",
  });
  if (error) process.stderr.write(`error: tsbuilder does not start: ${error.message}\n`);
  return status ?? 1;
}
