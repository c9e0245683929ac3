import type { Event } from "@tsbuilder/apimachinery/k8s/core/v1";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { type FieldError, invalid, invalidStruct, required } from "@tsbuilder/apimachinery/errors";
import { checkQualifiedName } from "@tsbuilder/apimachinery/naming";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { Sent } from "../../../contract/sent.ts";
import type { Resource } from "../../../registry/resource.ts";
import { runCheck } from "../../../registry/validate-metadata.ts";
import { type Problems, refused } from "../../checks/problems.ts";
import { eventTo } from "./conversion.ts";

type SentEvent = ApiObject & Sent<Omit<Event, "metadata">>;

/** Validates a new Event. Those of events.k8s.io have more rules. */
export function* newEvent(object: ApiObject, resource: Resource): Problems {
  const event: SentEvent = eventTo(object, "v1");
  yield* placeAndReporter(event, object.apiVersion);
  if (object.apiVersion === "v1") return;
  yield* runCheck("new", object, object, resource);
  yield* seriesProblems(event);
  if (!event.eventTime) yield required("eventTime");
  const { type = "", source = {} } = event;
  // The server shows none of these values.
  if (type !== "Normal" && type !== "Warning") yield invalid("type", "", `has invalid value: ${type}`);
  if (event.firstTimestamp) yield unset("firstTimestamp");
  if (event.lastTimestamp) yield unset("lastTimestamp");
  if (event.count) yield unset("count");
  if (source.component || source.host) yield unset("source");
}

/** Validates a change of an Event: of those of events.k8s.io only the series changes. */
export function* changedEvent(object: ApiObject, old: ApiObject, resource: Resource): Problems {
  const [now, before]: SentEvent[] = [eventTo(object, "v1"), eventTo(old, "v1")];
  yield* placeAndReporter(now!, object.apiVersion);
  if (object.apiVersion === "v1") return;
  yield* runCheck("update", object, old, resource);
  if (!isEqual(now!.series ?? null, before!.series ?? null)) yield* seriesProblems(now!);
  for (const [field, empty, shown = field] of fixed) {
    const [value, was] = [now![field] ?? empty, before![field] ?? empty];
    if (!isEqual(value, was)) yield invalidStruct(shown, asGo(value), "field is immutable");
  }
}

/** The fields that don't change, with their empty values and the server's names for them. */
const fixed: ReadonlyArray<readonly [field: string, empty: unknown, shown?: string]> = [
  ["involvedObject", {}],
  ["reason", ""],
  ["message", ""],
  ["source", {}],
  ["firstTimestamp", null],
  ["lastTimestamp", null],
  ["count", 0],
  ["reason", ""],
  ["type", ""],
  ["eventTime", null],
  ["action", ""],
  ["related", null],
  ["reportingComponent", "", "reportingController"],
  ["reportingInstance", ""],
];

/** The server shows its own structs here, whose fields have other names. */
function asGo(value: unknown): object {
  if (typeof value !== "object" || value === null) return value as object;
  const names = "component" in value || "host" in value ? ["component", "host"] : referenceFields;
  return Object.fromEntries(
    names.map((name) => [
      goNames[name] ?? `${name[0]!.toUpperCase()}${name.slice(1)}`,
      readText(value, name),
    ]),
  );
}

const referenceFields = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];
const goNames: Readonly<Record<string, string>> = { uid: "UID", apiVersion: "APIVersion" };

function readText(value: object, name: string): string {
  return (value as Record<string, string | undefined>)[name] ?? "";
}

function unset(field: string): FieldError {
  return invalid(field, "", "needs to be unset");
}

function* seriesProblems({ series }: SentEvent): Problems {
  if (!series) return;
  if ((series.count ?? 0) < 2) yield invalid("series.count", "", "should be at least 2");
  if (!series.lastObservedTime) yield required("series.lastObservedTime");
}

function* placeAndReporter(event: SentEvent, apiVersion: string): Problems {
  const { namespace = "" } = event.metadata;
  const about = event.involvedObject?.namespace ?? "";
  const homes = event.eventTime ? ["default", "kube-system"] : ["", "default"];
  const isAtHome = about === "" ? homes.includes(namespace) : Boolean(event.eventTime) || about === namespace;
  if (!isAtHome) yield invalid("involvedObject.namespace", about, "does not match event.namespace");
  if (!event.eventTime) return;
  const { reportingComponent = "", reportingInstance = "", action = "", reason = "", message = "" } = event;
  const reporter = apiVersion === "v1" ? "reportingComponent" : "reportingController";
  if (reportingComponent === "") yield required(reporter);
  yield* refused(reporter, reportingComponent, checkQualifiedName(reportingComponent));
  for (const [field, text] of Object.entries({ reportingInstance, action, reason })) {
    if (text === "") yield required(field);
    yield* atMost(field, text, 128);
  }
  yield* atMost("message", message, 1024);
}

function* atMost(field: string, text: string, most: number): Problems {
  if (Buffer.byteLength(text) > most) yield invalid(field, "", `can have at most ${most} characters`);
}
