import { isClaimed } from "@tsbuilder/runtime/testing";
import {
  type Fault,
  type Run,
  type Scenario,
  type TraceEvent,
  type Verdict,
  isElected,
} from "../contract/index.ts";
import { type Change, isChange, isDeletion, operatorsByProcess, textOf } from "./changes.ts";

/** What the trace of a run shows to be wrong, whatever other runs do. */
export function judgeTrace({ trace }: Run, scenario: Scenario): Verdict[] {
  return [
    ...unrest(trace, scenario),
    ...foreignObjects(trace, scenario),
    ...forbidden(trace),
    ...withoutLease(trace, scenario),
    ...withoutShard(trace, scenario),
    ...brokenPromises(trace),
    ...errors(trace, scenario),
  ];
}

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

/** How many of the last changes show who can't stop, and how old they may be. */
const shown = 60;

const recent = 600_000;

/** Writes without end, and those that a restart brings although nothing has changed. */
function unrest(trace: readonly TraceEvent[], scenario: Scenario): Verdict[] {
  const restless = trace.find((event) => event.type === "phase" && !event.rests);
  return restless?.type === "phase" ? withoutEnd(trace, restless, scenario) : byRestart(trace, scenario);
}

function withoutEnd(
  trace: readonly TraceEvent[],
  { at: end, busy }: TraceEvent & { readonly type: "phase" },
  scenario: Scenario,
): Verdict[] {
  const operators = operatorsByProcess(scenario);
  const last = trace
    .filter(isChange)
    .filter(({ at }) => at > end - recent)
    .slice(-shown);
  const [key] = mostFrequent(last.filter(({ by }) => operators.has(by)).map(textOf));
  if (key === undefined) return errors(trace, scenario).length > 0 ? [] : hanging(trace, busy);
  const writes = last.filter((change) => textOf(change) === key);
  const writers = [...new Set(writes.map(({ by }) => by))];
  const [field] = mostFrequent(writes.flatMap(({ fields }) => fields));
  const what = field === undefined ? key : `${field} of ${key}`;
  if (writers.length > 1) return [fight(writers, what, [key])];
  return [{ class: "hot-loop", message: `${writers.join()} changes ${what} without end`, objects: [key] }];
}

/** After a fault, errors are expected for this many milliseconds. */
const explained = 30_000;

/** Two errors after it are no accident: an operator whose error healed does not try again. */
const persistent = 2;

/** Errors that nothing explains. */
function errors(trace: readonly TraceEvent[], { faults = [], steps = [] }: Scenario): Verdict[] {
  const all = trace.filter((event) => event.type === "log" && event.level === "error");
  const isPlain = faults.length === 0 && !steps.some((step) => step.do !== "settle" && step.strange);
  // Whoever writes to what is just being deleted learns of it by an error.
  const excuses = isPlain
    ? trace.filter((event) => isUnanswered(event) || (isChange(event) && isDeletion(event)))
    : [...trace.filter(isDisturbance), ...faults.map((fault) => ({ at: endOf(fault) }))];
  const counted = all.filter(
    (error) => !excuses.some(({ at }) => at <= error.at && error.at <= at + explained),
  );
  const [first] = counted;
  if (first?.type !== "log" || counted.length < (isPlain ? 1 : persistent)) return [];
  const message = `${first.process}: ${first.message}${first.error === undefined ? "" : `: ${first.error}`}`;
  return [{ class: "error", message, objects: first.object === undefined ? [] : [first.object] }];
}

function endOf(fault: Fault): number {
  return "at" in fault ? fault.at + ("for" in fault ? fault.for : 0) : 0;
}

/** What a webhook should have admitted fails while nobody serves it. */
function isUnanswered(event: TraceEvent): boolean {
  return event.type === "webhook" && event.status === 0;
}

/** A time-out disturbs when the client has stopped waiting; a watch that has to list again leaves an old view until then. */
function isDisturbance(event: TraceEvent): boolean {
  const { type } = event;
  if (type === "watch") return event.event === "ERROR";
  return type === "fault" || type === "step" || type === "died" || (type === "request" && event.status === 0);
}

/** A process that only works; the last request says what it was about to do. */
function hanging(trace: readonly TraceEvent[], busy: readonly string[] = []): Verdict[] {
  const last = trace.findLast((event) => event.type === "request" && busy.includes(event.process));
  const after = last?.type === "request" ? `; its last request was ${last.method} ${last.path}` : "";
  const message = `${busy.join(" and ") || "the cluster"} works without end, but changes nothing${after}`;
  return [{ class: "hang", message, objects: [] }];
}

