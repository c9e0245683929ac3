import { isObject } from "@tsbuilder/apimachinery/json";
import { type Blueprint, type Insert, joinBlueprints } from "../../scaffold/blueprint.ts";
import type { Ownership, Tree } from "../../scaffold/tree.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import { readJsonObject } from "../../shared/read-json.ts";
import type { PluginCommand } from "../contract/define-plugin.ts";
import { explainBadPath } from "./contributed-path.ts";

/**
 * The file with the records of plugins' contributions. A later command compares them with the contributions of that
 * time.
 */
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

export interface TextEdit {
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

export interface ExecutableCall {
  readonly command: PluginCommand;
  readonly args: readonly string[];
}

export interface ScopedFile {
  /** Identifies the file even if its path changes. */
  readonly id: string;
  readonly path: string;
  readonly content: string;
  readonly ownership: Ownership;
}

const mend = "restore it from version control: it says which files belong to plugins";

/** Reads a project's records; there are none without plugins. */
export function readPluginRecords(tree: Tree): PluginRecord[] {
  const text = tree.read(pluginRecordFile);
  if (text === undefined) return [];
  const { plugins } = readJsonObject(pluginRecordFile, text, mend);
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
          const own = files.filter((file) => file.ownership === ownership);
          if (own.length === 0) return [];
          const rendered = own.map(({ id, path, content }) => ({ template: id, path, content }));
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
  return isTexts(value, "key", "version") && value["contributions"].every(isContribution);
}

function isContribution(value: unknown): boolean {
  if (!isObject(value) || !isTexts(value, "scope")) return false;
  const { files, inserts, edits = [], calls = [] } = value;
  return (
    Array.isArray(files) &&
    files.every((file) => isTexts(file, "id", "path", "content", "ownership")) &&
    Array.isArray(inserts) &&
    inserts.every((insert) => isTexts(insert, "file", "marker", "text")) &&
    Array.isArray(edits) &&
    edits.every((edit) => isTexts(edit, "path", "before", "after")) &&
    Array.isArray(calls) &&
    calls.every((call) => isTexts(call, "command") && isObject(call) && Array.isArray(call["args"]))
  );
}

const isTexts = (value: unknown, ...keys: string[]): boolean =>
  isObject(value) && keys.every((key) => typeof value[key] === "string");

function invalid(what: string): TsbuilderError {
  return new TsbuilderError(`"${pluginRecordFile}" ${what}`, { code: "INVALID_PROJECT", hint: mend });
}
