import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

/** Links the packages of a `node_modules` into another one, except for tsbuilder if that is there. */
export function linkModules(from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  const present = new Set(readdirSync(to));
  for (const name of readdirSync(from).filter((one) => !present.has(one)))
    symlinkSync(join(from, name), join(to, name));
}

/**
 * Makes a later version of tsbuilder out of an installed one, in a `node_modules` of its own, and returns its program.
 * Templates are compiled into the CLI, so that lines of it are changed.
 */
export function makeNewer(
  from: string,
  to: string,
  version: string,
  lines: readonly (readonly [string, string])[],
): string {
  const folder = join(to, "tsbuilder");
  cpSync(realpathSync(join(from, "tsbuilder")), folder, { recursive: true });
  linkModules(from, to);
  const manifest = readFileSync(join(folder, "package.json"), "utf8");
  writeFileSync(
    join(folder, "package.json"),
    manifest.replace(/"version": "[^"]*"/u, `"version": "${version}"`),
  );
  const missing = new Set(lines.map(([was]) => was));
  const cli = join(folder, "dist/cli");
  const scripts = readdirSync(cli, { withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { name } of scripts) {
    const file = join(cli, name);
    let text = readFileSync(file, "utf8");
    for (const [was, is] of lines) {
      if (text.includes(was)) missing.delete(was);
      text = text.replaceAll(was, is);
    }
    writeFileSync(file, text);
  }
  if (missing.size > 0) throw new Error(`no template has ${[...missing].join(", ")}`);
  return join(folder, "bin/tsbuilder.js");
}
