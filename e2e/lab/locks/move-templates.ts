import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareSemver, parseSemver } from "@tsbuilder/apimachinery/semver";
import { referenceTemplates } from "../../../src/plugins/typescript/reference-templates.ts";
import { repository } from "../../support/source-imports.ts";

/**
 * Moves what the `package.json` of new projects names to the newest versions of the same major version, and this
 * repository with it, which is tested with the same. Returns a line for each.
 */
export function moveTemplates(): string[] {
  const paths = [
    "templates/typescript/init/package/package.json.hbs",
    "package.json",
    "src/plugins/typescript/reference-templates.ts",
    // This page of the book names the versions of the linter and the formatter.
    "src/book/shipping/editors.md",
  ];
  const texts = paths.map((path) => readFileSync(join(repository, path), "utf8"));
  // Installed packages, and programs that scripts fetch: a script may name one twice.
  const found = texts[0]!.matchAll(/(?:^ {4}"|[ =])(@?[\w/-]+)(?:": "|@)(\d+\.\d+\.\d+)\b/gmu);
  const named = new Map([...found].map(([, name, version]) => [name!, version!] as const));
  const further = referenceTemplates.flatMap(({ packages = {} }) => Object.entries(packages));
  const moved = [...named, ...further].flatMap(([name, version]) => {
    const newest = newestOf(name, version);
    if (newest === version) return [];
    for (const [index, text] of texts.entries())
      texts[index] = text
        .replaceAll(`"${name}": "${version}"`, `"${name}": "${newest}"`)
        .replaceAll(`${name}: "${version}"`, `${name}: "${newest}"`)
        .replaceAll(`${name}@${version}`, `${name}@${newest}`);
    return [`${name}: ${version} to ${newest}`];
  });
  for (const [index, path] of paths.entries()) writeFileSync(join(repository, path), texts[index]!);
  return moved;
}

function newestOf(name: string, version: string): string {
  const [major] = version.split(".");
  const words = ["view", `${name}@^${major}`, "version", "--json"];
  const found = JSON.parse(execFileSync("npm", words, { encoding: "utf8" })) as string | string[];
  const releases = [found].flat().filter((one) => parseSemver(one)?.prerelease.length === 0);
  return releases.toSorted((a, b) => compareSemver(parseSemver(a)!, parseSemver(b)!)).at(-1) ?? version;
}
