import { forbidden } from "@tsbuilder/apimachinery/errors";
import { forbidden as forbiddenRequest } from "../../contract/status-error.ts";
import type { BuiltInKind } from "../built-in-kind.ts";
import { count, readField, text } from "../cells.ts";
import type { ApiObject } from "../../contract/api-object.ts";
import { type Problems, choice, immutable } from "../checks/problems.ts";

/** The values of the priority classes that every cluster has. */
const systemValues: ReadonlyMap<string, number> = new Map([
  ["system-cluster-critical", 2_000_000_000],
  ["system-node-critical", 2_000_001_000],
]);

export const priorityClass: BuiltInKind = {
  resource: "priorityclasses.scheduling.k8s.io",
  strategy: {
    validate: (object) => [...classProblems(object)],
    validateUpdate: (object, old) => [...classChanges(object, old)],
    beforeDelete({ metadata: { name = "" } }) {
      if (!systemValues.has(name)) return;
      const subject = { group: "scheduling.k8s.io", kind: "PriorityClass", plural: "priorityclasses" };
      throw forbiddenRequest(subject, name, "this is a system priority class and cannot be deleted");
    },
  },
  cells: {
    Value: count("value"),
    "Global-Default": (object) => readField<boolean>(object, "globalDefault") ?? false,
    PreemptionPolicy: text("preemptionPolicy"),
  },
};

type PriorityClass = ApiObject & {
  value?: number;
  globalDefault?: boolean;
  preemptionPolicy?: string;
};

const highestUserValue = 1_000_000_000;

function* classProblems(object: PriorityClass): Problems {
  const { metadata, value = 0, preemptionPolicy } = object;
  const { name = "" } = metadata;
  if (name.startsWith("system-")) {
    const reason = checkSystemClass(name, object);
    if (reason !== undefined) {
      const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${reason}`;
      yield forbidden("metadata.name", detail);
    }
  } else if (value > highestUserValue) {
    yield forbidden("value", `maximum allowed value of a user defined priority is ${highestUserValue}`);
  }
  if (preemptionPolicy !== undefined) {
    yield* choice("preemptionPolicy", preemptionPolicy, ["PreemptLowerPriority", "Never"]);
  }
}

function checkSystemClass(
  name: string,
  { value = 0, globalDefault = false }: PriorityClass,
): string | undefined {
  const expected = systemValues.get(name);
  if (expected === undefined) return `${name} is not a known system priority class`;
  if (value !== expected) return `value of ${name} PriorityClass must be ${expected}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function* classChanges(object: PriorityClass, old: PriorityClass): Problems {
  if ((object.value ?? 0) !== (old.value ?? 0)) yield forbidden("value", "may not be changed in an update.");
  yield* immutable("preemptionPolicy", object.preemptionPolicy, old.preemptionPolicy);
}
