import type { CRDVersion, PrinterColumn } from "@tsbuilder/apimachinery/crd";
import type { ApiObject } from "../contract/api-object.ts";
import { formatAge } from "../registry/format-age.ts";
import type { Cell, TableColumns } from "../registry/table-columns.ts";
import { readPath } from "./json-path.ts";

const ageColumn: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/** The columns of a CRD version: the name, then its `additionalPrinterColumns`. Default: the age. */
export function customColumns({ additionalPrinterColumns }: CRDVersion): TableColumns {
  const columns = additionalPrinterColumns?.length ? additionalPrinterColumns : [ageColumn];
  return {
    definitions: [
      { name: "Name", type: "string", format: "name", description: nameDescription, priority: 0 },
      ...columns.map((column) => ({
        name: column.name,
        type: column.type as "string",
        format: column.format ?? "",
        description:
          column.description ?? `Custom resource definition column (in JSONPath format): ${column.jsonPath}`,
        priority: column.priority ?? 0,
      })),
    ],
    cells: (object, now) => [
      object.metadata.name ?? "",
      ...columns.map((column) => cellOf(column, object, now)),
    ],
  };
}

const nameDescription = "Name of the object, unique among those of its kind in a namespace.";

function cellOf({ type, jsonPath }: PrinterColumn, object: ApiObject, now: number): Cell {
  const values = readPath(object, jsonPath);
  const [value] = values;
  if (value === undefined) return null;
  switch (type) {
    case "integer":
      return typeof value === "number" ? Math.trunc(value) : null;
    case "number":
      return typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      if (typeof value !== "string") return null;
      return value === "" ? "<unknown>" : formatAge(value, now);
    default:
      return values.map((each) => (typeof each === "string" ? each : JSON.stringify(each))).join(",");
  }
}
