import type { ApiObject } from "../contract/api-object.ts";

/** One column of a Table, as the server describes it. */
export interface ColumnDefinition {
  readonly name: string;
  readonly type: "string" | "integer" | "number" | "boolean" | "date";
  readonly format: string;
  readonly description: string;
  /** Above 0 the column shows in wide output only. */
  readonly priority: number;
}

export type Cell = string | number | boolean | null;

/** Fills one cell of a row. */
export type CellReader = (object: ApiObject, now: number) => Cell;

/** How objects of a kind show in `kubectl get`. */
export interface TableColumns {
  readonly definitions: readonly ColumnDefinition[];
  cells(object: ApiObject, now: number): Cell[];
  /** What a row says of its object besides the cells. */
  rowConditions?(object: ApiObject): readonly object[] | undefined;
}
