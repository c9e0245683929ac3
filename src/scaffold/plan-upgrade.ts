import { TsbuilderError } from "../shared/errors.ts";
import { withPlainLineEnds } from "../shared/text.ts";
import type { Draft, FileChange } from "./tree.ts";
import { type Conflict, type MarkedText, mergeJson, mergeMarked } from "./merge.ts";
import type { OwnedFiles } from "./owned-files.ts";

/** A project as scaffolded by two versions of tsbuilder. */
export interface UpgradeRequest {
  /** The files of the version that scaffolded it, by path. */
  readonly base: ReadonlyMap<string, string>;
  /** All files of the version to upgrade to. */
  readonly next: readonly FileChange[];
  readonly owned: OwnedFiles;
  readonly onConflict: ConflictChoice;
  /** The label of our side of a conflict: `tsbuilder 0.2.0`. */
  readonly name: string;
}

/** The rest of an upgrade that the user has to look at. */
export interface UpgradeOutcome {
  readonly notes: readonly string[];
  /** The conflicts that are marked in the files. */
  readonly marked: readonly FileConflict[];
}

/**
 * Merges the changes between two versions of the templates into a project. The user's edits are kept, and files that the
 * user deleted are not restored. Throws a TsbuilderError for conflicts if they are to be refused.
 */
export function planUpgrade(draft: Draft, request: UpgradeRequest): UpgradeOutcome {
  const { onConflict } = request;
  const notes: string[] = [];
  const conflicts = request.next.flatMap((file) => upgradeFile(draft, file, request, notes) ?? []);
  if (conflicts.length > 0 && onConflict === "refuse") {
    const files = conflicts.map(({ file }) => `"${file.path}"`).join(", ");
    throw new TsbuilderError(`conflicts with your changes in ${files}`, {
      code: "FILE_CHANGED",
      hint: "add --keep to keep your version and write ours next to it, --force to overwrite yours, or --branch for a branch with both sides in the files; --diff shows the other changes",
    });
  }
  for (const { file, marked } of conflicts) {
    const { path, content, ownership } = file;
    if (content === undefined) continue;
    if (onConflict === "mark") draft.write(path, marked.text, ownership);
    else draft.write(onConflict === "overwrite" ? path : `${path}.new`, content, ownership);
    if (onConflict === "keep")
      notes.push(`kept "${path}", which you edited; the new version is "${path}.new": merge it by hand`);
  }
  removeUnusedFiles(draft, request, notes);
  const markedFiles = onConflict === "mark" ? conflicts : [];
  return {
    notes,
    marked: markedFiles.flatMap(({ file: { path }, marked: { conflicts: places } }) =>
      places.map((place) => ({ path, ...place })),
    ),
  };
}

/**
 * The outcome for a file that both sides changed differently: nothing is written (`refuse`), the user's is kept and
 * ours written next to it (`keep`), ours overwrites it (`overwrite`), or it gets both sides between markers (`mark`).
 */
export type ConflictChoice = "refuse" | "keep" | "overwrite" | "mark";

export interface FileConflict extends Conflict {
  readonly path: string;
}

interface FileInConflict {
  readonly file: FileChange;
  readonly marked: MarkedText;
}

/** Writes the merged file into the draft, or returns its conflicts. */
function upgradeFile(
  draft: Draft,
  file: FileChange,
  request: UpgradeRequest,
  notes: string[],
): FileInConflict | undefined {
  const { path, content, ownership } = file;
  const base = request.base.get(path);
  const present = draft.read(path);
  const theirs = present === undefined ? undefined : withPlainLineEnds(present);
  if (typeof content !== "string" || content === theirs || content === base) return undefined;
  if (theirs === undefined && base !== undefined) {
    notes.push(`"${path}" has new changes, but was not restored since you deleted it`);
    return undefined;
  }
  const isReplaceable =
    ownership === "generated" ||
    theirs === undefined ||
    theirs === base ||
    !request.owned.isChanged(path, theirs);
  const merged = isReplaceable
    ? { text: content, conflicts: [] }
    : merge(path, base ?? "", content, theirs, request.name, notes);
  if (merged.conflicts.length > 0) return { file, marked: merged };
  if (merged.text !== theirs) draft.write(path, merged.text, ownership);
  return undefined;
}

function merge(
  path: string,
  base: string,
  ours: string,
  theirs: string,
  name: string,
  notes: string[],
): MarkedText {
  const json = path.endsWith(".json") ? mergeJson(base, ours, theirs) : undefined;
  if (!json) return mergeMarked(base, ours, theirs, name);
  for (const key of json.disputed)
    notes.push(`${path}: kept your ${key}; it also changed in the new version`);
  return { text: json.text, conflicts: [] };
}

/** Files of older versions, with the files that have their settings now. */
const successors: ReadonlyMap<string, string> = new Map([["biome.json", ".oxfmtrc.json"]]);

/** Deletes files that the templates no longer have, unless the user edited them. */
function removeUnusedFiles(draft: Draft, { base, next, owned }: UpgradeRequest, notes: string[]): void {
  const nextPaths = new Set(next.map(({ path }) => path));
  for (const [path, text] of base) {
    if (nextPaths.has(path)) continue;
    const theirs = draft.read(path);
    const successor = successors.get(path);
    const isReplaced = successor !== undefined && nextPaths.has(successor);
    if (theirs === text || (theirs !== undefined && !owned.isChanged(path, theirs))) draft.remove(path);
    else if (theirs !== undefined)
      notes.push(
        `kept "${path}", which you edited; ${isReplaced ? `"${successor}" replaces it: copy your settings to that before npm run fmt, then delete it` : "new projects no longer contain it"}`,
      );
    else if (isReplaced)
      notes.push(
        `"${successor}" replaces "${path}", which you deleted or renamed: copy your settings to it before npm run fmt, or delete it if you use something else`,
      );
  }
}
