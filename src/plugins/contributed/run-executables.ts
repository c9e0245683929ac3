import { TsbuilderError } from "../../shared/errors.ts";
import type { PluginUse, Project } from "../../project/project.ts";
import { pluginKey, toRecord } from "../../project/store.ts";
import { mergeTexts } from "../../scaffold/merge.ts";
import type { OwnedFiles } from "../../scaffold/owned-files.ts";
import type { Draft, Tree } from "../../scaffold/tree.ts";
import { checkSize } from "./check-contribution.ts";
import { checkContributedPath } from "./contributed-path.ts";
import { callExecutable, requireExecutable } from "./executables.ts";
import { pluginError } from "./plugin-error.ts";
import type { ExecutableCall, PluginRecord, ScopedContribution, TextEdit } from "./plugin-record.ts";
import { foldersOf, refuseLinks } from "./refuse-foreign.ts";
import { scopesOf } from "./run-plugin.ts";

/** A command that executable plugins run, too: their protocol changes files by commands, not by what a project has. */
export interface PluginCall extends ExecutableCall {
  readonly scope: string;
  /** The keys of the executables that the command concerns. */
  readonly keys: ReadonlySet<string>;
}

interface ExecutableRun {
  readonly root: string;
  readonly project: Project;
  readonly call?: PluginCall | undefined;
  /** The project is scaffolded into an empty folder. */
  readonly isAnew: boolean;
}

/**
 * Has executables run the command on the files of a draft, and adds what they changed to the records. For a project that
 * is scaffolded into an empty folder, they repeat all recorded commands. `edited` has the texts of files before the first
 * edit of an executable.
 */
export function runExecutables(
  draft: Draft,
  before: readonly PluginRecord[],
  records: readonly PluginRecord[],
  { root, project, call, isAnew }: ExecutableRun,
): { records: PluginRecord[]; notes: string[]; edited: Map<string, string> } {
  const finished = new Map(records.map((record) => [record.key, record]));
  const notes: string[] = [];
  const edited = new Map<string, string>();
  for (const use of project.plugins.filter(({ package: source }) => source === undefined)) {
    for (const { scope, ...run } of isAnew ? recordedCalls(before, use, project) : callsFor(use, call)) {
      const record = finished.get(use.key)!;
      const present = record.contributions.find((contribution) => contribution.scope === scope);
      const created = new Set((present?.files ?? []).map(({ path }) => path));
      const result = runExecutable(use.key, run, scope, { root, draft, project, created });
      const contributed = new Set([...finished.values()].flatMap(pathsOf));
      for (const { path, before: text } of result.contribution.edits ?? [])
        if (!contributed.has(path) && !edited.has(path)) edited.set(path, text);
      if (result.notes !== "") notes.push(result.notes);
      finished.set(use.key, addContribution(record, present, result.contribution));
    }
  }
  return { records: [...finished.values()], notes, edited };
}

const callsFor = (use: PluginUse, call: PluginCall | undefined) =>
  call?.keys.has(use.key) ? [{ scope: call.scope, command: call.command, args: call.args }] : [];

function recordedCalls(before: readonly PluginRecord[], use: PluginUse, project: Project) {
  const scopes = scopesOf(use, project);
  const contributions = before.find(({ key }) => key === use.key)?.contributions ?? [];
  return contributions
    .filter(({ scope }) => scopes.has(scope))
    .flatMap(({ scope, calls = [] }) => calls.map((call) => ({ scope, ...call })));
}

interface ExecutableFiles {
  readonly root: string;
  readonly draft: Draft;
  readonly project: Project;
  /** The files that the executable created earlier, which it may replace. */
  readonly created: ReadonlySet<string>;
}

/** Has an executable change a draft, and records its edits, since the protocol has no command that reverts them. */
function runExecutable(
  key: string,
  call: ExecutableCall,
  scope: string,
  { root, draft, project, created }: ExecutableFiles,
): { contribution: ScopedContribution; notes: string } {
  const universe = Object.fromEntries(draft.list(".").map((path) => [path, draft.read(path) ?? ""]));
  const chain = project.plugins.filter(({ isInLayout }) => isInLayout).map((use) => use.key);
  const config = JSON.parse(JSON.stringify(toRecord(project))) as Record<string, unknown>;
  const request = { ...call, universe, pluginChain: [pluginKey, ...chain], config };
  const response = callExecutable(key, requireExecutable(key), request, root);
  const changed = Object.entries(response.universe).filter(([path, text]) => universe[path] !== text);
  checkSize(
    key,
    call.command,
    changed.map(([, text]) => text),
  );
  const files: ScopedContribution["files"][number][] = [];
  const edits: TextEdit[] = [];
  for (const [path, text] of changed) {
    checkPath(key, path, draft, root);
    const before = Object.hasOwn(universe, path) ? universe[path]! : undefined;
    if (before === undefined && draft.has(path) && draft.read(path) !== text) throw notPassedError(key, path);
    if (before === undefined || created.has(path))
      files.push({ id: path, path, content: text, ownership: "yours" });
    else edits.push({ path, before, after: text });
    draft.write(path, text);
  }
  return { contribution: { scope, files, inserts: [], edits, calls: [call] }, notes: response.notes };
}

