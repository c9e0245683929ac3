import { invalidStruct } from "@tsbuilder/apimachinery/errors";
import type * as v1 from "@tsbuilder/apimachinery/k8s/policy/v1";
import type { BuiltInKind } from "../built-in-kind.ts";
import { count, text } from "../cells.ts";
import { disruptionController } from "./disruption-controller.ts";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import { toGoStruct } from "../checks/go-struct.ts";
import { conditionProblems, selectorProblems, selectorStruct } from "../checks/meta-types.ts";
import { type Problems, nonNegative, optionalChoice } from "../checks/problems.ts";
import { intOrPercentProblems, percentProblems } from "../apps/workload.ts";

export const podDisruptionBudget: BuiltInKind<"disruption"> = {
  resource: "poddisruptionbudgets.policy",
  metadataChecks: { create: [], update: [], status: [] },
  strategy: {
    statusWritesMetadata: true,
    validate: (object) => [...budgetProblems(object)],
    validateUpdate: (object, _old, { subresource }) => [
      ...(subresource === "status" ? statusProblems(object) : budgetProblems(object)),
    ],
  },
  cells: {
    "Min Available": text("spec.minAvailable", "N/A"),
    "Max Unavailable": text("spec.maxUnavailable", "N/A"),
    "Allowed Disruptions": count("status.disruptionsAllowed"),
  },
  controllers: { disruption: disruptionController },
};

function* statusProblems(object: ApiObject): Problems {
  const status = (object["status"] ?? {}) as Sent<v1.PodDisruptionBudgetStatus>;
  yield* conditionProblems("status.conditions", status.conditions);
  for (const field of ["disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"] as const) {
    yield* nonNegative(`status.${field}`, status[field]);
  }
}

type PodDisruptionBudget = ApiObject & { spec?: Sent<v1.PodDisruptionBudgetSpec> };

function* budgetProblems({ spec = {} }: PodDisruptionBudget): Problems {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = spec;
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    const struct = toGoStruct(spec, "policy/v1.PodDisruptionBudgetSpec");
    // Go prints the type of selectors with its JSON names.
    const shown = { ...struct, Selector: selector ? selectorStruct(selector) : null };
    yield invalidStruct("spec", shown, "minAvailable and maxUnavailable cannot be both set");
  }
  for (const [field, value] of Object.entries({ minAvailable, maxUnavailable })) {
    yield* intOrPercentProblems(`spec.${field}`, value);
    yield* percentProblems(`spec.${field}`, value);
  }
  yield* selectorProblems("spec.selector", selector);
  yield* optionalChoice(
    "spec.unhealthyPodEvictionPolicy",
    unhealthyPodEvictionPolicy,
    "policy/v1.PodDisruptionBudgetSpec",
  );
}
