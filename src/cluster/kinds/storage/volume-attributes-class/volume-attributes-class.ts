import type { BuiltInKind } from "../../built-in-kind.ts";
import { text } from "../../cells/read-field.ts";

export const volumeAttributesClass: BuiltInKind = {
  resource: "volumeattributesclasses.storage.k8s.io",
  cells: { DriverName: text("driverName") },
};
