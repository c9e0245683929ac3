// From blueprints to files: `planScaffold` computes the changes of files in a draft, `apply.ts` writes them. `OwnedFiles`
// knows which files the user has edited, `formatCreated` formats new ones.
import { join, posix } from "node:path";
import { createHash } from "node:crypto";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { isObject } from "@tsbuilder/apimachinery/json";
import { compareText } from "@tsbuilder/apimachinery/text";
import { TsbuilderError } from "../shared/errors.ts";
import { type Blueprint, type Insert, type Part, insertKey, renderPart } from "./blueprint.ts";
import { hasMarker, insertLines, removeLines } from "./insert.ts";
import { mergeTexts } from "./merge.ts";
import type { Draft, Tree } from "./tree.ts";
import { withPlainLineEnds } from "../shared/text.ts";
import { readJsonObject } from "../shared/read-json.ts";

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

interface PlannedFile {
  readonly part: Part;
  readonly path: string;
  readonly content: string;
}

/** Renders the parts that differ: a part with the same context gives the same files. */
function renderDifference(
  request: ScaffoldRequest,
): [before: Map<string, PlannedFile>, after: Map<string, PlannedFile>] {
  const fingerprint = (part: Part): string =>
    JSON.stringify("files" in part ? part : [part.key, part.templates, part.context]);
  const renderWithout = (parts: readonly Part[], others: readonly Part[]): Map<string, PlannedFile> => {
    const same = new Set(others.map(fingerprint));
    return renderAll(parts.filter((part) => request.rewrite?.has(part.key) || !same.has(fingerprint(part))));
  };
  const [before, after] = [request.before.parts, request.after.parts];
  return [renderWithout(before, after), renderWithout(after, before)];
}

/** Renders parts. A file's key is its part and its template, which identify it even if its path changes. */
function renderAll(parts: readonly Part[]): Map<string, PlannedFile> {
  const files = new Map<string, PlannedFile>();
  for (const part of parts) {
    for (const { template, path, content } of renderPart(part)) {
      files.set(`${part.key}#${template}`, { part, path, content });
    }
  }
  return files;
}

/** Finds the files whose path changes: their new paths by the old ones. Throws if a new path is taken. */
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
      throw new TsbuilderError(`cannot move "${old.path}" to "${path}", which already exists`, {
        code: "ALREADY_EXISTS",
        hint: `move "${path}" to another place first`,
      });
    }
    moves.set(old.path, path);
  }
  return moves;
}

