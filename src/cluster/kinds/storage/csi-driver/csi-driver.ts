import { isEqual } from "@tsbuilder/apimachinery/json";
import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField, text } from "../../cells/read-field.ts";
import { fillIn } from "../../fill-in.ts";
import { type CSIDriver, driverChanges, driverProblems, driverWarnings } from "./rules.ts";

const csiDriverStrategy: Partial<Strategy> = {
  returnsDeleted: true,
  default(object) {
    fillIn(object["spec"], () => ({
      attachRequired: true,
      fsGroupPolicy: "ReadWriteOnceWithFSType",
      podInfoOnMount: false,
      requiresRepublish: false,
      seLinuxMount: false,
      storageCapacity: false,
    }));
    const { spec } = object as CSIDriver;
    if (spec && !spec.volumeLifecycleModes?.length) spec.volumeLifecycleModes = ["Persistent"];
  },
  prepareForCreate: (object) => dropGatedField(object),
  prepareForUpdate(object, old) {
    dropGatedField(object);
    // A new object has no generation, but changes count.
    if (isEqual(object["spec"], old["spec"])) return;
    object.metadata.generation = (old.metadata.generation ?? 0) + 1;
  },
  validate: (object) => [...driverProblems(object)],
  validateUpdate: (object, old) => [...driverProblems(object), ...driverChanges(object, old)],
  warnings: (object, old) => driverWarnings(object, old),
};

/** The feature of the field is off by default. */
function dropGatedField({ spec }: CSIDriver): void {
  delete spec?.preventPodSchedulingIfMissing;
}

export const csiDriver: BuiltInKind = {
  resource: "csidrivers.storage.k8s.io",
  strategy: csiDriverStrategy,
  cells: {
    AttachRequired: (object) => readField<boolean>(object, "spec.attachRequired") ?? true,
    PodInfoOnMount: (object) => readField<boolean>(object, "spec.podInfoOnMount") ?? false,
    StorageCapacity: (object) => readField<boolean>(object, "spec.storageCapacity") ?? false,
    TokenRequests: text("spec.tokenRequests", "<unset>"),
    RequiresRepublish: (object) => readField<boolean>(object, "spec.requiresRepublish") ?? false,
    Modes: (object) => (readField<string[]>(object, "spec.volumeLifecycleModes") ?? []).join(","),
  },
  emptyObject: { spec: {} },
};
