import { customKind, mostUsedKinds } from "../differential/most-used-kinds.ts";
import type { ComparedCase, Level } from "./compare.ts";
import type { Inexpressible } from "./requests.ts";

interface Results {
  readonly recorded: number;
  readonly asked: number;
  readonly left: readonly Inexpressible[];
  readonly compared: readonly ComparedCase[];
  readonly classes: number;
}

const levels: readonly Level[] = ["same", "words", "causes", "refuses", "accepts"];

export function reportOf({ recorded, asked, left, compared, classes }: Results): string {
  const kinds = groupBy(compared, ({ judged }) => judged.request.kind);
  const rows = [...kinds]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([kind, cases]) => row(kind, cases));
  const used = compared.filter(({ judged }) => isUsed(judged.request.kind));
  const names = groupBy(
    compared.filter(({ difference }) => difference),
    ({ difference, level }) => `${level} ${difference!.name}`,
  );
  const worst = [...names].toSorted(([a, one], [b, other]) => rank(b) - rank(a) || other.length - one.length);
  const other = compared.filter(
    ({ judged: { request, answer } }) => request.valid !== undefined && request.valid !== answer.code < 300,
  );
  return [
    `${recorded} calls recorded, ${asked} different requests, ${compared.length} judged`,
    ...countsOf(left.map(({ reason }) => reason)).map((line) => `  left: ${line}`),
    `  ${other.length} where kube-apiserver and the tested function disagree (defaults, gates, admission)`,
    ["kind".padEnd(34), ...levels.map((level) => level.padStart(8)), "verdict".padStart(9)].join(""),
    ...rows,
    row("most used kinds", used),
    row("all", compared),
    "",
    ...worst
      .slice(0, classes)
      .map(([name, cases]) => `${String(cases.length).padStart(5)} ${name} (${cases[0]!.judged.request.at})`),
    `${compared.filter(({ played }) => played.unforeseen.length > 0).length} JavaScript errors`,
  ].join("\n");
}

function rank(name: string): number {
  return levels.findIndex((level) => name.startsWith(level)) >= 3 ? 1 : 0;
}

function isUsed(kind: string): boolean {
  return mostUsedKinds.includes(kind) || kind === customKind;
}

function row(kind: string, cases: readonly ComparedCase[]): string {
  const counts = levels.map((wanted) => cases.filter(({ level }) => level === wanted).length);
  const right = counts[0]! + counts[1]! + counts[2]!;
  return [
    kind.padEnd(34),
    ...counts.map((count) => String(count).padStart(8)),
    `${((100 * right) / cases.length).toFixed(2)} %`.padStart(9),
  ].join("");
}

function countsOf(words: readonly string[]): string[] {
  const counts = groupBy(words, (word) => word);
  return [...counts]
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([word, { length }]) => `${length} ${word}`);
}

function groupBy<T>(values: readonly T[], nameOf: (value: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const value of values) groups.set(nameOf(value), [...(groups.get(nameOf(value)) ?? []), value]);
  return groups;
}
