import { TsbuilderError } from "../shared/errors.ts";
import type { FileChange } from "./file-change.ts";
import { mergeJson } from "./merge-json.ts";
import { mergeTexts } from "./merge-texts.ts";
import type { OwnedFiles } from "./ownership.ts";
import type { Draft } from "./tree.ts";

/** A project as two versions of tsbuilder scaffold it. */
export interface UpgradeRequest {
  /** The texts of the version that wrote it, by their paths. */
  readonly base: ReadonlyMap<string, string>;
  /** All files of the version that it shall have. */
  readonly next: readonly FileChange[];
  readonly owned: OwnedFiles;
  /** Take our text where both changed the same place. */
  readonly force: boolean;
  /** Leave the user's text there, and put ours beside it. */
  readonly keep: boolean;
}

/**
 * Lays over a project what changed between two versions of its templates. What the user changed stays changed; what
 * they deleted stays away. Tells what they should know.
 */
export function planUpgrade(draft: Draft, request: UpgradeRequest): string[] {
  const notes: string[] = [];
  const conflicts = request.next.filter((file) => !bringUp(draft, file, request, notes));
  if (conflicts.length > 0 && !request.force && !request.keep) {
    const files = conflicts.map(({ path }) => `"${path}"`).join(", ");
    throw new TsbuilderError(`${files} must change, at places that you changed, too`, {
      code: "FILE_CHANGED",
      hint: "add --keep to leave yours and find ours beside it, or --force to replace it; --diff shows what else changes",
    });
  }
  for (const { path, content, ownership } of conflicts) {
    if (content === undefined) continue;
    draft.write(request.force ? path : `${path}.new`, content, ownership);
    if (!request.force)
      notes.push(`kept "${path}", which you changed; ours is "${path}.new": merge it by hand`);
  }
  takeAway(draft, request, notes);
  return notes;
}

/** Tells whether it could be done without asking. */
function bringUp(draft: Draft, file: FileChange, request: UpgradeRequest, notes: string[]): boolean {
  const { path, content, ownership } = file;
  const base = request.base.get(path);
  const theirs = draft.read(path);
  if (typeof content !== "string" || content === theirs || content === base) return true;
  if (theirs === undefined && base !== undefined) {
    notes.push(`"${path}" stays away, which you deleted`);
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
    notes.push(`${path}: ${key} stays as you changed it, though it changed here, too`);
  return json.text;
}

/** What the templates no longer have goes, but for the user's work. */
function takeAway(draft: Draft, { base, next, owned }: UpgradeRequest, notes: string[]): void {
  const wanted = new Set(next.map(({ path }) => path));
  for (const [path, text] of base) {
    const theirs = wanted.has(path) ? undefined : draft.read(path);
    if (theirs === undefined) continue;
    if (theirs === text || !owned.isChanged(path, theirs)) draft.remove(path);
    else notes.push(`kept "${path}", which you changed; it is no longer part of a project`);
  }
}
