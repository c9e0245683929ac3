import type { BuiltInKind } from "../../built-in-kind.ts";
import { ready, templateContainers } from "../cells.ts";
import { template } from "../../core/pod-spec/empty.ts";
import { statefulSetStrategy } from "./strategy.ts";

export const statefulSet: BuiltInKind = {
  resource: "statefulsets.apps",
  strategy: { ...statefulSetStrategy, statusWritesMetadata: true },
  cells: { Ready: ready, ...templateContainers },
  emptyObject: { spec: { template, updateStrategy: {} }, status: {} },
};
