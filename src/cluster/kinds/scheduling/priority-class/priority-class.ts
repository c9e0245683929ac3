import { forbidden } from "../../../contract/status-error.ts";
import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { count, readField, text } from "../../cells/read-field.ts";
import { fillIn } from "../../fill-in.ts";
import { classChanges, classProblems, systemValues } from "./rules.ts";

const priorityClassStrategy: Partial<Strategy> = {
  default: (object) => fillIn(object, () => ({ value: 0, preemptionPolicy: "PreemptLowerPriority" })),
  validate: (object) => [...classProblems(object)],
  validateUpdate: (object, old) => [...classChanges(object, old)],
  beforeDelete({ metadata: { name = "" } }) {
    if (!systemValues.has(name)) return;
    const subject = { group: "scheduling.k8s.io", kind: "PriorityClass", plural: "priorityclasses" };
    throw forbidden(subject, name, "this is a system priority class and cannot be deleted");
  },
};

export const priorityClass: BuiltInKind = {
  resource: "priorityclasses.scheduling.k8s.io",
  strategy: priorityClassStrategy,
  cells: {
    Value: count("value"),
    "Global-Default": (object) => readField<boolean>(object, "globalDefault") ?? false,
    PreemptionPolicy: text("preemptionPolicy"),
  },
  emptyObject: { value: 0 },
};
