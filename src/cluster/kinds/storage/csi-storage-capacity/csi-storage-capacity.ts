import type { LabelSelector } from "@tsbuilder/apimachinery/meta";
import type { ApiObject } from "../../../contract/api-object.ts";
import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { selectorProblems } from "../../checks/label-selector.ts";

const storageCapacityStrategy: Partial<Strategy> = {
  validate: (object) => [...selectorProblems("nodeTopology", topologyOf(object))],
  validateUpdate: (object) => [...selectorProblems("nodeTopology", topologyOf(object))],
};

function topologyOf(capacity: ApiObject): LabelSelector | undefined {
  return capacity["nodeTopology"] as LabelSelector | undefined;
}

export const csiStorageCapacity: BuiltInKind = {
  resource: "csistoragecapacities.storage.k8s.io",
  strategy: storageCapacityStrategy,
};
