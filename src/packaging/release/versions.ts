const number = String.raw`(?:0|[1-9]\d*)`;
const identifier = String.raw`(?:${number}|\d*[A-Za-z-][0-9A-Za-z-]*)`;
const semver = new RegExp(`^${number}\\.${number}\\.${number}(?:-${identifier}(?:\\.${identifier})*)?$`, "u");

export function checkVersion(version: string): string {
  if (semver.test(version)) return version;
  throw new Error(`"${version}" is not a version: write it as 0.2.0, or as 0.2.0-rc.1 before a release`);
}

interface Versioned {
  version?: string;
  readonly dependencies?: Record<string, string>;
  readonly packages?: Readonly<Record<string, Versioned>>;
}

/** A `package.json` or the lock file with another version of our packages, also in what depends on them. */
export function setVersion(text: string, version: string): string {
  const file = JSON.parse(text) as Versioned;
  const workspaces = Object.entries(file.packages ?? {}).filter(
    ([path]) => path === "" || path.startsWith("src/"),
  );
  for (const one of [file, ...workspaces.map(([, entry]) => entry)]) {
    one.version = version;
    for (const name of Object.keys(one.dependencies ?? {}))
      if (name === "tsbuilder" || name.startsWith("@tsbuilder/")) one.dependencies![name] = version;
  }
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

/** What the changelog says of a version; what is not released yet if it has no heading for it. */
export function readNotes(changelog: string, version: string): string {
  return (section(changelog, version) ?? section(changelog, "Unreleased") ?? "").trim();
}

export function isInChangelog(changelog: string, version: string): boolean {
  return section(changelog, version) !== undefined;
}

/** The changelog with what is not released yet below the heading of a version. */
export function closeUnreleased(changelog: string, version: string): string {
  if (readNotes(changelog, "Unreleased") === "")
    throw new Error('CHANGELOG.md has nothing below "## Unreleased": write what users notice');
  return changelog.replace(/^## Unreleased$/mu, `## Unreleased\n\n## ${version}`);
}

function section(changelog: string, heading: string): string | undefined {
  const [, ...sections] = changelog.split(/^## /mu);
  const found = sections.find((text) => text.split("\n")[0]!.trim() === heading);
  return found?.slice(found.indexOf("\n") + 1);
}
