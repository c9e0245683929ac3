const number = String.raw`(?:0|[1-9]\d*)`;
const identifier = String.raw`(?:${number}|\d*[A-Za-z-][0-9A-Za-z-]*)`;
const semver = new RegExp(`^${number}\\.${number}\\.${number}(?:-${identifier}(?:\\.${identifier})*)?$`, "u");

/** Returns the version. Throws if it is not one of semver without build metadata. */
export function checkVersion(version: string): string {
  if (semver.test(version)) return version;
  throw new Error(`"${version}" is not a version: write it as 0.2.0, or as 0.2.0-rc.1 before a release`);
}

/** A `package.json`, a lock file, or one of its entries. */
interface Versioned {
  version?: string;
  readonly dependencies?: Record<string, string>;
  readonly packages?: Readonly<Record<string, Versioned>>;
}

/** Sets the version of our packages in a `package.json` or the lock file, and in dependencies on them. */
export function setVersion(text: string, version: string): string {
  const file = JSON.parse(text) as Versioned;
  const workspaces = Object.entries(file.packages ?? {}).filter(
    ([path]) => path === "" || path.startsWith("src/"),
  );
  for (const manifest of [file, ...workspaces.map(([, entry]) => entry)]) {
    manifest.version = version;
    for (const name of Object.keys(manifest.dependencies ?? {}))
      if (name === "tsbuilder" || name.startsWith("@tsbuilder/")) manifest.dependencies![name] = version;
  }
  return `${JSON.stringify(file, undefined, 2)}\n`;
}

/** Returns the notes of a version in the changelog; if it has no heading yet, the unreleased ones. */
export function readNotes(changelog: string, version: string): string {
  return (findSection(changelog, version) ?? findSection(changelog, "Unreleased") ?? "").trim();
}

/** Returns whether the changelog has a heading for a version. */
export function isInChangelog(changelog: string, version: string): boolean {
  return findSection(changelog, version) !== undefined;
}

/** Puts the unreleased notes of the changelog below a heading for a version. Throws if there are none. */
export function closeUnreleased(changelog: string, version: string): string {
  if (readNotes(changelog, "Unreleased") === "")
    throw new Error('CHANGELOG.md has nothing below "## Unreleased": write what users notice');
  return changelog.replace(/^## Unreleased$/mu, `## Unreleased\n\n## ${version}`);
}

function findSection(changelog: string, heading: string): string | undefined {
  const [, ...sections] = changelog.split(/^## /mu);
  const found = sections.find((text) => text.split("\n")[0]!.trim() === heading);
  return found?.slice(found.indexOf("\n") + 1);
}

/** The state of a repository that must agree before a tag is published. */
interface TaggedState {
  readonly tag: string;
  /** The versions in the repository, by file. */
  readonly versions: ReadonlyMap<string, string>;
  readonly changelog: string;
  /** The commit of the tag; undefined where there is no such tag yet. */
  readonly tagged: string | undefined;
  readonly head: string;
  /** The files that differ from the commit, as git lists them; empty if there are none. */
  readonly changes: string;
}

/** Throws unless the tag, the versions, the changelog and the commit agree. */
export function checkTag({ tag, versions, changelog, tagged, head, changes }: TaggedState): void {
  const version = tag.replace(/^v/u, "");
  for (const [path, written] of versions)
    if (tag !== `v${written}`)
      throw new Error(
        `the tag is ${tag}, and ${path} says ${written}: npm run lab -- release VERSION sets all`,
      );
  if (!isInChangelog(changelog, version))
    throw new Error(`CHANGELOG.md has no version ${version}: npm run lab -- release ${version} writes it`);
  if (readNotes(changelog, version) === "")
    throw new Error(`CHANGELOG.md says nothing of version ${version}: write what users notice`);
  if (tagged !== undefined && tagged !== head)
    throw new Error(`${tag} is the commit ${tagged}, and ${head} is checked out: git switch --detach ${tag}`);
  if (changes !== "") throw new Error(`these files are not committed:\n${changes}`);
}
