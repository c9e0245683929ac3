import { isObject, memberOf } from "@tsbuilder/apimachinery/json";
import { compareText } from "@tsbuilder/apimachinery/text";
import { diffLines } from "../../shared/diff-lines.ts";
import { type YamlValue, emitYaml } from "@tsbuilder/apimachinery/yaml";
import type { KubernetesObject, ManagedFieldsEntry } from "@tsbuilder/apimachinery/meta";
import { isElementOf } from "@tsbuilder/apimachinery/patch/fields-v1";

/** The path to a value: names of fields and indices of items. */
type Steps = readonly (string | number)[];

/** A line of an object's YAML. */
export interface YamlLine {
  readonly text: string;
  /** The path to the line's value; for the first line of a list's item, a path inside the item. */
  readonly steps: Steps;
}

/** Formats an object as kubectl does, line by line. */
export function yamlLines(value: unknown, steps: Steps = []): YamlLine[] {
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((item, i) => itemLines(item, [...steps, i]));
  if (isObject(value)) {
    const names = definedNames(value);
    if (names.length > 0) return names.flatMap((name) => memberLines(name, value[name], [...steps, name]));
  }
  // The emitter indents the further lines of a scalar as they must be below a key or a dash.
  const text = emitYaml(value as YamlValue).replace(/\n$/u, "");
  return text.split("\n").map((line) => ({ text: line, steps }));
}

/** Formats a path: `spec.containers[0].image`. Outside of lists, `changedFields()` has the same format. */
export function pathText(steps: Steps): string {
  return steps.reduce<string>(
    (path, step) => (typeof step === "number" ? `${path}[${step}]` : path === "" ? step : `${path}.${step}`),
    "",
  );
}

function definedNames(object: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(object)
    .filter((name) => object[name] !== undefined)
    .sort(compareText);
}

function itemLines(item: unknown, steps: Steps): YamlLine[] {
  const pad = isNested(item) ? "  " : "";
  return yamlLines(item, steps).map((line, i) => ({
    ...line,
    text: i === 0 ? `- ${line.text}` : indented(line.text, pad),
  }));
}

function memberLines(name: string, value: unknown, steps: Steps): YamlLine[] {
  const key = formatKey(name);
  const lines = yamlLines(value, steps);
  if (!isNested(value))
    return lines.map((line, i) => (i === 0 ? { ...line, text: `${key}: ${line.text}` } : line));
  const pad = Array.isArray(value) ? "" : "  ";
  return [{ text: `${key}:`, steps }, ...lines.map((line) => ({ ...line, text: indented(line.text, pad) }))];
}

/** Formats a key as a scalar of its own: for a key in an object, `emitYaml()` needs Buffer, which browsers lack. */
function formatKey(name: string): string {
  return /[\n ]/u.test(name) ? JSON.stringify(name) : emitYaml(name).trimEnd();
}

function isNested(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : isObject(value) && definedNames(value).length > 0;
}

/** Indents a line; empty lines within a block scalar stay empty. */
function indented(text: string, pad: string): string {
  return text === "" ? "" : pad + text;
}

/** A line of a difference: in both states (" "), only in the later one ("+"), or only in the earlier one ("-"). */
export interface DiffLine {
  readonly sign: " " | "+" | "-";
  readonly text: string;
}

/** Separates hunks: lines that are not adjacent in the object. */
export const gap: DiffLine = { sign: " ", text: "…" };

/** The number of unchanged lines before and after a change. */
const context = 3;

/** Returns the difference of two states as lines of YAML, without fields that every write changes; empty if none differs. */
export function difference(
  before: KubernetesObject | undefined,
  after: KubernetesObject | undefined,
): DiffLine[] {
  const [a, b] = [before, after].map((object) => (object === undefined ? [] : objectLines(object))) as [
    string[],
    string[],
  ];
  const hunks = diffLines(a, b);
  const lines: DiffLine[] = [];
  let shown = 0;
  for (const [i, { aStart, aEnd, bStart, bEnd }] of hunks.entries()) {
    const from = Math.max(shown, aStart - context);
    if (from > shown) lines.push(gap);
    addLines(lines, " ", a.slice(from, aStart));
    addLines(lines, "-", a.slice(aStart, aEnd));
    addLines(lines, "+", b.slice(bStart, bEnd));
    shown = Math.min(aEnd + context, hunks[i + 1]?.aStart ?? a.length);
    addLines(lines, " ", a.slice(aEnd, shown));
  }
  if (hunks.length > 0 && shown < a.length) lines.push(gap);
  return lines;
}

