import type { Scale } from "@tsbuilder/apimachinery/k8s/autoscaling/v1";
import { ageOf } from "../registry/format-age.ts";
import type { Cell, ColumnDefinition, TableColumns } from "../registry/table-columns.ts";
import type { Target } from "./target.ts";

/** The columns of what an endpoint answers with; undefined if it has no Table. */
export function columnsOf({ resource, served, subresource }: Target): TableColumns | undefined {
  if (subresource === "") return served.columns;
  if (subresource === "scale") return resource.custom ? columnsOfCustomScale : columnsOfScale;
  const hasTable = subresource === "status" && (resource.custom || !withoutStatusTable.has(resource.plural));
  return hasTable ? served.columns : undefined;
}

/** Built-in kinds whose `/status` has no Table. */
const withoutStatusTable = new Set(["apiservices", "customresourcedefinitions", "resourceclaims"]);

/** The real server has a printer of its own for the Scales of built-in kinds. */
const columnsOfScale = scaleColumns({ nameFormat: "", ageType: "string", none: 0 });
const columnsOfCustomScale = scaleColumns({ nameFormat: "name", ageType: "date", none: null });

function scaleColumns({
  nameFormat,
  ageType,
  none,
}: {
  nameFormat: string;
  ageType: ColumnDefinition["type"];
  /** The cell of replicas that a Scale leaves out. */
  none: Cell;
}): TableColumns {
  return {
    definitions: [
      column("Name", "string", nameFormat),
      column("Desired", "integer"),
      column("Available", "integer"),
      column("Age", ageType),
    ],
    cells(object, now) {
      const { spec, status } = object as Scale;
      const { metadata } = object;
      return [
        metadata.name ?? "",
        spec?.replicas ?? none,
        status?.replicas ?? 0,
        ageOf(metadata.creationTimestamp, now),
      ];
    },
  };
}

function column(name: string, type: ColumnDefinition["type"], format = ""): ColumnDefinition {
  return { name, type, format, description: `${name} of the Scale.`, priority: 0 };
}
