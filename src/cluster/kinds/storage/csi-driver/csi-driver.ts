import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField, text } from "../../cells/read-field.ts";
import { fillIn } from "../../fill-in.ts";

const csiDriverStrategy: Partial<Strategy> = {
  default: (object) =>
    fillIn(object["spec"], () => ({
      attachRequired: true,
      fsGroupPolicy: "ReadWriteOnceWithFSType",
      podInfoOnMount: false,
      requiresRepublish: false,
      seLinuxMount: false,
      storageCapacity: false,
      volumeLifecycleModes: ["Persistent"],
    })),
};

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
