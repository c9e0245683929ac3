import { forbidden, required } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { ApiObject } from "../../contract/api-object.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { text } from "../cells.ts";
import { addFinalizer } from "../fill-in.ts";
import type { Problems } from "../checks/problems.ts";
import { classParameters, driverOfClass } from "./storage-class.ts";

export const volumeAttributesClass: BuiltInKind = {
  resource: "volumeattributesclasses.storage.k8s.io",
  metadataChecks: { update: ["update", "new"] },
  strategy: {
    returnsDeleted: true,
    prepareForCreate: (object) => addFinalizer(object, "kubernetes.io/vac-protection"),
    validate: (object) => [...classProblems(object)],
    validateUpdate: (object, old) => [...classChanges(object, old), ...classProblems(object)],
  },
  cells: { DriverName: text("driverName") },
  zeroValues: { driverName: "" },
};

type VolumeAttributesClass = ApiObject & {
  driverName?: string;
  parameters?: Readonly<Record<string, string>>;
};

function* classProblems({ driverName, parameters = {} }: VolumeAttributesClass): Problems {
  yield* driverOfClass("driverName", driverName);
  yield* classParameters(parameters);
  if (Object.keys(parameters).length === 0) {
    yield required("parameters", "must contain at least one key/value pair");
  }
}

function* classChanges(object: VolumeAttributesClass, old: VolumeAttributesClass): Problems {
  for (const field of ["driverName", "parameters"] as const) {
    if (!isEqual(object[field], old[field])) yield forbidden(field, `updates to ${field} are forbidden.`);
  }
}
