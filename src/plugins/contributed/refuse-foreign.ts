import { type Insert, insertKey } from "../../scaffold/blueprint.ts";
import { findInsert } from "../../scaffold/insert.ts";
import type { Tree } from "../../scaffold/tree.ts";
import { refuseOutside } from "../../scaffold/apply.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { checkContributedPath, foldPath } from "./contributed-path.ts";
import { pluginError } from "./plugin-error.ts";
import type { PluginRecord } from "./plugin-record.ts";

/** The files that contributions are compared with. */
export interface ExistingFiles {
  /** Undefined for a project in memory. */
  readonly root: string | undefined;
  readonly tree: Tree;
  /** Files that tsbuilder itself scaffolds, by path. */
  readonly own: ReadonlyMap<string, string>;
  /** Earlier contributions of plugins. */
  readonly before: readonly PluginRecord[];
}

/** Throws a TsbuilderError for a file of others, a link out of the project, and lines for a file that is missing. */
export function refuseForeign(
  records: readonly PluginRecord[],
  { root, tree, own, before }: ExistingFiles,
): void {
  const owners = new Map<string, string>();
  const claim = (path: string, owner: string): string | undefined => {
    const name = foldPath(path);
    const other = owners.get(name);
    if (other === undefined) owners.set(name, owner);
    return other;
  };
  for (const path of own.keys()) claim(path, "tsbuilder");
  for (const { key, contributions } of records) {
    const recorded = new Set(filesOf(before.filter((record) => record.key === key)).map(({ path }) => path));
    for (const { scope, files } of contributions) {
      for (const { path, content } of files) {
        checkContributedPath(key, path);
        const other = claim(path, `plugin "${key}" (${scope})`);
        if (other !== undefined) throw refusal(key, `"${path}" is a file of ${other}`);
        if (!recorded.has(path) && !isFree(tree, path, content))
          throw refusal(
            key,
            `"${path}" exists, and it did not write it`,
            `move "${path}" to another place first`,
          );
      }
    }
  }
  refuseFilesAsFolders(records, owners, tree);
  for (const record of records)
    refuseLinks(
      record.key,
      root,
      filesOf([record]).map(({ path }) => path),
    );
  refuseLostInserts(records, owners, { tree, before });
}

/** Omits lines that the user or a template wrote before: they are not the plugin's, and must not be removed with it. */
export function withoutPresent(
  record: PluginRecord,
  { tree, own, before }: Pick<ExistingFiles, "tree" | "own" | "before">,
): PluginRecord {
  const recorded = insertsOf(before.filter(({ key }) => key === record.key));
  const isPresent = (insert: Insert): boolean =>
    !recorded.has(insertKey(insert)) &&
    [tree.read(insert.file), own.get(insert.file)].some(
      (text) => text !== undefined && findInsert(text, insert),
    );
  const contributions = record.contributions.map((contribution) => ({
    ...contribution,
    inserts: contribution.inserts.filter((insert) => !isPresent(insert)),
  }));
  return { ...record, contributions };
}

/** Refuses a line for a file that does not exist: it would be lost without a message. */
function refuseLostInserts(
  records: readonly PluginRecord[],
  owners: ReadonlyMap<string, string>,
  { tree, before }: Pick<ExistingFiles, "tree" | "before">,
): void {
  for (const record of records) {
    const recorded = insertsOf(before.filter(({ key }) => key === record.key));
    for (const [id, insert] of insertsOf([record])) {
      if (recorded.has(id) || owners.has(foldPath(insert.file)) || tree.has(insert.file)) continue;
      throw pluginError(record.key, `it inserts lines into "${insert.file}", which does not exist`);
    }
  }
}

function insertsOf(records: readonly PluginRecord[]): Map<string, Insert> {
  const inserts = records.flatMap(({ contributions }) =>
    contributions.flatMap((contribution) => contribution.inserts),
  );
  return new Map(inserts.map((insert) => [insertKey(insert), insert]));
}

const filesOf = (records: readonly PluginRecord[]) =>
  records.flatMap(({ contributions }) => contributions.flatMap(({ files }) => files));

/** Returns whether a plugin may write a path: nothing is there, or a file with the same content. */
function isFree(tree: Tree, path: string, content: string): boolean {
  return !tree.has(path) || (tree.list(path).length === 0 && readFile(tree, path) === content);
}

/** Reads a file; undefined if the path is not a file. */
function readFile(tree: Tree, path: string): string | undefined {
  try {
    return tree.read(path);
  } catch (error) {
    if (error instanceof TsbuilderError || (error as NodeJS.ErrnoException).code !== undefined)
      return undefined;
    throw error;
  }
}

/** Refuses a path that other files need as a folder, and one below a file. */
function refuseFilesAsFolders(
  records: readonly PluginRecord[],
  owners: ReadonlyMap<string, string>,
  tree: Tree,
): void {
  const folders = new Map<string, string>();
  for (const path of owners.keys()) for (const folder of foldersOf(path)) folders.set(folder, path);
  for (const { key, contributions } of records) {
    for (const { path } of contributions.flatMap(({ files }) => files)) {
      const fileInside = folders.get(foldPath(path));
      if (fileInside !== undefined) throw refusal(key, `"${path}" is the folder of "${fileInside}"`);
      const file = foldersOf(path).find(
        (folder) => owners.has(foldPath(folder)) || readFile(tree, folder) !== undefined,
      );
      if (file !== undefined) throw refusal(key, `"${path}" is below "${file}", which is a file`);
    }
  }
}

/** Lists the folders that a path is in, outer ones first. */
export function foldersOf(path: string): string[] {
  const steps = path.split("/");
  return steps.slice(1).map((_, i) => steps.slice(0, i + 1).join("/"));
}

/** Refuses paths that lead out of the project by a symbolic link. */
export function refuseLinks(key: string, root: string | undefined, paths: readonly string[]): void {
  if (root === undefined) return;
  try {
    refuseOutside(root, paths);
  } catch (error) {
    if (!(error instanceof TsbuilderError)) throw error;
    throw pluginError(key, error.message, { code: error.code, hint: error.hint, cause: error });
  }
}

function refusal(key: string, message: string, hint = "use another path"): TsbuilderError {
  return pluginError(key, message, { code: "REFUSED", hint });
}