function byRestart(trace: readonly TraceEvent[], scenario: Scenario): Verdict[] {
  const operators = operatorsByProcess(scenario);
  const from = trace.findIndex((event) => event.type === "phase" && event.phase === "steps");
  const to = trace.findIndex((event) => event.type === "phase" && event.phase === "restart");
  const changes = trace.slice(from, Math.max(from, to)).filter(isChange);
  const own = changes.filter(({ by }) => operators.has(by));
  const [first] = own;
  if (!first) return [];
  const objects = [...new Set(own.map(textOf))];
  const what = first.fields.length > 0 ? `${first.fields.join(", ")} of ${textOf(first)}` : textOf(first);
  const other = trace.filter(isChange).find((change) => isRival(change, first, operators));
  if (other) return [fight([first.by, other.by], what, objects)];
  const message = `nothing has changed, but after a restart ${first.by} changes ${what}`;
  return [{ class: "hot-loop", message, objects }];
}

/** Whether another operator, or an autoscaler, changes the same field, or created the object with it. */
function isRival(
  change: Change,
  { by, uid, fields }: Change,
  operators: ReadonlyMap<string, string>,
): boolean {
  const operator = operators.get(change.by) ?? (change.by === "autoscaler" ? change.by : undefined);
  if (operator === undefined || operator === operators.get(by) || change.uid !== uid) return false;
  return change.change === "ADDED" || change.fields.some((field) => fields.includes(field));
}

function fight(writers: readonly string[], what: string, objects: readonly string[]): Verdict {
  return { class: "fight", message: `${writers.join(" and ")} change ${what} without end`, objects };
}

function mostFrequent(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1]).map(([text]) => text);
}

/**
 * A write by a process that shares the objects with others, while it claims no shard that the object is in. Only what
 * users created, and what such objects own, has a place in a shard that is known from outside.
 */
export function withoutShard(trace: readonly TraceEvent[], scenario: Scenario): Verdict[] {
  const byOperator = new Map(scenario.operators.map(({ name, sharding }) => [name, sharding]));
  const operators = operatorsByProcess(scenario);
  /** What the Lease of each process's present life claims. */
  const claimed = new Map<string, { readonly lease: string; readonly claims: string }>();
  const users = new Set<string>();
  for (const event of trace) {
    if (event.type === "start") claimed.delete(event.process);
    if (event.type === "claims" && (event.claims !== "" || claimed.get(event.process)?.lease === event.lease))
      claimed.set(event.process, event);
    if (!isChange(event)) continue;
    if (event.by === "user" && event.change === "ADDED") users.add(event.uid);
    const by = byOperator.get(operators.get(event.by) ?? "");
    const [before, after = before] = event.owners;
    const root = [event.uid, after].find((uid) => uid !== undefined && users.has(uid));
    if (by === undefined || root === undefined) continue;
    const [namespace = ""] = event.key.includes("/") ? event.key.split("/") : [];
    const place = by === "uid" || namespace === "" ? root : namespace;
    if (isClaimed(claimed.get(event.by)?.claims ?? "", place)) continue;
    const message = `${event.by} writes ${textOf(event)}, which is in no shard that it holds`;
    return [{ class: "without-lease", message, objects: [textOf(event)] }];
  }
  return [];
}

function forbidden(trace: readonly TraceEvent[]): Verdict[] {
  const ending = new Set<string>();
  const found = trace.find((event) => {
    if (event.type === "change" && event.resource === "namespaces" && isDeletion(event))
      ending.add(event.key);
    return event.type === "request" && event.status === 403 && !ending.has(namespaceOf(event.path));
  });
  if (found?.type !== "request") return [];
  const message = `${found.method} ${found.path} of ${found.process} is forbidden`;
  return [{ class: "forbidden", message, objects: [] }];
}

/** Nobody may create anything in a namespace that is going away, whatever his permissions. */
function namespaceOf(path: string): string {
  return /\/namespaces\/([^/?]+)/.exec(path)?.[1] ?? "";
}

function withoutLease(trace: readonly TraceEvent[], { operators }: Scenario): Verdict[] {
  const elected = new Map<string, string | undefined>(
    operators.flatMap((operator) => (isElected(operator) ? [[operator.name, undefined] as const] : [])),
  );
  for (const event of trace) {
    if (event.type === "leads") elected.set(event.process.replace(/-\d+$/, ""), event.process);
    if (event.type !== "change" || !elected.has(event.by.replace(/-\d+$/, ""))) continue;
    const leader = elected.get(event.by.replace(/-\d+$/, ""));
    if (leader === event.by) continue;
    const message = `${event.by} writes ${textOf(event)} while ${leader ?? "nobody"} holds the lease`;
    return [{ class: "without-lease", message, objects: [textOf(event)] }];
  }
  return [];
}

function brokenPromises(trace: readonly TraceEvent[]): Verdict[] {
  return trace.flatMap((event) =>
    event.type === "promise"
      ? [{ class: "promise", message: `${event.promise}: ${event.name}`, objects: [] } satisfies Verdict]
      : [],
  );
}
