import { TsbuilderError } from "../shared/errors.ts";
import { type Blueprint, type Insert, insertKey, type Part } from "./blueprint.ts";
import { insertLines, removeLines } from "./insert.ts";
import { mergeTexts } from "./merge-texts.ts";
import { moveFiles, rewriteImports } from "./move-files.ts";
import type { OwnedFiles } from "./ownership.ts";
import { renderPart } from "./template.ts";
import type { Draft, Tree } from "./tree.ts";

/** The project as it is described, and as it shall be. */
export interface ScaffoldRequest {
  readonly before: Blueprint;
  readonly after: Blueprint;
  readonly templates: Tree;
  readonly owned: OwnedFiles;
  /** Parts that are written anew although they were there before. */
  readonly rewrite?: ReadonlySet<string>;
  /** Replace and delete files that the user changed. */
  readonly force?: boolean;
  /** Leave behind what would be deleted, where the user changed it. */
  readonly keep?: boolean;
}

/** What a plan has to say beside its changes. */
export interface ScaffoldReport {
  readonly notes: string[];
  /** Files by their old paths, with their new ones. */
  readonly moves: ReadonlyMap<string, string>;
}

/**
 * Brings the files of a project from one blueprint to the other: new files are written, others move with the imports
 * that name them, changed text is merged into what the user made of it, lines are inserted and taken out at their
 * markers, and what is no longer asked for goes. Refuses to lose a word of the user's.
 */
export function planScaffold(draft: Draft, request: ScaffoldRequest): ScaffoldReport {
  const [before, after] = renderDifference(request);
  const notes: string[] = [];
  removeInserts(draft, request);
  const moves = findMoves(draft, before, after);
  moveFiles(draft, moves, request.owned);
  removeFiles(draft, before, after, request, notes);
  for (const [key, file] of after) {
    const old = before.get(key);
    if (!old || request.rewrite?.has(file.part.key))
      createFile(draft, file, request, notes, old !== undefined);
    else if (old.content !== file.content) updateFile(draft, old, file, request, moves);
  }
  addInserts(draft, request);
  return { notes, moves };
}

interface PlannedFile {
  readonly part: Part;
  readonly path: string;
  readonly content: string;
}

/** Renders only what differs: a part with the same words gives the same files. */
function renderDifference(
  request: ScaffoldRequest,
): [before: Map<string, PlannedFile>, after: Map<string, PlannedFile>] {
  const fingerprint = (part: Part): string => JSON.stringify([part.key, part.templates, part.context]);
  const had = new Set(request.before.parts.map(fingerprint));
  const wanted = new Set(request.after.parts.map(fingerprint));
  const before = request.before.parts.filter(
    (part) => request.rewrite?.has(part.key) || !wanted.has(fingerprint(part)),
  );
  const after = request.after.parts.filter(
    (part) => request.rewrite?.has(part.key) || !had.has(fingerprint(part)),
  );
  return [renderAll(before, request.templates), renderAll(after, request.templates)];
}

/** By part and place in the part: what stays the same file even when its path changes. */
function renderAll(parts: readonly Part[], templates: Tree): Map<string, PlannedFile> {
  const files = new Map<string, PlannedFile>();
  for (const part of parts) {
    for (const { template, path, content } of renderPart(part, templates)) {
      files.set(`${part.key}#${template}`, { part, path, content });
    }
  }
  return files;
}

function findMoves(
  draft: Draft,
  before: ReadonlyMap<string, PlannedFile>,
  after: ReadonlyMap<string, PlannedFile>,
): Map<string, string> {
  const moves = new Map<string, string>();
  for (const [key, { path }] of after) {
    const old = before.get(key);
    if (!old || old.path === path || !draft.has(old.path)) continue;
    if (draft.has(path)) {
      throw new TsbuilderError(`"${old.path}" is to move to "${path}", and there is a file already`, {
        code: "ALREADY_EXISTS",
        hint: `move "${path}" away first`,
      });
    }
    moves.set(old.path, path);
  }
  return moves;
}

