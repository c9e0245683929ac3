import { formatAge } from "@tsbuilder/apimachinery/text";
import { readPath } from "@tsbuilder/apimachinery/json";
import type { CRDVersion, PrinterColumn } from "@tsbuilder/apimachinery/crd";
import type { Cell, TableColumns } from "../registry/resource.ts";
import type { ApiObject } from "../contract/api-object.ts";
import type { CustomResourceDefinition } from "../kinds/apiextensions/custom-resource-definition.ts";

const nameDescription = "Name of the object, unique among those of its kind in a namespace.";
const ageColumn: PrinterColumn = { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" };

/** The columns of a CRD version: the name, then its `additionalPrinterColumns`; without any, the age. */
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
      ...columns.map((column) => readCell(column, object, now)),
    ],
  };
}

function readCell({ type, jsonPath }: PrinterColumn, object: ApiObject, now: number): Cell {
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
      return values.map(textOf).join(",");
  }
}

/** The selectable fields of a CRD; scalars are compared as text. */
export function selectableFields({
  spec,
}: CustomResourceDefinition): ReadonlyMap<string, (object: ApiObject) => string> {
  const paths = spec.versions.flatMap(({ selectableFields: fields = [] }) =>
    fields.map(({ jsonPath }) => jsonPath),
  );
  return new Map(
    paths.map(
      (path) => [path.replace(/^\./, ""), (object) => readPath(object, path).map(textOf).join(",")] as const,
    ),
  );
}

/** Formats a selected value. Lists and objects, which only another version can have stored, are compared as JSON. */
function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
