import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { diffLines } from "@tsbuilder/apimachinery/text";
import { yamlLines } from "./yaml-lines.ts";

/** A line of a difference: of both states, of the later one, or of the earlier one. */
export interface DiffLine {
  readonly sign: " " | "+" | "-";
  readonly text: string;
}

/** How many unchanged lines stand before and after a change. */
const context = 3;

/** Between two lines of a difference that did not follow one another. */
export const gap: DiffLine = { sign: " ", text: "…" };

/** What changed in an object, as lines of YAML without what each write changes; nothing if no line did. */
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
    add(lines, " ", a.slice(from, aStart));
    add(lines, "-", a.slice(aStart, aEnd));
    add(lines, "+", b.slice(bStart, bEnd));
    shown = Math.min(aEnd + context, hunks[i + 1]?.aStart ?? a.length);
    add(lines, " ", a.slice(aEnd, shown));
  }
  if (hunks.length > 0 && shown < a.length) lines.push(gap);
  return lines;
}

function add(lines: DiffLine[], sign: DiffLine["sign"], texts: readonly string[]): void {
  for (const text of texts) lines.push({ sign, text });
}

/** An object as lines of YAML, without what each write changes. */
export function objectLines(object: KubernetesObject): string[] {
  const { managedFields: _managed, resourceVersion: _version, ...metadata } = object.metadata;
  return yamlLines({ ...object, metadata }).map(({ text }) => text);
}
