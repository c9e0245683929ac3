import { isObject } from "@tsbuilder/apimachinery/json";
import { parseJson, readJsonObject } from "../../shared/read-json.ts";
import type { Tree } from "../../scaffold/tree.ts";

export const sections = ["dependencies", "devDependencies"] as const;

/** The dependencies in a `package.json`. */
type Manifest = Readonly<Partial<Record<(typeof sections)[number], Readonly<Record<string, string>>>>>;

/** Reads the dependencies. Undefined if npm would refuse the text: the caller reports that where it matters. */
export function readManifest(text: string): Manifest | undefined {
  const manifest = parseJson(text);
  const isWhole = isObject(manifest) && sections.every((section) => isOfTexts(manifest[section] ?? {}));
  return isWhole ? manifest : undefined;
}

const isOfTexts = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((one) => typeof one === "string");

/** Returns the specifiers of tsbuilder's packages in a `package.json`, by name. */
export function ownSpecifiers(manifest: Manifest): ReadonlyMap<string, string> {
  return new Map(ownEntries(manifest).map(({ name, specifier }) => [name, specifier]));
}

interface Entry {
  readonly section: (typeof sections)[number];
  readonly name: string;
  readonly specifier: string;
}

function ownEntries(manifest: Manifest): Entry[] {
  const all = sections.flatMap((section) =>
    Object.entries(manifest[section] ?? {}).map(([name, specifier]) => ({ section, name, specifier })),
  );
  return all.filter(({ name, specifier }) => isOurs(name) && isScaffolded(specifier));
}

const isOurs = (name: string): boolean => name === "tsbuilder" || name.startsWith("@tsbuilder/");

/**
 * Accepts a version, a range or a tarball in `vendor/`. Any other specifier, such as a folder, is the user's choice.
 */
const isScaffolded = (specifier: string): boolean => /^(?:[\^~]?\d|file:vendor\/tsbuilder-)/u.test(specifier);

/**
 * Returns a project's `package.json` with the scaffolded specifiers of tsbuilder's packages: `npm install
 * @tsbuilder/runtime@latest` moves one of them, but an upgrade moves all.
 */
export function restoreSpecifiers(text: string, scaffolded: string): string {
  const [theirs, base] = [text, scaffolded].map(readManifest);
  if (theirs === undefined || base === undefined) return text;
  const before = ownSpecifiers(base);
  let restored = text;
  for (const entry of ownEntries(theirs)) {
    const was = before.get(entry.name);
    if (was !== undefined && was !== entry.specifier) restored = respecify(restored, entry, was);
  }
  return restored;
}

const member = /"([^"\\]*)"(\s*:\s*)"([^"\\]*)"/gu;

/**
 * Changes one entry and nothing around it. The same text may also occur elsewhere: `overrides` have names and ranges,
 * too.
 */
function respecify(text: string, { section, name, specifier }: Entry, wanted: string): string {
  const candidates = [...text.matchAll(member)]
    .filter(([, key, , value]) => key === name && value === specifier)
    .map(({ index, 0: { length }, 1: key, 2: colon }) =>
      [text.slice(0, index), `"${key}"${colon}"${wanted}"`, text.slice(index + length)].join(""),
    );
  return candidates.find((one) => readManifest(one)?.[section]?.[name] === wanted) ?? text;
}

/** Returns the operator's version in `package.json`. */
export function readPackageVersion(tree: Tree): string {
  const { version } = readJsonObject("package.json", tree.read("package.json") ?? "{}");
  return typeof version === "string" ? version : "0.1.0";
}
