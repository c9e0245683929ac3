import { isObject } from "@tsbuilder/apimachinery/json";
import { compareText } from "@tsbuilder/apimachinery/text";
import { emitYaml, type YamlValue } from "@tsbuilder/apimachinery/yaml";

/** The names of fields and the indices of items that lead to a value. */
export type Steps = readonly (string | number)[];

/** A line of an object's YAML. */
export interface YamlLine {
  readonly text: string;
  /** Where its value stands; that of an item's first line is in the item. */
  readonly steps: Steps;
}

/** Writes an object as kubectl does, line by line. */
export function yamlLines(value: unknown, steps: Steps = []): YamlLine[] {
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((item, i) => itemLines(item, [...steps, i]));
  if (isObject(value)) {
    const names = namesOf(value);
    if (names.length > 0) return names.flatMap((name) => memberLines(name, value[name], [...steps, name]));
  }
  // Sorted and written by itself, a scalar's lines after the first have the indent that they need below a key or a dash.
  const text = emitYaml(value as YamlValue).replace(/\n$/u, "");
  return text.split("\n").map((line) => ({ text: line, steps }));
}

/** The text of a path: `spec.containers[0].image`, the same as `changedFields()` of fields outside of lists. */
export function pathText(steps: Steps): string {
  return steps.reduce<string>(
    (path, step) => (typeof step === "number" ? `${path}[${step}]` : path === "" ? step : `${path}.${step}`),
    "",
  );
}

function namesOf(object: Readonly<Record<string, unknown>>): string[] {
  return Object.keys(object)
    .filter((name) => object[name] !== undefined)
    .sort(compareText);
}

function itemLines(item: unknown, steps: Steps): YamlLine[] {
  const pad = isNested(item) ? "  " : "";
  return yamlLines(item, steps).map((line, i) => ({
    ...line,
    text: i === 0 ? `- ${line.text}` : padded(line.text, pad),
  }));
}

function memberLines(name: string, value: unknown, steps: Steps): YamlLine[] {
  const key = keyText(name);
  const lines = yamlLines(value, steps);
  if (!isNested(value))
    return lines.map((line, i) => (i === 0 ? { ...line, text: `${key}: ${line.text}` } : line));
  const pad = Array.isArray(value) ? "" : "  ";
  return [{ text: `${key}:`, steps }, ...lines.map((line) => ({ ...line, text: padded(line.text, pad) }))];
}

/** `emitYaml()` counts the bytes of a long key, for which browsers have no Buffer, but not those of a scalar. */
function keyText(name: string): string {
  return /[\n ]/u.test(name) ? JSON.stringify(name) : emitYaml(name).trimEnd();
}

function isNested(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : isObject(value) && namesOf(value).length > 0;
}

/** An empty line is one of a text of several lines. */
function padded(text: string, pad: string): string {
  return text === "" ? "" : pad + text;
}
