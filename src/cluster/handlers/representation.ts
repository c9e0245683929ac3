import { ageOf } from "@tsbuilder/apimachinery/text";
import type { Scale } from "@tsbuilder/apimachinery/k8s/autoscaling/v1";
import type { Entry } from "../storage/entry.ts";
import { StatusError, badRequest, notAcceptable } from "../contract/status-error.ts";
import { type Reply, type RequestContext, readAccept, valueReply } from "../http/request-context.ts";
import type { Cell, ColumnDefinition, TableColumns, Verb } from "../registry/resource.ts";
import type { Target } from "./target.ts";

/** How a client asks for objects: whole, as rows of a Table, or only their metadata (`partial`). */
export interface Representation {
  readonly form: "object" | "table" | "partial";
  /** True for PartialObjectMetadataList, false for PartialObjectMetadata. */
  readonly ofList?: boolean;
  /** The version of meta.k8s.io for Tables and PartialObjectMetadata. */
  readonly metaVersion: string;
  readonly yaml: boolean;
}

const wholeObject: Representation = { form: "object", metaVersion: "v1", yaml: false };
const mediaTypes = ["application/json", "application/yaml", "application/vnd.kubernetes.protobuf"];
const watchTypes = ["application/json;stream=watch", "application/vnd.kubernetes.protobuf;stream=watch"];

/** Returns the first representation in an Accept header that the server supports. Throws a 406 if there is none. */
export function negotiate(accept: string | undefined, target: Target, verb?: Verb): Representation {
  if (!accept) return wholeObject;
  const clauses = readAccept(accept);
  for (const { yaml, options } of clauses) {
    if (yaml && verb === "watch") continue;
    const as = options.get("as");
    if (as === undefined) return { ...wholeObject, yaml };
    const metaVersion = options.get("v") ?? "v1";
    if (options.get("g") !== "meta.k8s.io" || !["v1", "v1beta1"].includes(metaVersion)) continue;
    if (as === "Table" && columnsOf(target)) return { form: "table", metaVersion, yaml };
    if (as === "PartialObjectMetadata" || as === "PartialObjectMetadataList") {
      return { form: "partial", ofList: as.endsWith("List"), metaVersion, yaml };
    }
  }
  if (clauses.length === 0 && !target.resource.custom) throw notRouted(verb);
  throw notAcceptable(verb === "watch" ? watchTypes : mediaTypes);
}

/** The error of the router, which only built-in kinds have; routes of lists offer watch types, too. */
function notRouted(verb: Verb | undefined): StatusError {
  const types = [...mediaTypes, ...(verb === "list" ? watchTypes : [])];
  const message = `406: Not Acceptable\n\nAvailable representations: ${types.join(", ")}`;
  return new StatusError(406, "NotAcceptable", message, {});
}

/** Negotiates the form of a response. Refuses PartialObjectMetadata for a list, and its list for an object. */
export function representationOf(context: RequestContext, target: Target, isList: boolean): Representation {
  const representation = negotiate(context.request.headers.accept, target);
  const { form, ofList } = representation;
  if (form !== "partial" || ofList === isList) return representation;
  const { resource, subresource } = target;
  if (resource.custom && !isList && subresource !== "scale") {
    throw new StatusError(500, undefined, "content is not a list");
  }
  const why = isList
    ? "PartialObjectMetadata, but the requested object is a list"
    : "PartialObjectMetadataList, but the requested object is not a list";
  throw new StatusError(406, "NotAcceptable", `you requested ${why} (*${goTypeOf(target, isList)})`);
}

/** The Go type of a response. Events of both groups are core Events. */
function goTypeOf({ resource, subresource }: Target, isList: boolean): string {
  const { custom, kindGroup, kind, listKind } = resource;
  if (subresource === "scale") return custom ? "v1.Scale" : "autoscaling.Scale";
  if (custom) return "unstructured.UnstructuredList";
  const [firstLabel] = (kindGroup ?? resource.group).split(".");
  return `${firstLabel || "core"}.${isList ? listKind : kind}`;
}

