import type { SourceImport } from "../support/source-imports.ts";

/** The allowed imports: each room's name, and the rooms that it may import. */
type Layers = ReadonlyMap<string, readonly string[]>;

const layerTable = "the table in src/README.md";
const packages = ["apimachinery", "runtime", "cluster"];

/** Reads the table of `src/README.md`. */
export function readLayers(readme: string): Layers {
  const table = readme.slice(readme.search(/^\| room +\| may import/m)).split("\n\n")[0]!;
  const rows = [...table.matchAll(/^\| ([a-z]+) +\|([^|]*)\|$/gm)].filter(([, room]) => room !== "room");
  return new Map(
    rows.map(([, room, allowed]) => [
      room!,
      allowed!
        .split(",")
        .map((name) => name.trim())
        .filter(Boolean),
    ]),
  );
}

/** A sentence for each room that is missing in the table. */
export function explainUnknownRooms(files: readonly string[], layers: Layers): string[] {
  const rooms = new Set(files.map(roomOf));
  return [...rooms]
    .filter((room) => !layers.has(room))
    .map((room) => `src/${room} has no row in ${layerTable}: add one that says which rooms it may import`);
}

/** A sentence for each import that the table doesn't allow. */
export function explainForbidden(imports: readonly SourceImport[], layers: Layers): string[] {
  return imports.flatMap((entry) => {
    const [own, target] = [roomOf(entry.file), targetRoom(entry)];
    const allowed = layers.get(own) ?? [];
    if (target === undefined || target === own || allowed.includes(target)) return [];
    const may = allowed.length > 0 ? `may import only ${allowed.join(", ")}` : "may import no other room";
    const shared = allowed.filter((room) => room === target || layers.get(target)?.includes(room));
    const down = shared.length > 0 ? ` to ${shared.join(" or ")}` : "";
    return [
      `${describe(entry)}, but ${own} ${may}: see ${layerTable}. ` +
        `Move what both need down${down}, or let a room above give it to ${own} as an argument`,
    ];
  });
}

/** A sentence for each relative import across packages; the book describes what packages don't export, too. */
export function explainCrossings(imports: readonly SourceImport[]): string[] {
  return imports.flatMap((entry) => {
    if (!entry.target?.startsWith("src/")) return [];
    const [from, to] = [roomOf(entry.file), roomOf(entry.target)];
    if (from === to || from === "book" || ![from, to].some((room) => packages.includes(room))) return [];
    const instead = packages.includes(to)
      ? `Import it from "@tsbuilder/${to}" or one of the paths in "exports" of src/${to}/package.json`
      : `A published package has no src/${to}: move what it needs into src/${from}`;
    return [`${describe(entry)}, by a path that leaves its package. ${instead}`];
  });
}

/** A sentence for each import of the TypeScript compiler outside of the folder that may import it; the book may, too. */
export function explainCompilerUsers(imports: readonly SourceImport[]): string[] {
  return imports
    .filter(
      ({ file, specifier }) =>
        specifier === "typescript" && !/^src\/(?:generators\/loader|book)\//.test(file),
    )
    .map(
      (entry) =>
        `${describe(entry)}, but only src/generators/loader may: loading the compiler costs more than most commands. ` +
        "Ask the loader for what you need",
    );
}

/** A sentence for each source that imports a test. */
export function explainImportedTests(imports: readonly SourceImport[]): string[] {
  return imports
    .filter(({ specifier }) => /\.test\b/.test(specifier))
    .map((entry) => `${describe(entry)}, a test. Move what both need into a file of its own`);
}

function roomOf(file: string): string {
  return file.split("/")[1]!;
}

function targetRoom({ specifier, target }: SourceImport): string | undefined {
  if (target) return target.startsWith("src/") ? roomOf(target) : undefined;
  return /^@tsbuilder\/([a-z]+)/.exec(specifier)?.[1];
}

function describe({ file, specifier, target }: SourceImport): string {
  return `${file} imports ${target ?? specifier}`;
}
