import type { ObjectReference } from "@tsbuilder/apimachinery/k8s/core/v1";
import { fieldText } from "../../../registry/field-text.ts";
import { ageOf } from "../../../registry/format-age.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { count, readField, text } from "../../cells/read-field.ts";
import { eventTo } from "./conversion.ts";
import { eventStrategy } from "./strategy.ts";

function sourceCell(object: object): string {
  const first = (...paths: string[]): string => paths.map((path) => text(path)(object)).find(Boolean) ?? "";
  const component = first(
    "source.component",
    "deprecatedSource.component",
    "reportingComponent",
    "reportingController",
  );
  const instance = first("source.host", "deprecatedSource.host", "reportingInstance");
  return instance === "" ? component : `${component}, ${instance}`;
}

export const event: BuiltInKind = {
  resource: "events",
  metadataChecks: "none/none/none",
  strategy: eventStrategy,
  cells: {
    "Last Seen": (object, now) =>
      ageOf(
        readField<string>(object, "series.lastObservedTime") ??
          readField<string>(object, "lastTimestamp") ??
          readField<string>(object, "deprecatedLastTimestamp") ??
          readField<string>(object, "eventTime"),
        now,
      ),
    Type: text("type"),
    Reason: text("reason"),
    Object: (object) => {
      const about =
        readField<ObjectReference>(object, "involvedObject") ??
        readField<ObjectReference>(object, "regarding");
      return `${(about?.kind ?? "").toLowerCase()}/${about?.name ?? ""}`;
    },
    Subobject: (object) => text("involvedObject.fieldPath")(object) || text("regarding.fieldPath")(object),
    Source: sourceCell,
    Message: (object) => (text("message")(object) || text("note")(object)).trim(),
    "First Seen": (object, now) =>
      ageOf(readField<string>(object, "firstTimestamp") ?? readField<string>(object, "eventTime"), now),
    Count: (object) =>
      count("series.count")(object) || count("count")(object) || count("deprecatedCount")(object) || 1,
  },
  selectors: {
    source: (object) => {
      const source = fieldText(object, "source.component");
      return source === "" ? fieldText(object, "reportingComponent") : source;
    },
  },
  emptyObject: {
    involvedObject: {},
    source: {},
    metadata: {},
    eventTime: null,
    firstTimestamp: null,
    lastTimestamp: null,
    reportingComponent: "",
    reportingInstance: "",
  },
  convert: eventTo,
};
