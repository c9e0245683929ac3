import type { BuiltInKind } from "../../built-in-kind.ts";
import { count } from "../../cells/read-field.ts";
import { ready, selector, templateContainers } from "../cells.ts";
import { template } from "../../core/pod-spec/empty.ts";
import { deploymentStrategy } from "./strategy.ts";
import { deploymentController } from "./controller/deployment-controller.ts";

export const deployment: BuiltInKind<"deployment"> = {
  resource: "deployments.apps",
  strategy: { ...deploymentStrategy, statusWritesMetadata: true },
  cells: {
    Ready: ready,
    "Up-to-date": count("status.updatedReplicas"),
    Available: count("status.availableReplicas"),
    ...templateContainers,
    Selector: selector,
  },
  podTemplate: "spec.template",
  emptyObject: { spec: { template, strategy: {} }, status: {} },
  controllers: { deployment: deploymentController },
  zeroValues: { spec: { replicas: 0, selector: null } },
};
