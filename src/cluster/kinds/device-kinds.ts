import type { LabelSelector } from "@tsbuilder/apimachinery/meta";
import type { ApiObject } from "../contract/api-object.ts";
import type { Strategy } from "../registry/resource.ts";
import { selectorProblems } from "./checks/label-selector.ts";
import { eachOf, type Fields, fillIn } from "./fill-in.ts";

export const csiDriverStrategy: Partial<Strategy> = {
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

export const storageCapacityStrategy: Partial<Strategy> = {
  validate: (object) => [...selectorProblems("nodeTopology", topologyOf(object))],
  validateUpdate: (object) => [...selectorProblems("nodeTopology", topologyOf(object))],
};

function topologyOf(capacity: ApiObject): LabelSelector | undefined {
  return capacity["nodeTopology"] as LabelSelector | undefined;
}

export const volumeAttachmentStrategy: Partial<Strategy> = {
  default: (object) => void (object["status"] ??= { attached: false }),
};

export const resourceClaimStrategy: Partial<Strategy> = {
  default(object) {
    object["spec"] ??= {};
    defaultClaim(object["spec"]);
    object["status"] ??= {};
  },
};

export const resourceClaimTemplateStrategy: Partial<Strategy> = {
  default(object) {
    const spec = object["spec"] as Fields | undefined;
    fillIn(spec, () => ({ metadata: {}, spec: {} }));
    defaultClaim(spec?.["spec"]);
  },
};

/** A request is for one device unless it says how many. */
function defaultClaim(spec: unknown): void {
  fillIn(spec, () => ({ devices: {} }));
  fillIn((spec as Fields | undefined)?.["devices"], () => ({ requests: null }));
  for (const request of eachOf((spec as Fields | undefined)?.["devices"], "requests")) {
    const choices = [request["exactly"] as Fields | undefined, ...eachOf(request, "firstAvailable")];
    for (const choice of choices) {
      fillIn(choice, () => ({ allocationMode: "ExactCount" }));
      if (choice?.["allocationMode"] === "ExactCount") choice["count"] ??= 1;
      for (const toleration of eachOf(choice, "tolerations")) toleration["operator"] ??= "Equal";
    }
  }
}
