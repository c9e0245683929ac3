import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject } from "@tsbuilder/apimachinery/json";
import { Document, YAMLMap, type YAMLSeq, isMap, isSeq, parseDocument } from "yaml";
import { TsbuilderError } from "../shared/errors.ts";
import { withLineEndsOf } from "../shared/text.ts";
import { readYaml } from "../shared/read-yaml.ts";
import { type Project, mayHavePlugins } from "./project.ts";
import { readProject, toRecord } from "./record.ts";

export const projectFile = "PROJECT";

/** A project with the text it was read from, to keep its comments and unknown keys. */
export interface StoredProject {
  readonly project: Project;
  readonly text: string;
}

/** Reads the text of a `PROJECT` file. */
export function parseProject(text: string): StoredProject {
  const [value, ...others] = readYaml(projectFile, text, {
    code: "INVALID_PROJECT",
    hint: "fix the file, or restore it from version control",
  });
  if (others.length === 0) return { project: readProject(value), text };
  throw new TsbuilderError(`"PROJECT" contains ${others.length + 1} YAML documents`, {
    code: "INVALID_PROJECT",
    hint: "remove the --- lines, and what does not belong there",
  });
}

/** Updates the text that a project was read from; unknown keys, comments and the line ends are kept. */
export function formatProject(project: Project, text?: string): string {
  const document = text === undefined ? new Document(new YAMLMap()) : parseDocument(text);
  if (text === undefined) document.commentBefore = header;
  mergeInto(document, document.contents as YAMLMap, toRecord(project));
  if (text !== undefined && mayHavePlugins(text))
    removePlugins(document, parseProject(text).project, project);
  const formatted = document.toString({ lineWidth: 0, indentSeq: false });
  return text === undefined ? formatted : withLineEndsOf(text, formatted);
}

const header = ` This file tracks what tsbuilder scaffolded. Its commands read and update it; keep it under version control.
 Your own keys and comments are preserved.`;

/** Removes the settings of plugins that are gone; those of other tools' plugins are kept. */
function removePlugins(document: Document, before: Project, after: Project): void {
  const kept = new Set(after.plugins.map(({ key }) => key));
  for (const { key } of before.plugins) if (!kept.has(key)) document.deleteIn(["plugins", key]);
  const left = document.get("plugins");
  if (isMap(left) && left.items.length === 0) document.delete("plugins");
}

/** Merges a record into a mapping. `undefined` removes a key; keys that are not in the record are kept. */
function mergeInto(document: Document, map: YAMLMap, record: Readonly<Record<string, unknown>>): void {
  for (const [key, value] of Object.entries(record)) {
    const present = map.get(key, true);
    if (value === undefined) map.delete(key);
    else if (present === undefined) insertInOrder(document, map, record, key);
    else if (isObject(value) && isMap(present)) mergeInto(document, present, value);
    else if (Array.isArray(value) && isSeq(present)) mergeList(document, present, value);
    else if (!isSame(present, value)) map.set(key, document.createNode(value));
  }
}

/** Inserts a new key where a new file would have it, so that the result does not depend on the order of commands. */
function insertInOrder(
  document: Document,
  map: YAMLMap,
  record: Readonly<Record<string, unknown>>,
  key: string,
): void {
  const keys = Object.keys(record);
  const later = new Set(keys.slice(keys.indexOf(key) + 1));
  const at = map.items.findIndex((pair) => later.has(String(toPlain(pair.key))));
  map.items.splice(at === -1 ? map.items.length : at, 0, document.createPair(key, record[key]));
}

/** Merges a list. Matches items by their identity, so that a comment stays with its item. */
function mergeList(document: Document, list: YAMLSeq, items: readonly unknown[]): void {
  const present = [...list.items];
  // An empty list is in flow style, and would stay in it.
  list.flow = items.length === 0;
  list.items = items.map((item) => {
    const at = present.findIndex((node) => identify(node) === identify(item));
    const [node] = at === -1 ? [] : present.splice(at, 1);
    if (!isMap(node) || !isObject(item)) return node ?? document.createNode(item);
    mergeInto(document, node, item);
    return node;
  });
}

function identify(item: unknown): string {
  const value = toPlain(item);
  if (!isObject(value)) return JSON.stringify(value);
  const { name, group, domain, version, kind } = value as Record<string, string>;
  return JSON.stringify([name, group, domain, version, kind]);
}

const toPlain = (node: unknown): unknown =>
  typeof node === "object" && node !== null && "toJSON" in node ? (node as YAMLMap).toJSON() : node;

const isSame = (node: unknown, value: unknown): boolean =>
  JSON.stringify(toPlain(node)) === JSON.stringify(value);

/** Finds the nearest folder with a `PROJECT` file, from a folder upwards. */
export function findProjectRoot(cwd: string): string | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (statSync(join(folder, projectFile), { throwIfNoEntry: false })?.isFile()) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
