import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { compareText } from "@tsbuilder/apimachinery/text";

/** The file with the licenses, beside a bundle. */
export const licensesFile = "third-party-licenses.txt";
const separator = "-".repeat(80);

/**
 * Returns the licenses of all packages in a bundle, by the paths of its inputs relative to a folder. Most licenses
 * require their text in every copy, and a bundler omits it.
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
  return ["This bundle contains code of the packages below.\n", ...sections].join(`\n${separator}\n`);
}

/** Returns the folder of the package that a file belongs to; undefined for sources outside of `node_modules`. */
function packageRoot(path: string): string | undefined {
  return /^.*(?:^|\/)node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/u.exec(path)?.[0];
}

function readLicense(root: string): { label: string; text: string } {
  const { name, version, license, licenses } = readManifest(root);
  const declared = [license ?? licenses ?? []].flat();
  const types = declared.map((entry) => (typeof entry === "object" ? entry.type : entry));
  const label = `${[name, version].filter(Boolean).join(" ")} (${types.join(" OR ") || "no license given"})`;
  const texts = licenseFiles(root).map((file) => readFileSync(file, "utf8").trim());
  return { label, text: texts.length > 0 ? `${texts.join("\n\n")}\n` : "The package has no license file.\n" };
}

type License = string | { readonly type?: string };

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: License;
  /** The form before there were expressions such as `(MIT OR Apache-2.0)`. */
  readonly licenses?: License | readonly License[];
}

/** Reads package.json; a folder in a bundle may only look like a package. */
function readManifest(root: string): Manifest {
  const file = join(root, "package.json");
  const manifest = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Partial<Manifest>) : {};
  return {
    name: root.slice(root.lastIndexOf("node_modules/") + "node_modules/".length),
    version: "",
    ...manifest,
  };
}

const codeExtension = /\.(?:[cm]?[jt]sx?|json|map)$/u;

/** Lists the files of licenses and notices, also in a folder of that name. */
function licenseFiles(root: string): string[] {
  return readdirSync(root)
    .filter(isLicenseName)
    .map((name) => join(root, name))
    .flatMap((path) =>
      isKind(path, "isDirectory") ? readdirSync(path).map((name) => join(path, name)) : [path],
    )
    .filter((path) => !codeExtension.test(path) && isKind(path, "isFile"))
    .sort(compareText);
}

/** Returns true for the name of a license or notice: `LICENSE_MIT`, `BSD-3-Clause-LICENSE`, `ThirdPartyNotices.txt`. */
function isLicenseName(name: string): boolean {
  const words = name.replaceAll(/([a-z])([A-Z])/gu, "$1 $2").split(/[^A-Za-z]+/u);
  return words.some((word) => /^(?:(?:un)?licen[cs]es?|notices?|copying)$/iu.test(word));
}

/** Returns true if a path is a file, or a folder, as `kind` asks. Follows links; a dangling link is neither. */
const isKind = (path: string, kind: "isFile" | "isDirectory"): boolean =>
  statSync(path, { throwIfNoEntry: false })?.[kind]() ?? false;
