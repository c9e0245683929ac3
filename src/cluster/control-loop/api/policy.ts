import type { IntOrString, KubernetesObject, LabelSelector } from "@tsbuilder/apimachinery/meta";
import type { ResourceName } from "../../contract/cluster-objects.ts";
import type { LooseCondition } from "./core.ts";

export interface PodDisruptionBudget extends KubernetesObject {
  spec: { minAvailable?: IntOrString; maxUnavailable?: IntOrString; selector?: LabelSelector };
  status?: PodDisruptionBudgetStatus;
}

export interface PodDisruptionBudgetStatus {
  observedGeneration?: number;
  currentHealthy: number;
  desiredHealthy: number;
  expectedPods: number;
  /** The pods whose eviction was let in, and when: they are as good as gone. */
  disruptedPods?: { [pod: string]: string };
  disruptionsAllowed: number;
  conditions?: (LooseCondition & { observedGeneration?: number })[];
}

export const podDisruptionBudgets: ResourceName<PodDisruptionBudget> = "poddisruptionbudgets.policy";
