import type { PodDisruptionBudget } from "@tsbuilder/apimachinery/k8s/policy/v1";
import type { ResourceName } from "../../../../contract/cluster-objects.ts";

export const podDisruptionBudgets: ResourceName<PodDisruptionBudget> = "poddisruptionbudgets.policy";
