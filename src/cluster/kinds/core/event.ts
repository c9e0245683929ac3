import { ageOf } from "@tsbuilder/apimachinery/text";
import type { Event, ObjectReference } from "@tsbuilder/apimachinery/k8s/core/v1";
import { isEqual, isObject } from "@tsbuilder/apimachinery/json";
import { type FieldError, invalid, invalidStruct, required } from "@tsbuilder/apimachinery/errors";
import { checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import { type Resource, fieldText, type CellReader } from "../../registry/resource.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { count, readField, text } from "../cells.ts";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import { runCheck } from "../../registry/validate-metadata.ts";
import { toGoStruct } from "../checks/go-struct.ts";
import { type Problems, checked } from "../checks/problems.ts";

export const event: BuiltInKind = {
  resource: "events",
  metadataChecks: { create: [], update: [], status: [] },
  strategy: {
    validate: (object, { resource }) => [...newEventProblems(object, resource)],
    validateUpdate: (object, old, { resource }) => [...eventChangeProblems(object, old, resource)],
  },
  cells: {
    "Last Seen": ageSince("series.lastObservedTime", "lastTimestamp", "deprecatedLastTimestamp", "eventTime"),
    Type: text("type"),
    Reason: text("reason"),
    Object: (object) => {
      const about =
        readField<ObjectReference>(object, "involvedObject") ??
        readField<ObjectReference>(object, "regarding");
      return `${(about?.kind ?? "").toLowerCase()}/${about?.name ?? ""}`;
    },
    Subobject: firstText("involvedObject.fieldPath", "regarding.fieldPath"),
    Source: reporterCell,
    Message: (object) => firstText("message", "note")(object).trim(),
    "First Seen": ageSince("firstTimestamp", "eventTime"),
    Count: (object) =>
      count("series.count")(object) || count("count")(object) || count("deprecatedCount")(object) || 1,
  },
  selectors: {
    source: (object) => {
      const source = fieldText(object, "source.component");
      return source === "" ? fieldText(object, "reportingComponent") : source;
    },
  },
  convert: convertEvent,
};

/** The core group's Events with the field names of events.k8s.io. */
export const eventOfEventsGroup: BuiltInKind = {
  ...event,
  resource: "events.events.k8s.io",
};

/** The fields with different names in the two groups: core's first. */
const renamedFields = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
] as const;

/** Converts an Event between core and events.k8s.io, which have the same Events. */
function convertEvent(event: ApiObject, apiVersion: string): ApiObject {
  const names = new Map<string, string>(
    renamedFields.map(([core, events]) => (apiVersion === "v1" ? [events, core] : [core, events])),
  );
  const fields = Object.entries(event).map(([field, value]) => [names.get(field) ?? field, value]);
  const converted = { ...(Object.fromEntries(fields) as ApiObject), kind: "Event", apiVersion };
  if (apiVersion !== "v1") dropEmptyReporter(converted);
  return converted;
}

/** Drops fields that Go serializes in the core group even if empty, but not in events.k8s.io. */
function dropEmptyReporter(event: ApiObject): void {
  for (const field of ["reportingController", "reportingInstance"]) {
    if (event[field] === "") delete event[field];
  }
}

type SentEvent = ApiObject & Sent<Omit<Event, "metadata">>;

/** Validates a new Event. Those of events.k8s.io have more rules. */
function* newEventProblems(object: ApiObject, resource: Resource): Problems {
  const event: SentEvent = convertEvent(object, "v1");
  yield* namespaceAndReporterProblems(event, object.apiVersion);
  if (object.apiVersion === "v1") return;
  yield* runCheck("new", object, object, resource);
  yield* seriesProblems(event);
  if (!event.eventTime) yield required("eventTime");
  const { type = "", source = {} } = event;
  // The server shows none of these values.
  if (type !== "Normal" && type !== "Warning") yield invalid("type", "", `has invalid value: ${type}`);
  for (const field of ["firstTimestamp", "lastTimestamp", "count"] as const) {
    if (event[field]) yield mustBeUnset(field);
  }
  if (source.component || source.host) yield mustBeUnset("source");
}

