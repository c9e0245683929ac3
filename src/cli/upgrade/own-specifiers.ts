const sections = ["dependencies", "devDependencies"] as const;
type Manifest = Readonly<Partial<Record<(typeof sections)[number], Readonly<Record<string, string>>>>>;

const isOurs = (name: string): boolean => name === "tsbuilder" || name.startsWith("@tsbuilder/");

/** A version, its range, or a tarball in `vendor/`; others, such as a folder, are the user's choice. */
const isScaffolded = (specifier: string): boolean => /^(?:[\^~]?\d|file:vendor\/tsbuilder-)/u.test(specifier);

/** How the packages of ours in a `package.json` are specified, by name. */
export function ownSpecifiers(manifest: Manifest): ReadonlyMap<string, string> {
  const all = sections.flatMap((section) => Object.entries(manifest[section] ?? {}));
  return new Map(all.filter(([name, specifier]) => isOurs(name) && isScaffolded(specifier)));
}

/**
 * A project's `package.json` with our packages as they were scaffolded: `npm install @tsbuilder/runtime@latest` moves a
 * range, and an upgrade moves all of them.
 */
export function restoreSpecifiers(text: string, scaffolded: string): string {
  const [theirs, base] = [text, scaffolded].map(readManifest);
  if (theirs === undefined || base === undefined) return text;
  const before = ownSpecifiers(base);
  let restored = text;
  for (const [name, specifier] of ownSpecifiers(theirs)) {
    const was = before.get(name);
    if (was !== undefined) restored = restored.replace(`"${name}": "${specifier}"`, `"${name}": "${was}"`);
  }
  return restored;
}

/** Undefined for what is not JSON: that is reported by whoever needs it. */
function readManifest(text: string): Manifest | undefined {
  try {
    return JSON.parse(text) as Manifest;
  } catch {
    return undefined;
  }
}
