import type { BuiltinResource } from "@tsbuilder/apimachinery/kinds";
import { ageOf } from "../registry/format-age.ts";
import type { CellReader, TableColumns } from "../registry/table-columns.ts";
import { findKind } from "./find-kind.ts";

/** The Table form of a built-in kind: its columns come from the tables, its cells from readers by name. */
export function tableColumns(resource: BuiltinResource): TableColumns | undefined {
  const { kind, columns } = resource;
  if (columns.length === 0) return undefined;
  const { cells, cellsWithoutColumn = [], rowConditions } = findKind(resource) ?? {};
  const readers = [
    ...columns.map(({ name }) => cells?.[name] ?? common[name] ?? blank),
    ...cellsWithoutColumn,
  ];
  return {
    definitions: columns.map((column) => ({ ...column, description: describe(kind, column.name) })),
    cells: (object, now) => readers.map((read) => read(object, now)),
    ...(rowConditions && { rowConditions }),
  };
}

function describe(kind: string, column: string): string {
  return `${column} of the ${kind}.`;
}

const common: Readonly<Record<string, CellReader>> = {
  Name: ({ metadata }) => metadata.name ?? "",
  Age: ({ metadata }, now) => ageOf(metadata.creationTimestamp, now),
  // An object that is not stored, as that of a bookmark, has Go's first time.
  "Created At": ({ metadata }) => metadata.creationTimestamp ?? "0001-01-01T00:00:00Z",
};

const blank: CellReader = () => "";