/** The response with one object, in the media type that the client accepts. */
export function replyObject(context: RequestContext, target: Target, entry: Entry, code = 200): Reply {
  const representation = representationOf(context, target, false);
  const { form, yaml } = representation;
  if (form === "object" && !yaml) return { code, contentType: "application/json", body: entry.bytes };
  return valueReply(represent(context, target, entry, representation), yaml, code);
}

/** Returns an object in the form that the client asks for. */
function represent(
  context: RequestContext,
  target: Target,
  entry: Entry,
  { form, metaVersion }: Representation,
): unknown {
  if (form === "object") return entry.object;
  if (form === "partial") return partialOf(entry, target, metaVersion);
  return tableOf([entry], target, {
    metaVersion,
    include: includeObjectOf(context.query),
    now: target.core.clock.now(),
    withDefinitions: true,
    metadata: { resourceVersion: entry.object.metadata.resourceVersion },
  });
}

/** The contents of a Table besides the cells of its rows. */
interface TableOptions {
  readonly metaVersion: string;
  /** How much of each object its row includes. */
  readonly include: "None" | "Metadata" | "Object";
  readonly now: number;
  /** True for a list, and for the first event of a watch. */
  readonly withDefinitions: boolean;
  readonly metadata: object;
}

/** Reads how much of each object the rows of a Table include. */
export function includeObjectOf(query: URLSearchParams): TableOptions["include"] {
  const value = query.get("includeObject") || "Metadata";
  if (value === "None" || value === "Metadata" || value === "Object") return value;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(value)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

/** Makes the PartialObjectMetadata of an object. */
export function partialOf({ object: { metadata } }: Entry, { resource }: Target, metaVersion: string) {
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${metaVersion}`,
    metadata: resource.strategy.partialMetadata?.(metadata) ?? metadata,
  };
}

/** Makes a Table of objects, as `kubectl get` prints it. */
export function tableOf(
  entries: readonly Entry[],
  target: Target,
  options: TableOptions,
): Readonly<Record<string, unknown>> {
  const columns = columnsOf(target)!;
  return {
    kind: "Table",
    apiVersion: `meta.k8s.io/${options.metaVersion}`,
    metadata: options.metadata,
    columnDefinitions: options.withDefinitions ? columns.definitions : null,
    rows: entries.map((entry) => rowOf(entry, target, options)),
  };
}

/** Makes the row of an object in a Table. */
export function rowOf(entry: Entry, target: Target, { include, metaVersion, now }: TableOptions): unknown {
  const { object } = entry;
  const columns = columnsOf(target)!;
  const conditions = columns.rowConditions?.(object);
  const shown =
    include === "None" ? null : include === "Object" ? object : partialOf(entry, target, metaVersion);
  return { cells: columns.cells(object, now), ...(conditions && { conditions }), object: shown };
}

/** Built-in kinds whose `/status` has no Table. */
const kindsWithoutStatusTable = new Set([
  "apiservices",
  "customresourcedefinitions",
  "devicetaintrules",
  "resourceclaims",
]);

/** The real server has a separate printer for the Scales of built-in kinds. */
const columnsOfScale = scaleColumns({ nameFormat: "", ageType: "string", none: 0 });
const columnsOfCustomScale = scaleColumns({ nameFormat: "name", ageType: "date", none: null });

/** Finds the columns of an endpoint's Table; undefined if it has none. */
function columnsOf({ resource, served, subresource }: Target): TableColumns | undefined {
  if (subresource === "") return served.columns;
  if (subresource === "scale") return resource.custom ? columnsOfCustomScale : columnsOfScale;
  const hasTable =
    subresource === "status" && (resource.custom || !kindsWithoutStatusTable.has(resource.plural));
  return hasTable ? served.columns : undefined;
}

/** The differences between the printers of built-in and custom Scales. */
interface ScalePrinter {
  readonly nameFormat: string;
  readonly ageType: ColumnDefinition["type"];
  /** The cell of replicas that a Scale omits. */
  readonly none: Cell;
}

function scaleColumns({ nameFormat, ageType, none }: ScalePrinter): TableColumns {
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
