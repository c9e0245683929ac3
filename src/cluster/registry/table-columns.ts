import type { ApiObject } from "../contract/api-object.ts";

/** The definition of a Table column. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format: string;
  readonly description: string;
  /** Above 0, the column is shown only in wide output. */
  readonly priority: number;
}

export type Cell = string | number | boolean | null;

/** Computes one cell of a row. */
export type CellReader = (object: ApiObject, now: number) => Cell;

/** The columns and cells of a kind in `kubectl get`. */
export interface TableColumns {
  readonly definitions: readonly ColumnDefinition[];
  cells(object: ApiObject, now: number): Cell[];
  /** The conditions of a row, such as `Completed` for Pods. */
  rowConditions?(object: ApiObject): readonly object[] | undefined;
}
