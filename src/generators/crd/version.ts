import type { DiagnosticLog } from "../diagnostic.ts";
import type { Marker } from "../markers/collect.ts";
import { type MarkerArguments, text } from "../markers/definition.ts";
import type { Schema } from "../schema/schema.ts";
import type { KindVersion } from "./find-kinds.ts";

/** An entry in a CRD's `versions`. */
export interface CrdVersion {
  name: string;
  served: boolean;
  storage: boolean;
  deprecated?: true | undefined;
  deprecationWarning?: string | undefined;
  additionalPrinterColumns?: readonly object[] | undefined;
  selectableFields?: readonly { jsonPath: string }[] | undefined;
  schema: { openAPIV3Schema: Schema };
  subresources?: object | undefined;
}

/** Builds the entry of a version from the markers of its kind. */
export function crdVersion(kind: KindVersion, schema: Schema, log: DiagnosticLog): CrdVersion {
  const all = (name: string): readonly Marker[] => kind.markers.filter((marker) => marker.name === name);
  const first = (name: string): Marker | undefined => all(name)[0];
  const deprecated = first("kubebuilder:deprecatedversion");
  const columns = all("kubebuilder:printcolumn").map(({ args }) => column(args));
  const fields = all("kubebuilder:selectablefield").map(({ args }) => ({
    jsonPath: text(args, "JSONPath"),
  }));
  for (const marker of [...all("kubebuilder:printcolumn"), ...all("kubebuilder:selectablefield")]) {
    const path = text(marker.args, "JSONPath");
    if (!path.startsWith("."))
      log.error(marker.place, `the JSONPath "${path}" must start with a dot`, `use .${path}`);
  }
  return {
    name: kind.version,
    served: !first("kubebuilder:unservedversion"),
    storage: first("kubebuilder:storageversion") !== undefined,
    deprecated: deprecated && true,
    deprecationWarning: deprecated?.args["warning"] as string | undefined,
    additionalPrinterColumns: columns.length > 0 ? columns : undefined,
    selectableFields: fields.length > 0 ? fields : undefined,
    schema: { openAPIV3Schema: schema },
    subresources: subresources(
      first("kubebuilder:subresource:status"),
      first("kubebuilder:subresource:scale"),
      columns.length > 0,
    ),
  };
}

function column(args: MarkerArguments): object {
  return {
    name: args["name"],
    type: args["type"],
    jsonPath: args["JSONPath"],
    description: args["description"] || undefined,
    format: args["format"] || undefined,
    priority: args["priority"] || undefined,
  };
}

/** With a printer column, controller-gen writes an empty `subresources`; so does this. */
function subresources(
  status: Marker | undefined,
  scale: Marker | undefined,
  hasColumns: boolean,
): object | undefined {
  if (!status && !scale) return hasColumns ? {} : undefined;
  return {
    status: status && {},
    scale: scale && {
      specReplicasPath: scale.args["specpath"],
      statusReplicasPath: scale.args["statuspath"],
      labelSelectorPath: scale.args["selectorpath"] || undefined,
    },
  };
}
