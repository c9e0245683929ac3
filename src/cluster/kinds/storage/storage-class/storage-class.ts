import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField, text } from "../../cells/read-field.ts";
import { classChanges, classProblems } from "./rules.ts";

const storageClassStrategy: Partial<Strategy> = {
  returnsDeleted: true,
  default(object) {
    object["reclaimPolicy"] ??= "Delete";
    object["volumeBindingMode"] ??= "Immediate";
  },
  validate: (object) => [...classProblems(object)],
  validateUpdate: (object, old) => [...classProblems(object), ...classChanges(object, old)],
};

export const storageClass: BuiltInKind = {
  resource: "storageclasses.storage.k8s.io",
  metadataChecks: "new/new+update/update",
  strategy: storageClassStrategy,
  cells: {
    Name: (object) => {
      const annotations = readField<Record<string, string>>(object, "metadata.annotations") ?? {};
      const isDefault = annotations["storageclass.kubernetes.io/is-default-class"] === "true";
      return `${text("metadata.name")(object)}${isDefault ? " (default)" : ""}`;
    },
    Provisioner: text("provisioner"),
    ReclaimPolicy: (object) => readField<string>(object, "reclaimPolicy") ?? "Delete",
    VolumeBindingMode: (object) => readField<string>(object, "volumeBindingMode") ?? "Immediate",
    AllowVolumeExpansion: (object) => readField<boolean>(object, "allowVolumeExpansion") ?? false,
  },
  zeroValues: { provisioner: "" },
};
