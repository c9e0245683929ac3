import { TsbuilderError } from "../shared/errors.ts";
import { withPlainLineEnds } from "../shared/line-ends.ts";
import type { FileChange } from "./file-change.ts";
import { mergeJson } from "./merge-json.ts";
import { mergeTexts } from "./merge-texts.ts";
import type { OwnedFiles } from "./ownership.ts";
import type { Draft } from "./tree.ts";

/** A project as scaffolded by two versions of tsbuilder. */
export interface UpgradeRequest {
  /** The files of the version that scaffolded it, by path. */
  readonly base: ReadonlyMap<string, string>;
  /** All files of the version to upgrade to. */
  readonly next: readonly FileChange[];
  readonly owned: OwnedFiles;
  /** On conflicts, overwrite the user's file with ours. */
  readonly force: boolean;
  /** On conflicts, keep the user's file and write ours next to it. */
  readonly keep: boolean;
}

/**
 * Merges the changes between two versions of the templates into a project. The user's edits are kept, and files that
 * they deleted are not restored. Returns notes for the user.
 */
export function planUpgrade(draft: Draft, request: UpgradeRequest): string[] {
  const notes: string[] = [];
  const conflicts = request.next.filter((file) => !bringUp(draft, file, request, notes));
  if (conflicts.length > 0 && !request.force && !request.keep) {
    const files = conflicts.map(({ path }) => `"${path}"`).join(", ");
    throw new TsbuilderError(`conflicts with your changes in ${files}`, {
      code: "FILE_CHANGED",
      hint: "add --keep to keep your version and write ours next to it, or --force to overwrite yours; --diff shows the other changes",
    });
  }
  for (const { path, content, ownership } of conflicts) {
    if (content === undefined) continue;
    draft.write(request.force ? path : `${path}.new`, content, ownership);
    if (!request.force)
      notes.push(`kept "${path}", which you edited; the new version is "${path}.new": merge it by hand`);
  }
  deleteUnused(draft, request, notes);
  return notes;
}

/** Returns whether the file could be merged without a conflict. */
function bringUp(draft: Draft, file: FileChange, request: UpgradeRequest, notes: string[]): boolean {
  const { path, content, ownership } = file;
  const base = request.base.get(path);
  const read = draft.read(path);
  const theirs = read === undefined ? undefined : withPlainLineEnds(read);
  if (typeof content !== "string" || content === theirs || content === base) return true;
  if (theirs === undefined && base !== undefined) {
    notes.push(`"${path}" has new changes, but was not restored since you deleted it`);
    return true;
  }
  const isOurs =
    ownership === "generated" ||
    theirs === undefined ||
    theirs === base ||
    !request.owned.isChanged(path, theirs);
  const merged = isOurs ? content : merge(path, base ?? "", content, theirs, notes);
  if (merged !== undefined && merged !== theirs) draft.write(path, merged, ownership);
  return merged !== undefined;
}

function merge(
  path: string,
  base: string,
  ours: string,
  theirs: string,
  notes: string[],
): string | undefined {
  const json = path.endsWith(".json") ? mergeJson(base, ours, theirs) : undefined;
  if (!json) return mergeTexts(base, ours, theirs);
  for (const key of json.disputed)
    notes.push(`${path}: kept your ${key}; it also changed in the new version`);
  return json.text;
}

/** Files that the templates no longer have are deleted, unless the user edited them. */
function deleteUnused(draft: Draft, { base, next, owned }: UpgradeRequest, notes: string[]): void {
  const wanted = new Set(next.map(({ path }) => path));
  for (const [path, text] of base) {
    const theirs = wanted.has(path) ? undefined : draft.read(path);
    if (theirs === undefined) continue;
    if (theirs === text || !owned.isChanged(path, theirs)) draft.remove(path);
    else notes.push(`kept "${path}", which you edited; new projects no longer contain it`);
  }
}
