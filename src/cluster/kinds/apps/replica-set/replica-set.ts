import { fieldText } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import {
  type Workload,
  chosenTemplate,
  replicaSetCounts,
  defaultScaledSpec,
  endlessPods,
  replicaCounts,
  replicas,
  selectorChange,
  workloadWarnings,
} from "../workload.ts";
import { type Problems, nonNegative } from "../../checks/problems.ts";
import { template } from "../../core/pod-spec/types.ts";
import { replicaSetController } from "./replica-set-controller.ts";

function* replicaSetProblems({ spec }: Workload): Problems {
  yield* nonNegative("spec.replicas", spec.replicas);
  yield* nonNegative("spec.minReadySeconds", spec.minReadySeconds);
  yield* chosenTemplate(spec, "deployment", "invalid label selector");
  yield* endlessPods(spec, "ReplicaSet");
}

export const replicaSet: BuiltInKind<"replicaset"> = {
  resource: "replicasets.apps",
  strategy: {
    statusWritesMetadata: true,
    default(object) {
      defaultScaledSpec(object);
      object["status"] = { replicas: 0, ...(object["status"] as object) };
    },
    validate: (object) => [...replicaSetProblems(object as Workload)],
    validateUpdate: (object, old, { subresource }) =>
      subresource === "status"
        ? [...replicaCounts(object, replicaSetCounts)]
        : [...replicaSetProblems(object as Workload), ...selectorChange(object, old)],
    warnings: (object, old) => workloadWarnings(object, old),
  },
  cells: replicas,
  selectors: { "status.replicas": (object) => fieldText(object, "status.replicas") || "0" },
  podTemplate: "spec.template",
  emptyObject: { spec: { template }, status: {} },
  controllers: { replicaset: replicaSetController },
  zeroValues: { spec: { replicas: 0, selector: null }, status: { replicas: 0 } },
};
