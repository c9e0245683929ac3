// Third-party plugins: finding and loading their code, which the user must have allowed, asking for their
// contributions, and refusing what they must not write. Begin here. `define-plugin.ts` is the interface for packages;
// executables speak kubebuilder's protocol.

import type { PluginUse, Project } from "../../project/project.ts";
import { type Blueprint, joinBlueprints, renderPart } from "../../scaffold/blueprint.ts";
import type { OwnedFiles } from "../../scaffold/owned-files.ts";
import type { Draft, Tree } from "../../scaffold/tree.ts";
import type { PluginCommand } from "../contract/define-plugin.ts";
import { loadOptional, ownPackage } from "../optional/index.ts";
import { loadExecutable } from "./executables.ts";
import { type LoadedPlugin, loadPlugin } from "./load-plugin.ts";
import { pluginError } from "./plugin-error.ts";
import { type PluginRecord, pluginRecordFile, readPluginRecords, recordBlueprint } from "./plugin-record.ts";
import { refuseForeign, withoutPresent } from "./refuse-foreign.ts";
import type { PluginCall } from "./run-executables.ts";
import { keptRecord, repeatEdits, revertDropped, runExecutables } from "./run-executables.ts";
import { runPlugin } from "./run-plugin.ts";

/** A change of a project with plugins. */
export interface PluginRequest {
  readonly root: string;
  readonly tree: Tree;
  /** The project is scaffolded into an empty folder, to be compared with the tree. */
  readonly isAnew: boolean;
  readonly project: Project;
  readonly boilerplate: string;
  /** The blueprint of tsbuilder's own plugins. */
  readonly own: Blueprint;
  /** Paths of other files that the command writes. */
  readonly extraPaths: Iterable<string>;
  /** The command for executables. */
  readonly call?: PluginCall | undefined;
  readonly owned: OwnedFiles;
  readonly force: boolean;
  readonly keep: boolean;
}

/** The contributions of plugins before and after a change, as blueprints to compare. */
export interface PluginPlan {
  readonly before: Blueprint;
  readonly after: Blueprint;
  /** Reverts the edits of executables for parts that are gone; called before the scaffolder compares the blueprints. */
  start(draft: Draft): void;
  /** Has executables change the files; called after the scaffolder. */
  finish(draft: Draft): FinishedPlugins;
}

/**
 * Asks the project's plugins for their contributions. Throws a TsbuilderError for a file that a plugin must not write, and
 * for a plugin whose code may not run, or that is installed in another version.
 */
export async function planPlugins(request: PluginRequest): Promise<PluginPlan> {
  const { root, tree, isAnew, project, boilerplate, own, extraPaths } = request;
  const before = readPluginRecords(tree);
  const notes: string[] = [];
  const records: PluginRecord[] = [];
  const existing = { root, tree, before, own: listOwnFiles(own, extraPaths) };
  for (const use of project.plugins) {
    if (use.package === undefined) {
      records.push(
        isAnew ? { key: use.key, version: "", contributions: [] } : keptRecord(before, use, project),
      );
      continue;
    }
    const plugin = loadPluginOfProject(use, root);
    if (!isAnew) refuseOtherVersion(before, plugin.definition.key, plugin.found.version);
    const { deprecated } = plugin.definition;
    if (deprecated !== undefined) notes.push(`plugin "${use.key}" is deprecated: ${deprecated}`);
    records.push(withoutPresent(await runPlugin(plugin, use, project, boilerplate), existing));
  }
  refuseForeign(records, existing);
  return {
    before: isAnew ? joinBlueprints() : recordBlueprint(before),
    after: recordBlueprint(records),
    start(draft) {
      if (!isAnew) notes.push(...revertDropped(draft, before, records, request));
    },
    finish(draft) {
      const run = runExecutables(draft, before, records, request);
      return { record: recordFile(run.records), notes: [...notes, ...run.notes], edited: run.edited };
    },
  };
}

export interface FinishedPlugins {
  /** The file of records; without a text, there is nothing to record. */
  readonly record: { readonly path: string; readonly text: string | undefined };
  readonly notes: readonly string[];
  /** Texts of files before executables changed them, by path. */
  readonly edited: ReadonlyMap<string, string>;
}

/** Returns the recorded contributions, for a project in an empty folder whose plugins are not run. */
export function replayPlugins(tree: Tree): PluginPlan {
  const records = readPluginRecords(tree);
  return {
    before: joinBlueprints(),
    after: recordBlueprint(records),
    start: () => undefined,
    finish(draft) {
      for (const { contributions } of records)
        for (const { edits = [] } of contributions) repeatEdits(draft, edits);
      return { record: recordFile(records), notes: [], edited: new Map() };
    },
  };
}

function recordFile(records: readonly PluginRecord[]): FinishedPlugins["record"] {
  if (records.length === 0) return { path: pluginRecordFile, text: undefined };
  return {
    path: pluginRecordFile,
    text: `${JSON.stringify({ version: 1, plugins: records }, undefined, 2)}\n`,
  };
}

/** Loads a plugin of the project, whose package must still be the one that `PROJECT` means. */
export function loadPluginOfProject(use: PluginUse, root: string, command?: PluginCommand): LoadedPlugin {
  if (use.package === undefined) return loadExecutable(use.key, root, command);
  const optional = use.package === ownPackage ? loadOptional(use.key) : undefined;
  if (optional) return optional;
  const plugin = loadPlugin(use.package, root);
  if (plugin.definition.key === use.key) return plugin;
  throw pluginError(use.key, `"${use.package}" is now the plugin "${plugin.definition.key}"`, {
    code: "REFUSED",
    hint: `install the version with this key, or choose the new one: tsbuilder edit --remove-plugins ${use.key} --plugins ${use.package}`,
  });
}

/** Returns whether a plugin of the project is installed in another version than the one that scaffolded its files. */
export function haveOtherVersions(project: Project, tree: Tree, root: string): boolean {
  const before = readPluginRecords(tree);
  return project.plugins.some((use) => {
    if (use.package === undefined) return false;
    const { definition, found } = loadPluginOfProject(use, root);
    return before.some(({ key, version }) => key === definition.key && version !== found.version);
  });
}

/** Throws if a plugin has another version than when it scaffolded its files: only an upgrade may change them. */
function refuseOtherVersion(before: readonly PluginRecord[], key: string, version: string): void {
  const recorded = before.find((record) => record.key === key);
  if (recorded === undefined || recorded.version === version) return;
  throw pluginError(key, `version ${recorded.version} scaffolded its files, but ${version} is installed`, {
    code: "REFUSED",
    hint: "run tsbuilder upgrade first: it applies what is different, and keeps your edits",
  });
}

/** Lists the files that tsbuilder itself writes, with their texts; those of generators without. */
function listOwnFiles(own: Blueprint, extraPaths: Iterable<string>): Map<string, string> {
  return new Map([
    ...[...own.generated, ...extraPaths].map((path) => [path, ""] as const),
    ...own.parts.flatMap((part) => renderPart(part).map(({ path, content }) => [path, content] as const)),
  ]);
}
