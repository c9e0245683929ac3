import { fieldText } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import * as workload from "../workload.ts";
import { type Problems, nonNegative } from "../../checks/problems.ts";
import { replicaSetController } from "./replica-set-controller.ts";

function* replicaSetProblems({ spec }: workload.Workload): Problems {
  yield* nonNegative("spec.replicas", spec.replicas);
  yield* nonNegative("spec.minReadySeconds", spec.minReadySeconds);
  yield* workload.templateProblems(spec, "deployment", "invalid label selector");
  yield* workload.restartPolicyProblems(spec, "ReplicaSet");
}

export const replicaSet: BuiltInKind<"replicaset"> = {
  resource: "replicasets.apps",
  strategy: {
    statusWritesMetadata: true,
    default: (object) => void workload.defaultScaledSpec(object),
    validate: (object) => [...replicaSetProblems(object as workload.Workload)],
    validateUpdate: (object, old, { subresource }) =>
      subresource === "status"
        ? [...workload.replicaCountProblems(object, workload.replicaSetCounts)]
        : [...replicaSetProblems(object as workload.Workload), ...workload.selectorChanges(object, old)],
    warnings: (object, old) => workload.workloadWarnings(object, old),
  },
  cells: workload.replicaCells,
  selectors: { "status.replicas": (object) => fieldText(object, "status.replicas") || "0" },
  podTemplate: "spec.template",
  controllers: { replicaset: replicaSetController },
  zeroValues: { spec: { replicas: 0 } },
};
