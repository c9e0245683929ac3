// From blueprints to files. `planScaffold` computes the changes of files in a draft; `owned-files.ts` knows which of them the
// user has edited, and `apply.ts` writes them.
import { posix } from "node:path";
import { TsbuilderError } from "../shared/errors.ts";
import { type Blueprint, type Insert, type Part, insertKey, renderPart } from "./blueprint.ts";
import { hasMarker, insertLines, removeLines } from "./insert.ts";
import { mergeTexts } from "./merge.ts";
import type { OwnedFiles } from "./owned-files.ts";
import type { Draft, Tree } from "./tree.ts";

/** The change of a project: its current and its desired blueprint, and how edits of the user's are treated. */
export interface ScaffoldRequest {
  readonly before: Blueprint;
  readonly after: Blueprint;
  readonly owned: OwnedFiles;
  /** Parts to overwrite although they exist. */
  readonly rewrite?: ReadonlySet<string>;
  /** Overwrite and delete files that the user edited. */
  readonly force?: boolean;
  /** Keep files that should be deleted if the user edited them, and what they import. */
  readonly keep?: boolean;
}

/** Information about a plan besides its changes. */
export interface ScaffoldReport {
  readonly notes: string[];
  /** New paths of moved files, by their old paths. */
  readonly moves: ReadonlyMap<string, string>;
}

/**
 * Plans the changes from one blueprint to another: creates new files, moves others and updates imports, merges changed
 * templates into the user's version, inserts and removes lines at markers, and deletes what is no longer needed. Throws a
 * TsbuilderError where it would lose an edit of the user's, unless `force` or `keep` say otherwise.
 */
