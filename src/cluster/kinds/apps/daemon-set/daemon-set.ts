import type { BuiltInKind } from "../../built-in-kind.ts";
import { formatSelector } from "../../cells/format-selector.ts";
import { count, readField } from "../../cells/read-field.ts";
import { selector, templateContainers } from "../cells.ts";
import { template } from "../../core/pod-spec/empty.ts";
import { daemonSetStrategy } from "./strategy.ts";
import { daemonSetController } from "./controller/daemon-set-controller.ts";

export const daemonSet: BuiltInKind<"daemonset"> = {
  resource: "daemonsets.apps",
  strategy: { ...daemonSetStrategy, statusWritesMetadata: true },
  cells: {
    Desired: count("status.desiredNumberScheduled"),
    Current: count("status.currentNumberScheduled"),
    Ready: count("status.numberReady"),
    "Up-to-date": count("status.updatedNumberScheduled"),
    Available: count("status.numberAvailable"),
    "Node Selector": (object) =>
      formatSelector({ matchLabels: readField(object, "spec.template.spec.nodeSelector") ?? {} }),
    ...templateContainers,
    Selector: selector,
  },
  podTemplate: "spec.template",
  emptyObject: { spec: { template, updateStrategy: {} }, status: {} },
  controllers: { daemonset: daemonSetController },
  zeroValues: {
    spec: { selector: null },
    status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
    metadata: { annotations: { "deprecated.daemonset.template.generation": "0" } },
  },
};
