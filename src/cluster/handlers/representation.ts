import type { TableColumns } from "../registry/table-columns.ts";
import type { Entry } from "../storage/entry.ts";
import { notAcceptable, StatusError } from "../contract/status-error.ts";
import type { Target } from "./target.ts";

/** The requested form of objects: whole objects, rows of a Table, or only their metadata. */
export interface Representation {
  readonly form: "object" | "table" | "partial";
  /** The version of meta.k8s.io for Tables and PartialObjectMetadata. */
  readonly metaVersion: string;
  readonly yaml: boolean;
}

const plain: Representation = { form: "object", metaVersion: "v1", yaml: false };
const mediaTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];

/** Returns the first clause of an Accept header that the server supports. */
export function negotiate(accept: string | undefined, target: Target, forWatch = false): Representation {
  if (!accept) return plain;
  let readable = false;
  for (const clause of accept.split(",")) {
    const [type = "", ...parameters] = clause.split(";").map((part) => part.trim());
    const mediaType = type.toLowerCase();
    if (!["application/json", "application/*", "*/*", "application/yaml"].includes(mediaType)) continue;
    readable = true;
    const yaml = mediaType === "application/yaml";
    if (yaml && forWatch) continue;
    const options = new Map(parameters.map((parameter) => parameter.split("=") as [string, string]));
    const as = options.get("as");
    if (as === undefined) return { ...plain, yaml };
    const metaVersion = options.get("v") ?? "v1";
    if (options.get("g") !== "meta.k8s.io" || !["v1", "v1beta1"].includes(metaVersion)) continue;
    if (as === "Table" && target.served.columns) return { form: "table", metaVersion, yaml };
    if (as === "PartialObjectMetadata" || as === "PartialObjectMetadataList") {
      return { form: "partial", metaVersion, yaml };
    }
  }
  const served = target.resource.custom ? mediaTypes.slice(0, 2) : mediaTypes;
  throw readable ? notAcceptable(served) : unreadable(served);
}

/** The client accepts none of the supported media types; the error also lists those of watches. */
function unreadable(served: readonly string[]): StatusError {
  const streams = served.filter((type) => !type.endsWith("yaml")).map((type) => `${type};stream=watch`);
  const all = [...served, ...streams].join(", ");
  return new StatusError(
    406,
    "NotAcceptable",
    `406: Not Acceptable\n\nAvailable representations: ${all}`,
    {},
  );
}

/** The PartialObjectMetadata of an object. */
export function partialOf(entry: Entry, metaVersion: string): unknown {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${metaVersion}`,
    metadata: entry.object.metadata,
  };
}

export interface TableOptions {
  readonly metaVersion: string;
  /** How much of each object its row includes. */
  readonly include: "None" | "Metadata" | "Object";
  readonly now: number;
  readonly withDefinitions: boolean;
  readonly metadata: object;
}

/** A Table of objects, as `kubectl get` prints it. */
export function tableOf(entries: readonly Entry[], target: Target, options: TableOptions): unknown {
  const columns = target.served.columns!;
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${options.metaVersion}`,
    metadata: options.metadata,
    columnDefinitions: options.withDefinitions ? columns.definitions : null,
    rows: entries.map((entry) => rowOf(entry, columns, options)),
  };
}

function rowOf(entry: Entry, columns: TableColumns, { include, metaVersion, now }: TableOptions): unknown {
  const { object } = entry;
  const conditions = columns.rowConditions?.(object);
  const shown = include === "None" ? null : include === "Object" ? object : partialOf(entry, metaVersion);
  return { cells: columns.cells(object, now), ...(conditions && { conditions }), object: shown };
}
