import { coreCells } from "../kinds/cells/core-cells.ts";
import { otherCells } from "../kinds/cells/other-cells.ts";
import { podCells } from "../kinds/cells/pod-cells.ts";
import type { CellReader } from "../registry/table-columns.ts";
import { workloadCells } from "../kinds/cells/workload-cells.ts";

/** What stands in the columns of each kind; `Name` and `Age` are common to all. */
export const cellReaders: Readonly<Record<string, Readonly<Record<string, CellReader>>>> = {
  Pod: podCells,
  ...coreCells,
  ...workloadCells,
  ...otherCells,
};
