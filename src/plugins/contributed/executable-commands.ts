import type { PluginUse, Project } from "../../project/project.ts";
import type { Draft } from "../../scaffold/tree.ts";
import type { ExecutableCall, PluginRecord, ScopedContribution } from "./plugin-record.ts";
import { revertEdits, type Reverting, runExecutable } from "./run-executable.ts";
import { scopesOf } from "./run-plugin.ts";

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

const pathsOf = ({ contributions }: PluginRecord): string[] =>
  contributions.flatMap(({ files }) => files.map(({ path }) => path));

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