/** Removes the files of parts that are removed. Throws for one that the user edited, without `force` or `keep`. */
function removeFiles(
  draft: Draft,
  before: ReadonlyMap<string, PlannedFile>,
  after: ReadonlyMap<string, PlannedFile>,
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

const isModule = (path: string): boolean => /\.[cm]?[jt]sx?$/u.test(path);

/** `from "./x.ts"`, `import "./x.ts"`, `import("./x.ts")`, `vi.mock("./x.ts")`: a relative import specifier. */
const specifierPattern = /(\bfrom\s*|\bimport\s*\(?\s*|\bvi\.mock\(\s*)(["'])(\.\.?\/[^"'\n]+)\2/gu;

/** Returns the files of the project that a module imports. */
function relativeImports(text: string, path: string): string[] {
  if (!isModule(path)) return [];
  return [...text.matchAll(specifierPattern)].map(([, , , specifier]) =>
    posix.join(posix.dirname(path), specifier!),
  );
}

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

/** Returns the inserted lines that a file had and keeps. */
function keptInserts({ before, after }: ScaffoldRequest, file: string): Insert[] {
  const wanted = new Set(after.inserts.map(insertKey));
  return before.inserts.filter((insert) => insert.file === file && wanted.has(insertKey(insert)));
}

function withInserts(content: string, inserts: readonly Insert[]): string {
  return inserts.reduce((text, insert) => insertLines(text, insert), content);
}

/** Returns whether a file exists and the user has edited it. */
function isEdited(draft: Draft, path: string, owned: OwnedFiles): boolean {
  const text = draft.read(path);
  return text !== undefined && owned.isChanged(path, text);
}

/** The file with the hashes of the files that tsbuilder wrote. */
export const ownedFile = ".tsbuilder/owned.json";

/** The hashes of the files that tsbuilder wrote for the user: a file with another hash was edited. */
export class OwnedFiles {
  readonly #hashes: Map<string, string>;
  readonly #carried = new Map<string, string>();

  constructor(hashes: Iterable<readonly [string, string]> = []) {
    this.#hashes = new Map(hashes);
  }

  /** Reads a project's record; without one, every file counts as edited. */
  static read(tree: Tree): OwnedFiles {
    const text = tree.read(ownedFile);
    if (text === undefined) return new OwnedFiles();
    const { files } = readJsonObject(
      ownedFile,
      text,
      "restore it from version control; without it, every file counts as edited by you",
    );
    return new OwnedFiles(Object.entries(isObject(files) ? (files as Record<string, string>) : {}));
  }

  paths(): string[] {
    return [...this.#hashes.keys()];
  }

  /** Returns whether the user edited a file: it is not in the record, or differs from it. */
  isChanged(path: string, text: string): boolean {
    return this.#hashes.get(path) !== hashText(text);
  }

  /** Carries the record of a file along with a change by tsbuilder: a move, an import, an inserted line. */
  carry(from: string, to: string, textBefore: string, textAfter: string): void {
    const hash = this.isChanged(from, textBefore) ? this.#hashes.get(from) : hashText(textAfter);
    this.#hashes.delete(from);
    if (hash !== undefined) this.#hashes.set(to, hash);
    this.#carried.set(to, textAfter);
  }

  /** Records a draft's files, unless edited before. `edited` has their texts from before executables changed them. */
  record(draft: Draft, edited: ReadonlyMap<string, string> = new Map()): void {
    for (const { path, content, before, ownership } of draft.changes()) {
      if (content === undefined) this.#hashes.delete(path);
      if (typeof content !== "string" || ownership === "generated") continue;
      const previous = this.#carried.get(path) ?? before;
      if (previous === undefined || !this.isChanged(path, previous))
        this.#hashes.set(path, hashText(edited.get(path) ?? content));
    }
    draft.write(ownedFile, this.#format(), "generated");
  }

  /** Sorted by path, to be deterministic. */
  #format(): string {
    const files = Object.fromEntries([...this.#hashes].sort(([a], [b]) => compareText(a, b)));
    return `${JSON.stringify({ version: 1, files }, undefined, 2)}\n`;
  }
}

/** Hashes a text, without regard to line ends. Twelve bytes of SHA-256 are enough to detect edits. */
export function hashText(text: string): string {
  return createHash("sha256").update(withPlainLineEnds(text)).digest("hex").slice(0, 24);
}

/** A formatter that a project may have, as an npm package. */
interface Formatter {
  readonly program: string;
  readonly args: (path: string) => readonly string[];
}

/** Formatters of projects, also of older versions: both sides of an upgrade are formatted alike, to be compared. */
const formatters: readonly Formatter[] = [
  { program: "node_modules/oxfmt/bin/oxfmt", args: (path) => [`--stdin-filepath=${path}`] },
  {
    program: "node_modules/@biomejs/biome/bin/biome",
    args: (path) => ["format", `--stdin-file-path=${path}`],
  },
];

/**
 * Formats new files with the project's formatter, if one is installed. The templates are formatted already, and only a
 * long name can make a line too long, so most files need no formatter. If the plan is only shown, no program of the
 * project runs, and the returned notes name the unformatted files.
 */
export function formatCreated(root: string, draft: Draft, { isShown }: { isShown: boolean }): string[] {
  const formatter = formatters.find(({ program }) => existsSync(join(root, program)));
  if (formatter === undefined) return [];
  const notes: string[] = [];
  for (const { path, action, content, ownership } of draft.changes()) {
    if (action !== "create" || ownership === "generated" || typeof content !== "string") continue;
    if (!path.endsWith(".ts") || !hasLongLine(content)) continue;
    if (isShown) notes.push(`"${path}" will be formatted when it is written`);
    else draft.write(path, format(root, formatter, path, content), ownership);
  }
  return notes;
}

/** The line width of a new project's formatter. */
const lineWidth = 100;

/** Returns whether a line is too long. The formatter keeps long comments, and imports of a single name. */
function hasLongLine(text: string): boolean {
  return text
    .split("\n")
    .some((line) => line.length > lineWidth && !/^\s*(?:\/\/|\*|\/\*)|^import \{ [^,]* \} from/u.test(line));
}

/** Formats a text; returns it unchanged if the formatter fails. */
function format(root: string, { program, args }: Formatter, path: string, content: string): string {
  const { status, stdout } = spawnSync(process.execPath, [join(root, program), ...args(path)], {
    cwd: root,
    input: content,
    encoding: "utf8",
  });
  return status === 0 && stdout !== "" ? stdout : content;
}
