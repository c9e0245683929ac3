import type { Scenario, TraceEvent, Verdict } from "../contract/index.ts";
import { type Change, isChange, isDeletion, operatorsByProcess, textOf } from "./changes.ts";

/** Objects of somebody else that a process deleted, took or overwrote. */
export function foreignObjects(trace: readonly TraceEvent[], scenario: Scenario): Verdict[] {
  const operators = operatorsByProcess(scenario);
  const creators = new Map<string, string>();
  const gone = new Set<string>();
  const verdicts = new Map<string, Verdict>();
  const changes = trace.filter(isChange);
  const custom = new Set(scenario.crds?.map(({ metadata }) => metadata.name));
  const seen = new Map<string, Change>();
  /** Whether an object is the operator's, a custom resource, or belongs to such. */
  const belongs = (uid: string | undefined, operator: string, below: readonly string[] = []): boolean => {
    const change = uid === undefined ? undefined : seen.get(uid);
    if (!change || below.includes(change.uid)) return false;
    if (operators.get(creators.get(change.uid) ?? "") === operator || custom.has(change.resource))
      return true;
    const [before, after] = change.owners;
    const set = [...seen.values()].find((other) => isClaimOf(change, other));
    return belongs(after ?? before ?? set?.uid, operator, [...below, change.uid]);
  };
  const add = (key: string, message: string): void =>
    void verdicts.set(key, { class: "foreign-object", message, objects: [key] });
  for (const change of changes) {
    const operator = operators.get(change.by);
    const key = textOf(change);
    seen.set(change.uid, change);
    const creator = creators.get(change.uid);
    const isOwn = creator !== undefined && operators.get(creator) === operator;
    const whose = `which ${creator ?? "somebody else"} created`;
    const [before, after] = change.owners;
    if (change.change === "ADDED") creators.set(change.uid, change.by);
    else if (operator && isDeletion(change) && !change.fields.includes("metadata.finalizers")) {
      if (!belongs(change.uid, operator)) add(key, `${change.by} deletes ${key}, ${whose}`);
    } else if (operator && before && after && before !== after && !gone.has(before))
      add(key, `${change.by} takes ${key} from the owner that controls it`);
    else if (operator && !isOwn && !before && overwrites(change)) {
      if (after) add(key, `${change.by} takes ${key}, ${whose}, and overwrites it`);
      else if (!creator && makesSuch(change, changes, operators) && !isMeant(change, scenario))
        add(key, `${change.by} overwrites ${key}, ${whose}`);
    }
    if (change.change === "DELETED") gone.add(change.uid);
  }
  return [...verdicts.values()];
}

/** Whether a volume claim is one of a StatefulSet's: only its name tells. */
function isClaimOf({ resource, key }: Change, set: Change): boolean {
  if (resource !== "persistentvolumeclaims" || set.resource !== "statefulsets.apps") return false;
  const [namespace, name = ""] = key.split("/");
  const [itsNamespace, itsName] = set.key.split("/");
  return namespace === itsNamespace && name.replace(/-\d+$/, "").endsWith(`-${itsName}`);
}

function overwrites({ fields }: Change): boolean {
  return fields.some((field) => /^(?:data|spec|stringData|binaryData)(?:\.|$)/.test(field));
}

/** Whether an operator creates such objects itself, and so should tell its own from others. */
function makesSuch(
  { by, resource }: Change,
  changes: readonly Change[],
  operators: ReadonlyMap<string, string>,
): boolean {
  return changes.some(
    (other) =>
      other.change === "ADDED" &&
      other.resource === resource &&
      operators.get(other.by) === operators.get(by),
  );
}

/** Whether a user names the object in a spec, and so has the operator write to it. */
function isMeant({ key }: Change, { steps = [] }: Scenario): boolean {
  const name = JSON.stringify(key.split("/").at(-1));
  return steps.some(
    (step) => step.do === "apply" && "spec" in step.object && JSON.stringify(step.object.spec).includes(name),
  );
}
