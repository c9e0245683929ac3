import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { compareText } from "@tsbuilder/apimachinery/text";

/** The file with the licenses, beside a bundle. */
export const licensesFile = "third-party-licenses.txt";

/**
 * The licenses of all packages that a bundle contains, by the paths of its inputs relative to a folder. Most licenses
 * ask for their text to go with every copy, and a bundler leaves it behind.
 */
export function describeLicenses(folder: string, inputs: readonly string[]): string {
  const roots = new Set(inputs.flatMap((input) => packageRoot(input) ?? []));
  const byText = new Map<string, Set<string>>();
  for (const root of roots) {
    const { label, text } = readLicense(resolve(folder, root));
    byText.set(text, (byText.get(text) ?? new Set()).add(label));
  }
  const sections = [...byText]
    .map(([text, labels]) => `${[...labels].sort(compareText).join("\n")}\n\n${text}`)
    .sort(compareText);
  return ["This bundle contains code of the packages below.\n", ...sections].join(`\n${rule}\n`);
}

const rule = "-".repeat(80);

/** The folder of the package that a file belongs to; undefined for sources outside of `node_modules`. */
function packageRoot(path: string): string | undefined {
  return /^.*(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/u.exec(path)?.[0];
}

function readLicense(root: string): { label: string; text: string } {
  const { name, version, license } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as Manifest;
  const label = `${name} ${version} (${describe(license)})`;
  const files = readdirSync(root)
    .filter((file) => /^(?:licen[cs]e|notice|copying)\b/iu.test(file))
    .sort(compareText);
  const texts = files.map((file) => readFileSync(join(root, file), "utf8").trim());
  return { label, text: texts.length > 0 ? `${texts.join("\n\n")}\n` : "The package has no license file.\n" };
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string | { readonly type?: string };
}

const describe = (license: Manifest["license"]): string =>
  (typeof license === "object" ? license.type : license) ?? "no license given";
