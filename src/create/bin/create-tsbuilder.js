#!/usr/bin/env node
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, rmdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

/** `npm create tsbuilder@latest FOLDER -- FLAGS` is `tsbuilder init FLAGS` in a new folder. */
const usage = `Usage: npm create tsbuilder@latest FOLDER -- FLAGS
Makes FOLDER and runs tsbuilder init in it, which asks for the domain:
  npm create tsbuilder@latest my-operator -- --domain example.com
`;

const words = process.argv.slice(2);
if (words.includes("--help") || words.includes("-h")) {
  process.stdout.write(`${usage}FLAGS are those of tsbuilder init:\n\n`);
  process.exit(runInit(".", ["--help"]));
}
const [folder, ...flags] = words;
if (folder === undefined || folder.startsWith("-")) {
  process.stderr.write(`error: the folder for the project is missing\nhint: ${usage}`);
  process.exit(1);
}
const isNew = !existsSync(folder);
mkdirSync(folder, { recursive: true });
const code = runInit(folder, flags);
if (code === 0) {
  process.stderr.write(`\nThe project is in "${folder}"; npx tsbuilder there runs its tsbuilder.\n`);
} else if (isNew && readdirSync(folder).length === 0) {
  rmdirSync(folder);
}
process.exit(code);

function runInit(cwd, flags) {
  const tsbuilder = dirname(createRequire(import.meta.url).resolve("tsbuilder/package.json"));
  const program = join(tsbuilder, "bin/tsbuilder.js");
  return spawnSync(process.execPath, [program, "init", ...flags], { cwd, stdio: "inherit" }).status ?? 1;
}
