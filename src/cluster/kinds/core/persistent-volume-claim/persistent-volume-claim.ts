import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField, text } from "../../cells/read-field.ts";
import { accessModes } from "../access-modes.ts";
import { claimStrategy } from "./strategy.ts";

export const persistentVolumeClaim: BuiltInKind = {
  resource: "persistentvolumeclaims",
  metadataChecks: "new/update+new/update",
  strategy: { ...claimStrategy, statusWritesMetadata: true, returnsDeleted: true },
  cells: {
    Status: (object) =>
      readField(object, "metadata.deletionTimestamp") ? "Terminating" : text("status.phase")(object),
    Volume: text("spec.volumeName"),
    Capacity: (object) =>
      readField(object, "spec.volumeName") ? text("status.capacity.storage")(object) : "",
    "Access Modes": (object) => (readField(object, "spec.volumeName") ? accessModes(object, "status") : ""),
    StorageClass: text("spec.storageClassName"),
    VolumeAttributesClass: text("spec.volumeAttributesClassName", "<unset>"),
    VolumeMode: text("spec.volumeMode", "<unset>"),
  },
  emptyObject: { spec: { resources: {} }, status: {} },
};
