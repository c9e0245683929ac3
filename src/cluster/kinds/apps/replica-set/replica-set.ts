import { fieldText } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import {
  type Workload,
  templateProblems,
  replicaSetCounts,
  defaultScaledSpec,
  restartPolicyProblems,
  replicaCountProblems,
  replicaCells,
  selectorChanges,
  workloadWarnings,
} from "../workload.ts";
import { type Problems, nonNegative } from "../../checks/problems.ts";
import { emptyTemplate } from "../../core/pod-spec/types.ts";
import { replicaSetController } from "./replica-set-controller.ts";

function* replicaSetProblems({ spec }: Workload): Problems {
  yield* nonNegative("spec.replicas", spec.replicas);
  yield* nonNegative("spec.minReadySeconds", spec.minReadySeconds);
  yield* templateProblems(spec, "deployment", "invalid label selector");
  yield* restartPolicyProblems(spec, "ReplicaSet");
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
        ? [...replicaCountProblems(object, replicaSetCounts)]
        : [...replicaSetProblems(object as Workload), ...selectorChanges(object, old)],
    warnings: (object, old) => workloadWarnings(object, old),
  },
  cells: replicaCells,
  selectors: { "status.replicas": (object) => fieldText(object, "status.replicas") || "0" },
  podTemplate: "spec.template",
  emptyObject: { spec: { template: emptyTemplate }, status: {} },
  controllers: { replicaset: replicaSetController },
  zeroValues: { spec: { replicas: 0, selector: null }, status: { replicas: 0 } },
};
