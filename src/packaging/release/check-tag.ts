import { isInChangelog, readNotes } from "./versions.ts";

/** What has to agree before a tag is published. */
export interface TaggedState {
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

/** Throws unless a release of the tag is what is committed. */
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
