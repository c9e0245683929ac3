import { isObject } from "@tsbuilder/apimachinery/json";
import { type Blueprint, type Insert, joinBlueprints } from "../../scaffold/blueprint.ts";
import type { Ownership, Tree } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { readJsonObject } from "../../shared/read-json.ts";
import type { PluginCommand } from "../contract/define-plugin.ts";
import { explainBadPath } from "./contributed-path.ts";

/** The file with the contributions of plugins, which the next command compares with what they contribute then. */
export const pluginRecordFile = ".tsbuilder/plugins.json";

/** The contributions of one plugin to a project. */
export interface PluginRecord {
  readonly key: string;
  /** The version of its package. */
  readonly version: string;
  readonly contributions: readonly ScopedContribution[];
}

/** The contributions of a plugin to the project, or to one kind. */
export interface ScopedContribution {
  /** `project`, `api apps.example.com/v1/MySQL` or `webhook …`. */
  readonly scope: string;
  readonly files: readonly ScopedFile[];
  readonly inserts: readonly Insert[];
  /** The edits of other files by an executable, and how it was called. */
  readonly edits?: readonly TextEdit[];
  readonly calls?: readonly ExecutableCall[];
}

/** A change of a file by an executable. */
export interface TextEdit {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

/** A command that was given to an executable, with its arguments. */
export interface ExecutableCall {
  readonly command: PluginCommand;
  readonly args: readonly string[];
}

/** A file of a contribution. */
export interface ScopedFile {
  /** Identifies the file even if its path changes. */
  readonly id: string;
  readonly path: string;
  readonly content: string;
  readonly ownership: Ownership;
}

const recordHint = "restore it from version control: it says which files belong to plugins";

/** Reads the records of a project, without any if it has no plugins. Throws a TsbuilderError for an invalid file. */
export function readPluginRecords(tree: Tree): PluginRecord[] {
  const text = tree.read(pluginRecordFile);
  if (text === undefined) return [];
  const { plugins } = readJsonObject(pluginRecordFile, text, recordHint);
  if (!Array.isArray(plugins) || !plugins.every(isRecord)) throw invalid("has no list of plugins");
  for (const { path } of plugins.flatMap(({ contributions }) =>
    contributions.flatMap(({ files, edits = [], inserts }) => [
      ...files,
      ...edits,
      ...inserts.map(({ file }) => ({ path: file })),
    ]),
  )) {
    const reason = explainBadPath(path);
    if (reason !== undefined) throw invalid(`has the path ${JSON.stringify(path)}, which ${reason}`);
  }
  return plugins;
}

/** Converts records to a blueprint, for the scaffolder to compare. */
export function recordBlueprint(records: readonly PluginRecord[]): Blueprint {
  return joinBlueprints(
    ...records.flatMap(({ key, contributions }) =>
      contributions.map(({ scope, files, inserts }): Blueprint => ({
        parts: (["yours", "generated"] as const).flatMap((ownership) => {
          const matching = files.filter((file) => file.ownership === ownership);
          if (matching.length === 0) return [];
          const rendered = matching.map(({ id, path, content }) => ({ template: id, path, content }));
          return [{ key: `plugin/${key}/${scope}/${ownership}`, ownership, files: rendered }];
        }),
        inserts,
        generated: [],
      })),
    ),
  );
}

function isRecord(value: unknown): value is PluginRecord {
  if (!isObject(value) || !Array.isArray(value["contributions"])) return false;
  return hasTexts(value, "key", "version") && value["contributions"].every(isContribution);
}

function isContribution(value: unknown): boolean {
  if (!isObject(value) || !hasTexts(value, "scope")) return false;
  const { files, inserts, edits = [], calls = [] } = value;
  return (
    Array.isArray(files) &&
    files.every((file) => hasTexts(file, "id", "path", "content", "ownership")) &&
    Array.isArray(inserts) &&
    inserts.every((insert) => hasTexts(insert, "file", "marker", "text")) &&
    Array.isArray(edits) &&
    edits.every((edit) => hasTexts(edit, "path", "before", "after")) &&
    Array.isArray(calls) &&
    calls.every((call) => hasTexts(call, "command") && isObject(call) && Array.isArray(call["args"]))
  );
}

const hasTexts = (value: unknown, ...keys: string[]): boolean =>
  isObject(value) && keys.every((key) => typeof value[key] === "string");

function invalid(what: string): TsbuilderError {
  return new TsbuilderError(`"${pluginRecordFile}" ${what}`, { code: "INVALID_PROJECT", hint: recordHint });
}