function removeFiles(
  draft: Draft,
  before: ReadonlyMap<string, PlannedFile>,
  after: ReadonlyMap<string, PlannedFile>,
  request: ScaffoldRequest,
  notes: string[],
): void {
  const wanted = new Set([...after.values()].map(({ path }) => path));
  const gone = [...before]
    .filter(([key, { path }]) => !after.has(key) && !wanted.has(path) && draft.has(path))
    .map(([, file]) => file);
  const changed = gone
    .filter(({ part, path }) => part.ownership !== "generated" && isTheirs(draft, path, request.owned))
    .map(({ path }) => path);
  if (changed.length > 0 && !request.force && !request.keep) {
    throw new TsbuilderError(`you changed ${changed.map((path) => `"${path}"`).join(", ")}`, {
      code: "FILE_CHANGED",
      hint: "add --force to delete them all the same, or --keep to leave these files behind",
    });
  }
  for (const { path } of gone) {
    if (request.keep && changed.includes(path)) notes.push(`kept "${path}", which you changed`);
    else draft.remove(path);
  }
  for (const path of request.before.generated) {
    if (!request.after.generated.includes(path) && draft.has(path)) draft.remove(path);
  }
}

function createFile(
  draft: Draft,
  { part, path, content }: PlannedFile,
  { force, after }: ScaffoldRequest,
  notes: string[],
  isRewrite: boolean,
): void {
  const existing = draft.read(path);
  const inserts = after.inserts.filter(({ file }) => file === path);
  const complete = withInserts(content, inserts);
  if (existing === undefined || part.ownership === "generated" || force || isRewrite) {
    draft.write(path, complete, part.ownership);
    return;
  }
  if (existing === content || existing === complete) return;
  if (part.ifExists === "refuse") {
    throw new TsbuilderError(`"${path}" exists already`, {
      code: "ALREADY_EXISTS",
      hint: `move it away, or add --force to replace it`,
    });
  }
  notes.push(`kept "${path}", which was there already; --force replaces it`);
}

/** Ours changed from one version to the other: the user's text, whose imports followed already, gets the same change. */
function updateFile(
  draft: Draft,
  old: PlannedFile,
  file: PlannedFile,
  request: ScaffoldRequest,
  moves: ReadonlyMap<string, string>,
): void {
  const existing = draft.read(file.path);
  if (existing === undefined) return;
  const kept = keptInserts(request, file.path);
  const next = withInserts(file.content, kept);
  const base = withInserts(rewriteImports(old.content, old.path, file.path, moves), kept);
  const isOurs = !isTheirs(draft, file.path, request.owned) || file.part.ownership === "generated";
  const merged = isOurs || request.force ? next : mergeTexts(base, next, existing);
  if (merged === undefined) {
    throw new TsbuilderError(`"${file.path}" must change, at a place that you changed, too`, {
      code: "FILE_CHANGED",
      hint: "add --force to replace the file, or undo your change at that place and make it again afterwards",
      at: { file: file.path, line: 1, column: 1 },
    });
  }
  draft.write(file.path, merged, file.part.ownership);
}

function removeInserts(draft: Draft, { before, after, owned }: ScaffoldRequest): void {
  const wanted = new Set(after.inserts.map(insertKey));
  for (const insert of before.inserts) {
    const text = wanted.has(insertKey(insert)) ? undefined : draft.read(insert.file);
    if (text === undefined) continue;
    const rest = removeLines(text, insert);
    draft.write(insert.file, rest);
    owned.carry(insert.file, insert.file, text, rest);
  }
}

function addInserts(draft: Draft, { before, after }: ScaffoldRequest): void {
  const had = new Set(before.inserts.map(insertKey));
  for (const [i, insert] of after.inserts.entries()) {
    const text = had.has(insertKey(insert)) ? undefined : draft.read(insert.file);
    if (text === undefined) continue;
    const later = after.inserts
      .slice(i + 1)
      .filter(({ file, marker }) => file === insert.file && marker === insert.marker);
    draft.write(insert.file, insertLines(text, insert, later));
  }
}

/** The lines that a file had and keeps. */
function keptInserts({ before, after }: ScaffoldRequest, file: string): Insert[] {
  const wanted = new Set(after.inserts.map(insertKey));
  return before.inserts.filter((insert) => insert.file === file && wanted.has(insertKey(insert)));
}

function withInserts(content: string, inserts: readonly Insert[]): string {
  return inserts.reduce((text, insert) => insertLines(text, insert), content);
}

function isTheirs(draft: Draft, path: string, owned: OwnedFiles): boolean {
  const text = draft.read(path);
  return text !== undefined && owned.isChanged(path, text);
}
