import { isObject } from "@tsbuilder/apimachinery/json";
import { parseJson, readJsonObject } from "../../shared/read-json.ts";
import type { Tree } from "../../scaffold/tree.ts";

/** The parts of a `package.json` in which tsbuilder scaffolds dependencies. */
export const sections = ["dependencies", "devDependencies"] as const;

/** The dependencies in a `package.json`. */
type Manifest = Readonly<Partial<Record<(typeof sections)[number], Readonly<Record<string, string>>>>>;

/** Reads the dependencies. Undefined if npm would refuse the text: the caller reports that where it matters. */
export function readManifest(text: string): Manifest | undefined {
  const manifest = parseJson(text);
  const isValid = isObject(manifest) && sections.every((section) => isStringRecord(manifest[section] ?? {}));
  return isValid ? manifest : undefined;
}

const isStringRecord = (value: unknown): boolean =>
  isObject(value) && Object.values(value).every((member) => typeof member === "string");

/** Returns the scaffolded specifiers of tsbuilder's packages in a `package.json`, by name. */
export function ownSpecifiers(manifest: Manifest): ReadonlyMap<string, string> {
  return new Map(ownDependencies(manifest).map(({ name, specifier }) => [name, specifier]));
}

interface Dependency {
  readonly section: (typeof sections)[number];
  readonly name: string;
  readonly specifier: string;
}

function ownDependencies(manifest: Manifest): Dependency[] {
  const dependencies = sections.flatMap((section) =>
    Object.entries(manifest[section] ?? {}).map(([name, specifier]) => ({ section, name, specifier })),
  );
  return dependencies.filter(({ name, specifier }) => isOurs(name) && isScaffolded(specifier));
}

const isOurs = (name: string): boolean => name === "tsbuilder" || name.startsWith("@tsbuilder/");

/** Accepts a version, a range or a tarball in `vendor/`. Any other specifier, such as a folder, is the user's choice. */
const isScaffolded = (specifier: string): boolean => /^(?:[\^~]?\d|file:vendor\/tsbuilder-)/u.test(specifier);

/** Restores the scaffolded specifiers of tsbuilder's packages: `npm install` may have moved one, but an upgrade moves all. */
export function restoreSpecifiers(text: string, scaffolded: string): string {
  const [present, base] = [text, scaffolded].map(readManifest);
  if (present === undefined || base === undefined) return text;
  const scaffoldedSpecifiers = ownSpecifiers(base);
  let restored = text;
  for (const dependency of ownDependencies(present)) {
    const specifier = scaffoldedSpecifiers.get(dependency.name);
    if (specifier !== undefined && specifier !== dependency.specifier)
      restored = replaceSpecifier(restored, dependency, specifier);
  }
  return restored;
}

/** A member of a JSON object whose value is a string. */
const stringMember = /"([^"\\]*)"(\s*:\s*)"([^"\\]*)"/gu;

/** Changes one dependency in the text, even if `overrides`, for example, has the same name and specifier. */
function replaceSpecifier(text: string, { section, name, specifier }: Dependency, wanted: string): string {
  const candidates = [...text.matchAll(stringMember)]
    .filter(([, key, , value]) => key === name && value === specifier)
    .map(({ index, 0: { length }, 1: key, 2: colon }) =>
      [text.slice(0, index), `"${key}"${colon}"${wanted}"`, text.slice(index + length)].join(""),
    );
  return candidates.find((changed) => readManifest(changed)?.[section]?.[name] === wanted) ?? text;
}

/** Returns the operator's version in `package.json`, by default the one that new projects have. */
export function readPackageVersion(tree: Tree): string {
  const { version } = readJsonObject("package.json", tree.read("package.json") ?? "{}");
  return typeof version === "string" ? version : "0.1.0";
}
