import type { BuiltInKind } from "../../built-in-kind.ts";
import { ready, templateContainers } from "../cells.ts";
import { template } from "../../core/pod-spec/empty.ts";
import { statefulSetStrategy } from "./strategy.ts";
import { statefulSetController } from "./controller/stateful-set-controller.ts";

export const statefulSet: BuiltInKind<"statefulset"> = {
  resource: "statefulsets.apps",
  strategy: { ...statefulSetStrategy, statusWritesMetadata: true },
  cells: { Ready: ready, ...templateContainers },
  podTemplate: "spec.template",
  emptyObject: { spec: { serviceName: "", template, updateStrategy: {} }, status: {} },
  controllers: { statefulset: statefulSetController },
  zeroValues: { spec: { replicas: 0, selector: null }, status: { availableReplicas: 0, replicas: 0 } },
};
