import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { count, readField, text } from "../../cells/read-field.ts";
import { fillIn } from "../../fill-in.ts";

const priorityClassStrategy: Partial<Strategy> = {
  default: (object) => fillIn(object, () => ({ preemptionPolicy: "PreemptLowerPriority" })),
};

export const priorityClass: BuiltInKind = {
  resource: "priorityclasses.scheduling.k8s.io",
  strategy: priorityClassStrategy,
  cells: {
    Value: count("value"),
    "Global-Default": (object) => readField<boolean>(object, "globalDefault") ?? false,
    PreemptionPolicy: text("preemptionPolicy"),
  },
};
