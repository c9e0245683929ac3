import { forbidden } from "@tsbuilder/apimachinery/errors";
import type { ApiObject } from "../../../contract/api-object.ts";
import { choice, immutable, type Problems } from "../../checks/problems.ts";

export type PriorityClass = ApiObject & {
  value?: number;
  globalDefault?: boolean;
  preemptionPolicy?: string;
};

/** The values of the priority classes that every cluster has. */
export const systemValues: ReadonlyMap<string, number> = new Map([
  ["system-cluster-critical", 2_000_000_000],
  ["system-node-critical", 2_000_001_000],
]);

const highestOfUsers = 1_000_000_000;

export function* classProblems(object: PriorityClass): Problems {
  const { metadata, value = 0, preemptionPolicy } = object;
  const { name = "" } = metadata;
  if (name.startsWith("system-")) {
    const reason = notSystemClass(name, object);
    if (reason !== undefined) {
      const detail = `priority class names with 'system-' prefix are reserved for system use only. error: ${reason}`;
      yield forbidden("metadata.name", detail);
    }
  } else if (value > highestOfUsers) {
    yield forbidden("value", `maximum allowed value of a user defined priority is ${highestOfUsers}`);
  }
  if (preemptionPolicy !== undefined) {
    yield* choice("preemptionPolicy", preemptionPolicy, ["PreemptLowerPriority", "Never"]);
  }
}

function notSystemClass(
  name: string,
  { value = 0, globalDefault = false }: PriorityClass,
): string | undefined {
  const expected = systemValues.get(name);
  if (expected === undefined) return `${name} is not a known system priority class`;
  if (value !== expected) return `value of ${name} PriorityClass must be ${expected}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

export function* classChanges(object: PriorityClass, old: PriorityClass): Problems {
  if ((object.value ?? 0) !== (old.value ?? 0)) yield forbidden("value", "may not be changed in an update.");
  yield* immutable("preemptionPolicy", object.preemptionPolicy, old.preemptionPolicy);
}