/** Refuses a path that a plugin may not write, and one that is a folder or below a file. */
function checkPath(key: string, path: string, draft: Tree, root: string): void {
  checkContributedPath(key, path);
  const file = foldersOf(path).find((folder) => draft.has(folder) && draft.list(folder).length === 0);
  if (file !== undefined)
    throw pluginError(key, `"${path}" is below "${file}", which is a file`, { code: "REFUSED" });
  if (draft.list(path).length > 0) throw pluginError(key, `"${path}" is a folder`, { code: "REFUSED" });
  refuseLinks(key, root, [path]);
}

function notPassedError(key: string, path: string): Error {
  return pluginError(key, `"${path}" exists, and its content was not passed to the plugin`, {
    code: "REFUSED",
    hint: "files in hidden folders, dist and vendor are no part of the universe",
  });
}

function addContribution(
  record: PluginRecord,
  present: ScopedContribution | undefined,
  added: ScopedContribution,
): PluginRecord {
  const paths = new Set(added.files.map(({ path }) => path));
  const joined: ScopedContribution = {
    scope: added.scope,
    files: [...(present?.files ?? []).filter(({ path }) => !paths.has(path)), ...added.files],
    inserts: [],
    edits: [...(present?.edits ?? []), ...(added.edits ?? [])],
    calls: [...(present?.calls ?? []), ...(added.calls ?? [])],
  };
  return {
    ...record,
    contributions: [...record.contributions.filter((contribution) => contribution !== present), joined],
  };
}

const pathsOf = ({ contributions }: PluginRecord): string[] =>
  contributions.flatMap(({ files }) => files.map(({ path }) => path));

/** Repeats recorded edits, in a project that is scaffolded into an empty folder. */
export function repeatEdits(draft: Draft, edits: readonly TextEdit[]): void {
  for (const { path, before, after } of edits) {
    const text = draft.read(path);
    const merged = text === undefined ? undefined : mergeTexts(before, after, text);
    if (merged !== undefined) draft.write(path, merged);
  }
}

/** Returns the record of an executable without the parts of the project that are gone. */
export function keptRecord(before: readonly PluginRecord[], use: PluginUse, project: Project): PluginRecord {
  const { contributions = [] } = before.find(({ key }) => key === use.key) ?? {};
  const scopes = scopesOf(use, project);
  return { key: use.key, version: "", contributions: contributions.filter(({ scope }) => scopes.has(scope)) };
}

interface RevertOptions {
  readonly owned: OwnedFiles;
  readonly force: boolean;
  readonly keep: boolean;
}

/** Reverts the edits of executables for parts that are gone. Throws for lines that the user changed since. */
export function revertDropped(
  draft: Draft,
  before: readonly PluginRecord[],
  records: readonly PluginRecord[],
  options: RevertOptions,
): string[] {
  return before.toReversed().flatMap(({ key, contributions }) => {
    const kept = records.find((record) => record.key === key)?.contributions ?? [];
    const dropped = contributions.filter(
      ({ scope }) => !kept.some((contribution) => contribution.scope === scope),
    );
    return revertEdits(
      key,
      draft,
      dropped.flatMap(({ edits = [] }) => edits),
      options,
    );
  });
}

/** Reverts edits, last one first, in texts that the user may have changed since. */
function revertEdits(
  key: string,
  draft: Draft,
  edits: readonly TextEdit[],
  { owned, force, keep }: RevertOptions,
): string[] {
  const notes: string[] = [];
  for (const { path, before, after } of edits.toReversed()) {
    const text = draft.read(path);
    if (text === undefined) continue;
    const reverted = mergeTexts(after, before, text);
    if (reverted !== undefined) {
      draft.write(path, reverted);
      owned.carry(path, path, text, reverted);
    } else if (force || keep)
      notes.push(`kept what plugin "${key}" wrote into "${path}": you edited it since`);
    else {
      throw new TsbuilderError(`you edited what plugin "${key}" wrote into "${path}"`, {
        code: "FILE_CHANGED",
        hint: "take it out by hand, or add --keep to keep it",
        at: { file: path, line: 1, column: 1 },
      });
    }
  }
  return notes;
}
