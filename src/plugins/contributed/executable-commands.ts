import type { PluginUse, Project } from "../../project/project.ts";
import type { Draft, Tree } from "../../scaffold/tree.ts";
import type { ExecutableCall, PluginRecord, ScopedContribution, TextEdit } from "./plugin-record.ts";
import { scopesOf } from "./run-plugin.ts";
import { pluginKey, toRecord } from "../../project/store.ts";
import { mergeTexts } from "../../scaffold/merge.ts";
import type { OwnedFiles } from "../../scaffold/plan.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { callExecutable } from "./call-executable.ts";
import { checkContributedPath, checkSize } from "./check-contribution.ts";
import { requireExecutable } from "./load-executable.ts";
import { pluginError } from "./plugin-error.ts";
import { foldersOf, refuseLinks } from "./refuse-foreign.ts";

/** A command in which executable plugins take part. Their protocol has commands, and no descriptions of projects. */
export interface PluginCall extends ExecutableCall {
  readonly scope: string;
  /** The keys of the executables that the command concerns. */
  readonly keys: ReadonlySet<string>;
}

interface Running {
  readonly root: string;
  readonly project: Project;
  readonly call?: PluginCall | undefined;
  /** The project is scaffolded into an empty folder. */
  readonly isAnew: boolean;
}

/**
 * Has executables run the command. For a project that is scaffolded into an empty folder, repeats all recorded
 * commands.
 */
export function runExecutables(
  draft: Draft,
  before: readonly PluginRecord[],
  records: readonly PluginRecord[],
  { root, project, call, isAnew }: Running,
): { records: PluginRecord[]; notes: string[]; edited: Map<string, string> } {
  const finished = new Map(records.map((record) => [record.key, record]));
  const notes: string[] = [];
  const edited = new Map<string, string>();
  for (const use of project.plugins.filter((one) => one.package === undefined)) {
    for (const { scope, ...one } of isAnew ? recordedCalls(before, use, project) : callsFor(use, call)) {
      const record = finished.get(use.key)!;
      const present = record.contributions.find((contribution) => contribution.scope === scope);
      const own = new Set((present?.files ?? []).map(({ path }) => path));
      const done = runExecutable(use.key, one, scope, { root, draft, project, own });
      const made = new Set([...finished.values()].flatMap(pathsOf));
      for (const { path, before: text } of done.contribution.edits ?? [])
        if (!made.has(path) && !edited.has(path)) edited.set(path, text);
      if (done.notes !== "") notes.push(done.notes);
      finished.set(use.key, addContribution(record, present, done.contribution));
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
  return { ...record, contributions: [...record.contributions.filter((one) => one !== present), joined] };
}

const pathsOf = ({ contributions }: PluginRecord): string[] =>
  contributions.flatMap(({ files }) => files.map(({ path }) => path));

/**
 * Has an executable change the files of a draft, as kubebuilder has it change files on disk. Records the edits for the
 * project or the kind, since the protocol has no command that reverts them.
 */
function runExecutable(
  key: string,
  call: ExecutableCall,
  scope: string,
  { root, draft, project, own }: { root: string; draft: Draft; project: Project; own: ReadonlySet<string> },
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
    checkPlace(key, path, draft, root);
    const before = Object.hasOwn(universe, path) ? universe[path]! : undefined;
    if (before === undefined && draft.has(path) && draft.read(path) !== text) throw hidden(key, path);
    if (before === undefined || own.has(path))
      files.push({ id: path, path, content: text, ownership: "yours" });
    else edits.push({ path, before, after: text });
    draft.write(path, text);
  }
  return { contribution: { scope, files, inserts: [], edits, calls: [call] }, notes: response.notes };
}

function checkPlace(key: string, path: string, draft: Tree, root: string): void {
  checkContributedPath(key, path);
  const file = foldersOf(path).find((folder) => draft.has(folder) && draft.list(folder).length === 0);
  if (file !== undefined)
    throw pluginError(key, `"${path}" is below "${file}", which is a file`, { code: "REFUSED" });
  if (draft.list(path).length > 0) throw pluginError(key, `"${path}" is a folder`, { code: "REFUSED" });
  refuseLinks(key, root, [path]);
}

function hidden(key: string, path: string): Error {
  return pluginError(key, `"${path}" exists, and its content was not passed to the plugin`, {
    code: "REFUSED",
    hint: "files in hidden folders, dist and vendor are no part of the universe",
  });
}

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

/** Reverts the edits of executables for parts of the project that are gone. */
export function revertDropped(
  draft: Draft,
  before: readonly PluginRecord[],
  records: readonly PluginRecord[],
  options: Reverting,
): string[] {
  return before.toReversed().flatMap(({ key, contributions }) => {
    const kept = records.find((record) => record.key === key)?.contributions ?? [];
    const dropped = contributions.filter(({ scope }) => !kept.some((one) => one.scope === scope));
    return revertEdits(
      key,
      draft,
      dropped.flatMap(({ edits = [] }) => edits),
      options,
    );
  });
}

interface Reverting {
  readonly owned: OwnedFiles;
  readonly force: boolean;
  readonly keep: boolean;
}

/** Reverts edits, last one first, in texts that the user may have changed since. */
function revertEdits(
  key: string,
  draft: Draft,
  edits: readonly TextEdit[],
  { owned, force, keep }: Reverting,
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