/** The fields that don't change, with their empty values and the server's names for them. */
const immutableFields: ReadonlyArray<readonly [field: string, empty: unknown, shown?: string]> = [
  ["involvedObject", {}],
  ["reason", ""],
  ["message", ""],
  ["source", {}],
  ["firstTimestamp", null],
  ["lastTimestamp", null],
  ["count", 0],
  // The server reports it twice.
  ["reason", ""],
  ["type", ""],
  ["eventTime", null],
  ["action", ""],
  ["related", null],
  ["reportingComponent", "", "reportingController"],
  ["reportingInstance", ""],
];

/** Validates a change of an Event: of those of events.k8s.io only the series changes. */
function* eventChangeProblems(object: ApiObject, old: ApiObject, resource: Resource): Problems {
  const [now, before]: SentEvent[] = [convertEvent(object, "v1"), convertEvent(old, "v1")];
  yield* namespaceAndReporterProblems(now!, object.apiVersion);
  if (object.apiVersion === "v1") return;
  yield* runCheck("update", object, old, resource);
  if (!isEqual(now!.series ?? null, before!.series ?? null)) yield* seriesProblems(now!);
  for (const [field, empty, shown = field] of immutableFields) {
    const [value, oldValue] = [now![field] ?? empty, before![field] ?? empty];
    if (!isEqual(value, oldValue))
      yield invalidStruct(shown, structInMessage(value) as object, "field is immutable");
  }
}

/** Messages show the server's Go struct of a reference or a source, whose fields have other names. */
function structInMessage(value: unknown): unknown {
  if (!isObject(value)) return value;
  const isSource = "component" in value || "host" in value;
  return toGoStruct(value, isSource ? "core/v1.EventSource" : "core/v1.ObjectReference");
}

function mustBeUnset(field: string): FieldError {
  return invalid(field, "", "needs to be unset");
}

function* seriesProblems({ series }: SentEvent): Problems {
  if (!series) return;
  if ((series.count ?? 0) < 2) yield invalid("series.count", "", "should be at least 2");
  if (!series.lastObservedTime) yield required("series.lastObservedTime");
}

/** The checks of both groups. The server takes an Event without eventTime for one of the old kind, which needs no reporter. */
function* namespaceAndReporterProblems(event: SentEvent, apiVersion: string): Problems {
  const { namespace = "" } = event.metadata;
  const about = event.involvedObject?.namespace ?? "";
  const allowedNamespaces = event.eventTime ? ["default", "kube-system"] : ["", "default"];
  const isAllowed =
    about === "" ? allowedNamespaces.includes(namespace) : Boolean(event.eventTime) || about === namespace;
  if (!isAllowed) yield invalid("involvedObject.namespace", about, "does not match event.namespace");
  if (!event.eventTime) return;
  const { reportingComponent = "", reportingInstance = "", action = "", reason = "", message = "" } = event;
  const reporter = apiVersion === "v1" ? "reportingComponent" : "reportingController";
  if (reportingComponent === "") yield required(reporter);
  yield* checked(reporter, reportingComponent, checkQualifiedName);
  for (const [field, text] of Object.entries({ reportingInstance, action, reason })) {
    if (text === "") yield required(field);
    yield* lengthProblems(field, text, 128);
  }
  yield* lengthProblems("message", message, 1024);
}

function* lengthProblems(field: string, text: string, most: number): Problems {
  if (Buffer.byteLength(text) > most) yield invalid(field, "", `can have at most ${most} characters`);
}

function reporterCell(object: object): string {
  const component = firstText("source.component", "deprecatedSource.component")(object);
  const reporter = component || firstText("reportingComponent", "reportingController")(object);
  const instance = firstText("source.host", "deprecatedSource.host", "reportingInstance")(object);
  return instance === "" ? reporter : `${reporter}, ${instance}`;
}

/** A cell with the first of some fields that has a text. */
function firstText(...paths: string[]): (object: object) => string {
  return (object) => paths.map((path) => text(path)(object)).find(Boolean) ?? "";
}

function ageSince(...paths: string[]): CellReader {
  const first = firstText(...paths);
  return (object, now) => ageOf(first(object), now);
}
