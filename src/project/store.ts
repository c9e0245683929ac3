import { isObject } from "@tsbuilder/apimachinery/json";
import type { YAMLSeq } from "yaml";
import { Document, isMap, isSeq, parseDocument, YAMLMap } from "yaml";
import { TsbuilderError } from "../shared/errors.ts";
import { readYaml } from "../shared/read-yaml.ts";
import { readProject } from "./read-project.ts";
import type { Project } from "./project.ts";
import { toRecord } from "./to-record.ts";

export const PROJECT_FILE = "PROJECT";

/** A project with the text that it was read from, whose comments and unknown keys survive a save. */
export interface StoredProject {
  readonly project: Project;
  readonly text: string;
}

/** Reads the text of a `PROJECT` file. */
export function parseProject(text: string): StoredProject {
  const [value, ...others] = readYaml(PROJECT_FILE, text, {
    code: "INVALID_PROJECT",
    hint: "mend the file, or take its last good state from version control",
  });
  if (others.length === 0) return { project: readProject(value), text };
  throw new TsbuilderError(`"PROJECT" holds ${others.length + 1} YAML documents`, {
    code: "INVALID_PROJECT",
    hint: "take out the lines of ---, and what does not belong there",
  });
}

/** Writes a project over the text that it was read from: what we don't know stays, comments too. */
export function formatProject(project: Project, text?: string): string {
  const document = text === undefined ? new Document(new YAMLMap()) : parseDocument(text);
  if (text === undefined) document.commentBefore = HEADER;
  mergeInto(document, document.contents as YAMLMap, toRecord(project));
  return document.toString({ lineWidth: 0, indentSeq: false });
}

const HEADER = ` What tsbuilder scaffolded here. Its commands read and write this file; keep it under version control.
 Keys and comments of your own are left alone.`;

/** `undefined` takes a key out; keys that the record doesn't name are not ours. */
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

/** A new key stands where it would in a new file: the same project has the same bytes, whatever led to it. */
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

/** Items of a list are matched by what names them, so that a comment stays with its item. */
function mergeList(document: Document, list: YAMLSeq, items: readonly unknown[]): void {
  const present = [...list.items];
  // Only an empty list is written in brackets; it would keep them, or lose them.
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
