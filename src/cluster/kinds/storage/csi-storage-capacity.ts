import { invalid, invalidStruct } from "@tsbuilder/apimachinery/errors";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { LabelSelector, Quantity } from "@tsbuilder/apimachinery/meta";
import { checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import type { ApiObject } from "../../contract/api-object.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { selectorProblems } from "../checks/meta-types.ts";
import { immutable, type Problems, refused } from "../checks/problems.ts";

export const csiStorageCapacity: BuiltInKind = {
  resource: "csistoragecapacities.storage.k8s.io",
  metadataChecks: { update: ["new", "update"] },
  strategy: {
    validate: (object) => [...capacityProblems(object)],
    validateUpdate: (object, old) => [...capacityProblems(object), ...capacityChanges(object, old)],
  },
  zeroValues: { storageClassName: "" },
};

type Capacity = ApiObject & { nodeTopology?: LabelSelector; storageClassName?: string; capacity?: Quantity };

function* capacityProblems({ nodeTopology, storageClassName = "", capacity }: Capacity): Problems {
  yield* selectorProblems("nodeTopology", nodeTopology);
  yield* refused("storageClassName", storageClassName, checkSubdomain(storageClassName));
  if (capacity !== undefined && compareQuantities(capacity, "0") < 0) {
    yield invalid("capacity", capacity, "must be greater than or equal to 0");
  }
}

/** The topology and the class whose capacity is reported can't change. */
function* capacityChanges(object: Capacity, old: Capacity): Problems {
  if (!isEqual(object.nodeTopology, old.nodeTopology)) {
    yield invalidStruct("nodeTopology", topologyStruct(object.nodeTopology), "field is immutable");
  }
  yield* immutable("storageClassName", object.storageClassName ?? "", old.storageClassName ?? "");
}

function topologyStruct(topology: LabelSelector | undefined): object {
  if (!topology) return null as unknown as object;
  const { matchLabels, matchExpressions } = topology;
  return { ...(matchLabels && { matchLabels }), ...(matchExpressions && { matchExpressions }) };
}