function addLines(lines: DiffLine[], sign: DiffLine["sign"], texts: readonly string[]): void {
  for (const text of texts) lines.push({ sign, text });
}

/** Formats an object as YAML without the fields that every write changes: managedFields and resourceVersion. */
export function objectLines(object: KubernetesObject): string[] {
  const { managedFields: _managed, resourceVersion: _version, ...metadata } = object.metadata;
  return yamlLines({ ...object, metadata }).map(({ text }) => text);
}

const serverFields = new Set([
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "managedFields",
  "selfLink",
]);

/** Formats an object for an editor: without its status and the metadata that only the API server sets. */
export function editableYaml(object: KubernetesObject): string {
  const { status: _, metadata, ...rest } = object as KubernetesObject & { readonly status?: unknown };
  const kept = Object.fromEntries(Object.entries(metadata).filter(([field]) => !serverFields.has(field)));
  const lines = yamlLines({ ...rest, metadata: kept });
  return `${lines.map(({ text }) => text).join("\n")}\n`;
}

/** A field manager that set a field. */
interface FieldWriter {
  readonly manager: string;
  readonly operation: ManagedFieldsEntry["operation"] | undefined;
  /** Such as `status`. */
  readonly subresource: string | undefined;
  /** When the manager last set a field or changed the set of fields that it owns. */
  readonly at: string | undefined;
}

/** A line of an object's YAML with the managers of its field. */
interface WrittenLine {
  readonly text: string;
  readonly path: string;
  /** In the order of `managedFields`. Empty for a field that only contains fields, and for one that nobody owns. */
  readonly managers: readonly FieldWriter[];
}

/** Formats an object as YAML without its `managedFields`, and assigns the managers that these name to each line. */
export function linesWithWriters(object: KubernetesObject): WrittenLine[] {
  const { managedFields = [], ...metadata } = object.metadata;
  const shown = { ...object, metadata };
  const owners = managedFields.map((entry) => ({ fields: entry.fieldsV1, writer: writerOf(entry) }));
  const writersOf = (steps: Steps): FieldWriter[] => {
    const found = owners.map(({ fields, writer }) => ({ writer, depth: ownedDepth(fields, steps, shown) }));
    const deepest = Math.max(0, ...found.map(({ depth }) => depth));
    return deepest === 0 ? [] : found.filter(({ depth }) => depth === deepest).map(({ writer }) => writer);
  };
  return yamlLines(shown).map(({ text, steps }) => ({
    text,
    path: pathText(steps),
    managers: writersOf(steps),
  }));
}

function writerOf({ manager = "unknown", operation, subresource, time }: ManagedFieldsEntry): FieldWriter {
  return { manager, operation, subresource, at: time };
}

/** Returns the number of steps to the owned value: the field itself, or an atomic list or map around it. 0: not owned. */
function ownedDepth(fields: unknown, steps: Steps, object: unknown): number {
  let [set, value] = [fields, object];
  for (const [i, step] of steps.entries()) {
    value = (value as Readonly<Record<string | number, unknown>>)[step];
    if (!isObject(set)) return 0;
    const item = value;
    const name =
      typeof step === "number"
        ? Object.keys(set).find((element) => isElementOf(element, item, step))
        : `f:${step}`;
    set = name === undefined ? undefined : memberOf(set, name);
    if (!isObject(set)) return 0;
    if (Object.keys(set).length === 0) return i + 1;
  }
  return isObject(set) && Object.hasOwn(set, ".") ? steps.length : 0;
}
