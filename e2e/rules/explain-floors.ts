import { dirname } from "node:path";
import type { SourceImport } from "../support/source-imports.ts";

/** The rows of a package's table of floors, from top to bottom; the names in one row don't import each other. */
type Floors = readonly (readonly string[])[];

/** Reads the table of a package's README whose first column is called `floor`; undefined where there is none. */
export function readFloors(readme: string): Floors | undefined {
  const start = readme.search(/^\| floor +\|/m);
  if (start === -1) return undefined;
  const [, , ...rows] = readme.slice(start).split("\n\n")[0]!.trim().split("\n");
  return rows.map((row) => [...row.split("|")[1]!.matchAll(/`([^`]+)`/g)].map(([, name]) => name!));
}

/** A sentence for each file without a floor, and for each floor without a file. */
export function explainUnknownFloors(folder: string, files: readonly string[], floors: Floors): string[] {
  const used = new Map(files.map((file) => [file, floorOf(folder, file, floors)]));
  const homeless = [...used].filter(([, floor]) => floor === undefined).map(([file]) => file);
  const empty = floors.flat().filter((name) => ![...used.values()].some((floor) => floor?.name === name));
  return [
    ...homeless.map(
      (file) => `${file} stands on no floor of ${tableOf(folder)}: add a row, or move the file`,
    ),
    ...empty.map((name) => `${tableOf(folder)} names ${name}, where nothing stands: take the row out`),
  ];
}

/** A sentence for each import that goes up, or to another name of the same row. */
export function explainUpward(folder: string, imports: readonly SourceImport[], floors: Floors): string[] {
  return imports.flatMap(({ file, target }) => {
    if (target === undefined) return [];
    const from = floorOf(folder, file, floors);
    const to = floorOf(folder, target, floors);
    if (!from || !to || from.name === to.name || to.row > from.row) return [];
    const where = to.row === from.row ? "beside" : "above";
    return [
      `${file} imports ${target}, but ${to.name} stands ${where} ${from.name} in ${tableOf(folder)}. ` +
        `Move what both need below them, or let ${from.name} be given it as an argument`,
    ];
  });
}

/** A sentence for each cycle of files that load each other, and for each that leaves its folder. */
export function explainCycles(imports: readonly SourceImport[]): string[] {
  const eager = cyclesOf(imports.filter(({ isEager }) => isEager)).map(
    (files) =>
      `${files.join(", ")} load each other in a circle, so that which one runs first depends on who asks. ` +
      "Move what two of them need into a file of its own",
  );
  const wide = cyclesOf(imports)
    .filter((files) => new Set(files.map((file) => dirname(file))).size > 1)
    .map(
      (files) =>
        `${files.join(", ")} import each other across folders, if only types. ` +
        "Move the types that they share into a file below them",
    );
  return [...eager, ...wide];
}

/** Strongly connected groups of files, by Tarjan's algorithm. */
function cyclesOf(imports: readonly SourceImport[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { file, target } of imports) {
    if (target !== undefined) targets.set(file, [...(targets.get(file) ?? []), target]);
  }
  const order = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];

  function visit(file: string): number {
    order.set(file, order.size);
    let low = order.get(file)!;
    open.push(file);
    for (const target of targets.get(file) ?? []) {
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (open.includes(target)) low = Math.min(low, order.get(target)!);
    }
    if (low === order.get(file)) {
      const group = open.splice(open.indexOf(file));
      if (group.length > 1) cycles.push(group.toSorted());
    }
    return low;
  }

  for (const file of targets.keys()) if (!order.has(file)) visit(file);
  return cycles;
}

/** The longest floor name that is the file or a folder around it. */
function floorOf(folder: string, file: string, floors: Floors): { name: string; row: number } | undefined {
  if (!file.startsWith(`${folder}/`)) return undefined;
  const path = file.slice(folder.length + 1);
  return floors
    .flatMap((names, row) => names.map((name) => ({ name, row })))
    .filter(({ name }) => path === name || path.startsWith(`${name}/`))
    .toSorted((a, b) => b.name.length - a.name.length)[0];
}

function tableOf(folder: string): string {
  return `the table of floors in ${folder}/README.md`;
}