export function planScaffold(draft: Draft, request: ScaffoldRequest): ScaffoldReport {
  const [before, after] = renderDifference(request);
  const notes: string[] = [];
  removeInserts(draft, request);
  const moves = findMoves(draft, before, after);
  moveFiles(draft, moves, request.owned);
  removeFiles(draft, before, after, request, notes);
  // A new part may have a file of a part that is removed: the file is updated, and not created.
  const replaced = new Map(
    [...before].filter(([key]) => !after.has(key)).map(([, file]) => [file.path, file]),
  );
  for (const [key, file] of after) {
    const old = before.get(key) ?? replaced.get(file.path);
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

/** Planned files by the keys that `renderAll` gives them. */
type PlannedFiles = ReadonlyMap<string, PlannedFile>;

/** Renders the parts that differ: a part with the same context gives the same files. */
function renderDifference(request: ScaffoldRequest): [before: PlannedFiles, after: PlannedFiles] {
  const fingerprint = (part: Part): string =>
    JSON.stringify("files" in part ? part : [part.key, part.templates, part.context]);
  const renderWithout = (parts: readonly Part[], others: readonly Part[]): PlannedFiles => {
    const same = new Set(others.map(fingerprint));
    return renderAll(parts.filter((part) => request.rewrite?.has(part.key) || !same.has(fingerprint(part))));
  };
  const [before, after] = [request.before.parts, request.after.parts];
  return [renderWithout(before, after), renderWithout(after, before)];
}

/** Renders parts. A file's key is its part and its template, which identify it even if its path changes. */
function renderAll(parts: readonly Part[]): PlannedFiles {
  const files = new Map<string, PlannedFile>();
  for (const part of parts) {
    for (const { template, path, content } of renderPart(part)) {
      files.set(`${part.key}#${template}`, { part, path, content });
    }
  }
  return files;
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

/** Finds the files whose path changes: their new paths by the old ones. Throws if a new path is taken. */
function findMoves(draft: Draft, before: PlannedFiles, after: PlannedFiles): Map<string, string> {
  const moves = new Map<string, string>();
  for (const [key, { path }] of after) {
    const old = before.get(key);
    if (!old || old.path === path || !draft.has(old.path)) continue;
    if (draft.has(path)) {
      throw new TsbuilderError(`cannot move "${old.path}" to "${path}", which already exists`, {
        code: "ALREADY_EXISTS",
        hint: `move "${path}" to another place first`,
      });
    }
    moves.set(old.path, path);
  }
  return moves;
}

/** Moves files, and rewrites all relative imports in the project that are affected. */
function moveFiles(draft: Draft, moves: ReadonlyMap<string, string>, owned: OwnedFiles): void {
  if (moves.size === 0) return;
  const sources = draft.list("").filter(isModule);
  for (const path of new Set([...sources, ...moves.keys()])) {
    const text = draft.read(path);
    if (text === undefined) continue;
    const target = moves.get(path) ?? path;
    const moved = rewriteImports(text, path, target, moves);
    if (target === path && moved === text) continue;
    if (target !== path) draft.remove(path);
    draft.write(target, moved);
    owned.carry(path, target, text, moved);
  }
}

const isModule = (path: string): boolean => /\.[cm]?[jt]sx?$/u.test(path);

/** `from "./x.ts"`, `import "./x.ts"`, `import("./x.ts")`, `vi.mock("./x.ts")`: a relative import specifier. */
const specifierPattern = /(\bfrom\s*|\bimport\s*\(?\s*|\bvi\.mock\(\s*)(["'])(\.\.?\/[^"'\n]+)\2/gu;

/** Rewrites the relative import specifiers of a module for its new path and those of other moved files. */
function rewriteImports(text: string, from: string, to: string, moves: ReadonlyMap<string, string>): string {
  if (!isModule(from)) return text;
  return text.replaceAll(specifierPattern, (whole, before: string, quote: string, specifier: string) => {
    const resolved = posix.join(posix.dirname(from), specifier);
    const target = moves.get(resolved) ?? resolved;
    if (target === resolved && posix.dirname(from) === posix.dirname(to)) return whole;
    const relative = posix.relative(posix.dirname(to), target);
    return `${before}${quote}${relative.startsWith(".") ? relative : `./${relative}`}${quote}`;
  });
}

/** Removes the files of parts that are removed. Throws for one that the user edited, without `force` or `keep`. */
function removeFiles(
  draft: Draft,
  before: PlannedFiles,
  after: PlannedFiles,
  request: ScaffoldRequest,
  notes: string[],
): void {
  const remaining = new Set([...after.values()].map(({ path }) => path));
  const removed = [...before]
    .filter(([key, { path }]) => !after.has(key) && !remaining.has(path) && draft.has(path))
    .map(([, file]) => file);
  const changed = removed
    .filter(({ part, path }) => part.ownership !== "generated" && isEdited(draft, path, request.owned))
    .map(({ path }) => path);
  if (changed.length > 0 && !request.force && !request.keep) {
    throw new TsbuilderError(`you edited ${changed.map((path) => `"${path}"`).join(", ")}`, {
      code: "FILE_CHANGED",
      hint: "add --force to delete them anyway, or --keep to keep them",
    });
  }
  const generated = request.before.generated.filter((path) => !request.after.generated.includes(path));
  const paths = new Set([...removed.map(({ path }) => path), ...generated.filter((path) => draft.has(path))]);
  const kept = request.keep ? keepFiles(draft, changed, paths) : new Map<string, string>();
  notes.push(...kept.values());
  for (const path of paths) if (!kept.has(path)) draft.remove(path);
}

/** Returns whether a file exists and the user has edited it. */
function isEdited(draft: Draft, path: string, owned: OwnedFiles): boolean {
  const text = draft.read(path);
  return text !== undefined && owned.isChanged(path, text);
}

/** Returns the files to keep, each with a note that says why: edited files, and those that they import. */
function keepFiles(
  tree: Tree,
  edited: readonly string[],
  candidates: ReadonlySet<string>,
): Map<string, string> {
  const kept = new Map(edited.map((path) => [path, `kept "${path}", which you edited`]));
  // Iterating over a Map also visits entries that are added meanwhile.
  for (const path of kept.keys()) {
    for (const imported of relativeImports(tree.read(path) ?? "", path)) {
      if (candidates.has(imported) && !kept.has(imported))
        kept.set(imported, `kept "${imported}", which "${path}" imports`);
    }
  }
  return kept;
}

/** Returns the files of the project that a module imports. */
function relativeImports(text: string, path: string): string[] {
  if (!isModule(path)) return [];
  return [...text.matchAll(specifierPattern)].map(([, , , specifier]) =>
    posix.join(posix.dirname(path), specifier!),
  );
}

/** Creates a file, or keeps an existing one of the user's. */
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
    throw new TsbuilderError(`"${path}" already exists`, {
      code: "ALREADY_EXISTS",
      hint: `move it to another place, or add --force to overwrite it`,
    });
  }
  notes.push(`kept "${path}", which already exists; use --force to overwrite it`);
}

function withInserts(content: string, inserts: readonly Insert[]): string {
  return inserts.reduce((text, insert) => insertLines(text, insert), content);
}

/** Applies a change of a template's output to the user's file, whose imports were already updated. */
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
  const isReplaceable = !isEdited(draft, file.path, request.owned) || file.part.ownership === "generated";
  const merged = isReplaceable
    ? next
    : (mergeTexts(base, next, existing) ?? (request.force ? next : undefined));
  if (merged === undefined) {
    throw new TsbuilderError(`conflict with your changes in "${file.path}"`, {
      code: "FILE_CHANGED",
      hint: "add --force to overwrite the file, or revert your change there and redo it afterwards",
      at: { file: file.path, line: 1, column: 1 },
    });
  }
  draft.write(file.path, merged, file.part.ownership);
}

/** Returns the inserted lines that a file had and keeps. */
function keptInserts({ before, after }: ScaffoldRequest, file: string): Insert[] {
  const wanted = new Set(after.inserts.map(insertKey));
  return before.inserts.filter((insert) => insert.file === file && wanted.has(insertKey(insert)));
}

function addInserts(draft: Draft, { before, after }: ScaffoldRequest): void {
  const present = new Set(before.inserts.map(insertKey));
  for (const [i, insert] of after.inserts.entries()) {
    const text = present.has(insertKey(insert)) ? undefined : draft.read(insert.file);
    if (text === undefined || (insert.isOptional && !hasMarker(text, insert))) continue;
    const later = after.inserts
      .slice(i + 1)
      .filter(({ file, marker }) => file === insert.file && marker === insert.marker);
    draft.write(insert.file, insertLines(text, insert, later));
  }
}
