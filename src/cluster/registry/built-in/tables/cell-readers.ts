import { coreCells } from "./core-cells.ts";
import { otherCells } from "./other-cells.ts";
import { podCells } from "./pod-cells.ts";
import type { CellReader } from "./table-columns.ts";
import { workloadCells } from "./workload-cells.ts";

/** What stands in the columns of each kind; `Name` and `Age` are common to all. */
export const cellReaders: Readonly<Record<string, Readonly<Record<string, CellReader>>>> = {
  Pod: podCells,
  ...coreCells,
  ...workloadCells,
  ...otherCells,
};
