// The judgement of runs. This file has the mistakes that one run shows by itself; `differences.ts` compares the outcomes of two,
// without what `left-out.ts` and chance excuse.

import type { Condition, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { isClaimed } from "@tsbuilder/runtime/testing";
import type { Fault, Phase, Run, Scenario, Step, TraceEvent, Verdict } from "../contract/index.ts";
import { latePush, namesMissingImage } from "../contract/missing-image.ts";
import { beginOf, eventsIn, shortestPause } from "../contract/run.ts";
import { appliedIn, isElected } from "../contract/scenario.ts";
import { isPaused, refTextOf } from "../contract/state.ts";

/** Returns the mistakes that the trace of a run shows, without a look at other runs. */
export function judgeTrace({ trace }: Run, scenario: Scenario): Verdict[] {
  return [
    ...findUnrest(trace, scenario),
    ...findForeignObjects(trace, scenario),
    ...findForbidden(trace),
    ...findUnleasedWrite(trace, scenario),
    ...findUnshardedWrite(trace, scenario),
    ...findBrokenPromises(trace),
    ...findRefusedUpgrade(trace, scenario),
    ...findErrors(trace, scenario),
    ...findRestartWork(trace, scenario),
  ];
}

export type Change = TraceEvent & { readonly type: "change" };

const isChange = (event: TraceEvent): event is Change => event.type === "change";

const isDeletion = ({ change, fields }: Change): boolean =>
  change === "DELETED" || fields.includes("metadata.deletionTimestamp");

/** `configmaps default/shop`. */
const textOf = ({ resource, key }: Change): string => `${resource} ${key}`;

/** The operator of each process, by the names of processes. */
type Operators = ReadonlyMap<string, string>;

function operatorsByProcess({ operators }: Scenario): Operators {
  return new Map(
    operators.flatMap(({ name, replicas = 1 }) =>
      Array.from({ length: replicas }, (_, index) => [`${name}-${index}`, name] as const),
    ),
  );
}

/** Finds what the API server refuses of an upgrade. It may refuse the CRD of a rollback: what is stored by then is of the next release. */
function findRefusedUpgrade(trace: readonly TraceEvent[], { operators }: Scenario): Verdict[] {
  const upgraded = new Set(operators.flatMap(({ name, former }) => (former ? [name] : [])));
  const refused = trace.flatMap((event) =>
    event.type === "refused-install" && event.release === "present" && upgraded.has(event.operator)
      ? [event]
      : [],
  );
  return refused.slice(0, 1).map(({ object, message }) => ({
    class: "upgrade",
    message: `the API server refuses ${object} of this release: ${message}`,
    objects: [object],
  }));
}

/** Finds writes without end. */
function findUnrest(trace: readonly TraceEvent[], scenario: Scenario): Verdict[] {
  const restless = trace.find((event) => event.type === "phase" && !event.rests);
  return restless?.type === "phase"
    ? findEndlessWork(trace, restless, scenario)
    : (findSlowFight(trace, scenario) ?? []);
}

/** The number of last changes in which an endless loop is looked for. */
const mostLastChanges = 60;

/** The greatest age of these changes at the end of the phase, in milliseconds. */
const lastChangesAge = 600_000;

/** Explains why a phase didn't come to rest: two writers fight, one writes for ever, or a process hangs. */
function findEndlessWork(
  trace: readonly TraceEvent[],
  { at: end, busy }: TraceEvent & { readonly type: "phase" },
  scenario: Scenario,
): Verdict[] {
  const operators = operatorsByProcess(scenario);
  const last = trace
    .filter(isChange)
    .filter(({ at }) => at > end - lastChangesAge)
    .slice(-mostLastChanges);
  const own = last.filter(({ by }) => operators.has(by));
  const [key] = mostFrequent(own.map(textOf));
  if (key === undefined) return findErrors(trace, scenario).length > 0 ? [] : reportHang(trace, busy);
  // What the cluster makes of a change is no answer to it: rivals change the same field.
  const [field] = mostFrequent(own.flatMap((change) => (textOf(change) === key ? change.fields : [])));
  const writes = (field === undefined ? own : last).filter(
    (change) => textOf(change) === key && (field === undefined || change.fields.includes(field)),
  );
  const writers = [...new Set(writes.map(({ by }) => by))];
  const what = field === undefined ? key : `${field} of ${key}`;
  if (writers.length > 1) return [reportFight(writers, what, [key])];
  const does = field === undefined && writes[0]?.change === "ADDED" ? "creates" : "changes";
  return [{ class: "hot-loop", message: `${writers.join()} ${does} ${what} without end`, objects: [key] }];
}

/** Reports processes that work without end and change nothing, with their last request. */
function reportHang(trace: readonly TraceEvent[], busy: readonly string[] = []): Verdict[] {
  const last = trace.findLast((event) => event.type === "request" && busy.includes(event.process));
  const after = last?.type === "request" ? `; its last request was ${last.method} ${last.path}` : "";
  const message = `${busy.join(" and ") || "the cluster"} works without end, but changes nothing${after}`;
  return [{ class: "hang", message, objects: [] }];
}

/** The number of times that two writers change a field in turn, long after the user's last step, until they count as rivals. */
const mostTurns = 5;

/** Returns the verdict on two writers that change a field in turn, but so slowly that each seems to rest in between. */
function findSlowFight(trace: readonly TraceEvent[], scenario: Scenario): Verdict[] | undefined {
  const operators = operatorsByProcess(scenario);
  const to = trace.findIndex((event) => event.type === "phase");
  const from = trace.findLastIndex((event, at) => event.type === "step" && at < to);
  const turns = new Map<string, { readonly writers: Set<string>; last: string; count: number }>();
  for (const change of trace.slice(from + 1, to).filter(isChange)) {
    const writer = operators.get(change.by) ?? (change.by === "autoscaler" ? change.by : undefined);
    if (writer === undefined || change.change !== "MODIFIED") continue;
    for (const field of change.fields) {
      const what = `${field} of ${textOf(change)}`;
      const turn = turns.get(what) ?? { writers: new Set(), last: "", count: 0 };
      turns.set(what, turn);
      if (turn.last !== writer) turn.count++;
      turn.last = writer;
      turn.writers.add(change.by);
      if (turn.writers.size > 1 && turn.count > mostTurns)
        return [reportFight([...turn.writers], what, [textOf(change)])];
    }
  }
  return undefined;
}

/** Finds changes after a restart of all processes, before which everything rested. Other mistakes of the run say more than these. */
function findRestartWork(trace: readonly TraceEvent[], scenario: Scenario): Verdict[] {
  if (scenario.operators.some(({ program }) => program) && endsRefused(trace)) return [];
  const operators = operatorsByProcess(scenario);
  const work = findWorkIn("restart", trace, operators);
  if (!work) return findOverdueWork(trace, scenario);
  const { first, by, what, objects } = work;
  const other = first && trace.filter(isChange).find((change) => isRival(change, first, operators));
  if (other) return [reportFight([first.by, other.by], what, objects)];
  return [
    { class: "hot-loop", message: `nothing has changed, but after a restart ${by} changes ${what}`, objects },
  ];
}

/** Finds changes after the restart that follows the months in which only what was due happened, unless a fault explains them. */
function findOverdueWork(trace: readonly TraceEvent[], scenario: Scenario): Verdict[] {
  const work = findWorkIn("late restart", trace, operatorsByProcess(scenario));
  if (!work || isDisturbedIn("late restart", trace, scenario)) return [];
  const { by, what, objects } = work;
  const message = `nothing happens for a hundred days, but after a restart ${by} changes ${what}`;
  return [{ class: "overdue", message, objects }];
}

/** Returns whether the last write of a process in the steps was refused: the next one may be due after hours. */
export function endsRefused(trace: readonly TraceEvent[]): boolean {
  const last = new Map<string, number>();
  for (const event of eventsIn("steps", trace))
    if (event.type === "request" && event.method !== "GET") last.set(event.process, event.status);
  return [...last.values()].some((status) => status >= 400 && status !== 404 && status !== 409);
}

/** Returns whether a fault struck, or the wait for an answer ended, during a phase or shortly before. */
function isDisturbedIn(phase: Phase, trace: readonly TraceEvent[], { faults = [] }: Scenario): boolean {
  const begin = beginOf(phase, trace);
  const end = eventsIn(phase, trace).at(-1)?.at ?? begin;
  const strikes = trace.filter(isStrike).map(({ at }) => at);
  const ends = faults.map((fault) => timesOf(fault, trace)).map(({ at, until = at }) => until);
  return [...strikes, ...ends].some((at) => begin <= at + excuseTime && at <= end);
}

/** What operators did in a phase: their changes, or a change of an external system if there are none. */
interface Work {
  readonly first?: Change;
  readonly by: string;
  readonly what: string;
  readonly objects: readonly string[];
}

function findWorkIn(phase: Phase, trace: readonly TraceEvent[], operators: Operators): Work | undefined {
  const events = eventsIn(phase, trace);
  const [begin] = events;
  if (!begin) return undefined;
  const earlier = trace.slice(0, trace.indexOf(begin)).filter(isChange);
  const changes = events
    .filter(isChange)
    .filter((change) => operators.has(change.by) && !isRecurring(change, earlier));
  const [first] = changes;
  if (first) {
    const fields = first.fields.length > 0 ? `${first.fields.join(", ")} of ` : "";
    const objects = [...new Set(changes.map(textOf))];
    return { first, by: first.by, what: fields + textOf(first), objects };
  }
  const effect = events.find((event) => event.type === "call" && event.isChange);
  if (effect?.type !== "call") return undefined;
  return { by: effect.process, what: `${effect.to}: ${effect.text}`, objects: [] };
}

/** Returns whether the same fields have changed from time to time: what is due every half minute is due during a restart, too. */
function isRecurring(change: Change, earlier: readonly Change[]): boolean {
  const text = fieldsText(change);
  const times = earlier.flatMap((other) => (fieldsText(other) === text ? [other.at] : []));
  return times.filter((at, index) => index > 0 && at - times[index - 1]! >= shortestPause).length > 2;
}

function fieldsText(change: Change): string {
  return `${textOf(change)} ${change.fields.join()}`;
}

/** Returns whether another operator, or an autoscaler, changes one of the same fields, or created the object. */
function isRival(change: Change, { by, uid, fields }: Change, operators: Operators): boolean {
  const operator = operators.get(change.by) ?? (change.by === "autoscaler" ? change.by : undefined);
  if (operator === undefined || operator === operators.get(by) || change.uid !== uid) return false;
  return change.change === "ADDED" || change.fields.some((field) => fields.includes(field));
}

function reportFight(writers: readonly string[], what: string, objects: readonly string[]): Verdict {
  return { class: "fight", message: `${writers.join(" and ")} change ${what} without end`, objects };
}

function mostFrequent(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].toSorted((a, b) => b[1] - a[1]).map(([text]) => text);
}

/** Finds the objects of others that a process deleted, adopted or overwrote. */
export function findForeignObjects(trace: readonly TraceEvent[], scenario: Scenario): Verdict[] {
  const operators = operatorsByProcess(scenario);
  const creators = new Map<string, string>();
  const gone = new Set<string>();
  const verdicts = new Map<string, Verdict>();
  const changes = trace.filter(isChange);
  const custom = new Set(scenario.crds?.map(({ metadata }) => metadata.name));
  const seen = new Map<string, Change>();
  /** Returns whether an object is the operator's own, a custom resource, or owned by one of these. */
  const belongs = (uid: string | undefined, operator: string, below: readonly string[] = []): boolean => {
    const change = uid === undefined ? undefined : seen.get(uid);
    if (!change || below.includes(change.uid)) return false;
    if (operators.get(creators.get(change.uid) ?? "") === operator || custom.has(change.resource))
      return true;
    const [before, after] = change.owners;
    const statefulSet = [...seen.values()].find((other) => isClaimOf(change, other));
    return belongs(after ?? before ?? statefulSet?.uid, operator, [...below, change.uid]);
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
      else if (!creator && createsSuchObjects(change, changes, operators) && !isNamedInSpec(change, scenario))
        add(key, `${change.by} overwrites ${key}, ${whose}`);
    }
    if (change.change === "DELETED") gone.add(change.uid);
  }
  return [...verdicts.values()];
}

/** Returns whether a StatefulSet made a volume claim. It owns none of them; only their names show it. */
function isClaimOf({ resource, key }: Change, statefulSet: Change): boolean {
  if (resource !== "persistentvolumeclaims" || statefulSet.resource !== "statefulsets.apps") return false;
  const [namespace, name = ""] = key.split("/");
  const [itsNamespace, itsName] = statefulSet.key.split("/");
  return namespace === itsNamespace && name.replace(/-\d+$/, "").endsWith(`-${itsName}`);
}

/** Returns whether a change overwrites the content of an object, and not just its metadata or status. */
function overwrites({ fields }: Change): boolean {
  return fields.some((field) => /^(?:data|spec|stringData|binaryData)(?:\.|$)/.test(field));
}

/** Returns whether an operator also creates objects of that kind, and so should tell its own from others. */
function createsSuchObjects(
  { by, resource }: Change,
  changes: readonly Change[],
  operators: Operators,
): boolean {
  return changes.some(
    (other) =>
      other.change === "ADDED" &&
      other.resource === resource &&
      operators.get(other.by) === operators.get(by),
  );
}

/** Returns whether a spec of the user names the object, which lets the operator write to it. */
function isNamedInSpec({ key }: Change, { steps }: Scenario): boolean {
  const name = JSON.stringify(key.split("/").at(-1));
  return appliedIn(steps).some((object) => "spec" in object && JSON.stringify(object.spec).includes(name));
}

/** Finds a request that the operator's role doesn't allow. */
function findForbidden(trace: readonly TraceEvent[]): Verdict[] {
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

/** Returns the namespace of a path. In one that is being deleted, creating objects is forbidden to everybody. */
function namespaceOf(path: string): string {
  return /\/namespaces\/([^/?]+)/.exec(path)?.[1] ?? "";
}

/** Finds the first write by a process that doesn't hold its operator's lease. */
function findUnleasedWrite(trace: readonly TraceEvent[], { operators }: Scenario): Verdict[] {
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

/**
 * Finds the first write by a sharding process to an object whose shard it does not claim. Only users' objects, and the objects
 * that those control, are checked: for others, the shard isn't known from outside.
 */
export function findUnshardedWrite(trace: readonly TraceEvent[], scenario: Scenario): Verdict[] {
  const byOperator = new Map(scenario.operators.map(({ name, sharding }) => [name, sharding]));
  const operators = operatorsByProcess(scenario);
  /** The claims of each process in its current life. */
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

/** Finds the promises of the scenario that a state broke. */
function findBrokenPromises(trace: readonly TraceEvent[]): Verdict[] {
  return trace
    .filter((event) => event.type === "promise")
    .map(({ promise, name, about }) => ({
      class: "promise",
      message: `${promise}: ${name}${about === undefined ? "" : ` (${about})`}`,
      objects: [],
    }));
}

/** Milliseconds after a fault within which errors are expected. */
const excuseTime = 30_000;

/** The number of unexpected errors that count as a mistake in a disturbed run: a single one may be a late retry. */
const leastErrors = 2;

/** A time in which errors are expected, and `excuseTime` after it. */
interface Excuse {
  readonly at: number;
  readonly until?: number;
}

/** Finds the first error that no disturbance explains. */
function findErrors(trace: readonly TraceEvent[], { faults = [], steps = [] }: Scenario): Verdict[] {
  const all = trace.filter((event) => event.type === "log" && event.level === "error");
  const isPlain = faults.length === 0 && !steps.some((step) => step.do !== "settle" && step.strange);
  // Without faults, a write to an object that is just being deleted may still fail.
  const excuses: readonly Excuse[] = isPlain
    ? trace.filter((event) => isUnanswered(event) || (isChange(event) && isDeletion(event)))
    : [
        ...trace.filter(isDisturbance),
        ...faults.map((fault) => timesOf(fault, trace)),
        ...strangeTimes(trace, steps),
      ];
  const counted = all.filter(
    (error) => !excuses.some(({ at, until = at }) => at <= error.at && error.at <= until + excuseTime),
  );
  const [first] = counted;
  if (first?.type !== "log" || counted.length < (isPlain ? 1 : leastErrors)) return [];
  const message = `${first.process}: ${first.message}${first.error === undefined ? "" : `: ${first.error}`}`;
  return [{ class: "error", message, objects: first.object === undefined ? [] : [first.object] }];
}

/**
 * Returns the times from each strange step to the next one: nobody can carry out what is asked until then. A StatefulSet can't
 * get out of an image that doesn't exist, so its operator may complain until the image is pushed, and rolled out.
 */
function strangeTimes(trace: readonly TraceEvent[], steps: readonly Step[]): Excuse[] {
  const taken = trace.filter(({ type }) => type === "step");
  return steps
    .filter((step) => step.do !== "settle")
    .flatMap((step, at): Excuse[] => {
      const [begin, end = begin] = taken.slice(at);
      if (!step.strange || !begin || !end) return [];
      const longest = step.do === "apply" && namesMissingImage(step.object) ? 2 * latePush : 0;
      return [{ at: begin.at, until: Math.max(end.at, begin.at + longest) }];
    });
}

/** Returns the times at which a fault that strikes at a given time begins and ends. */
function timesOf(fault: Fault, trace: readonly TraceEvent[]): Excuse {
  if (!("at" in fault)) return { at: 0 };
  const at = beginOf(fault.in ?? "steps", trace) + fault.at;
  return { at, until: at + ("for" in fault ? fault.for : 0) };
}

/** Returns whether a call of a webhook got no answer. The write that it should have admitted fails. */
function isUnanswered(event: TraceEvent): boolean {
  return event.type === "webhook" && event.status === 0;
}

/** Returns whether errors are expected after an event. Until a broken watch lists again, the process has an old view. */
function isDisturbance(event: TraceEvent): boolean {
  const { type } = event;
  if (type === "watch") return event.event === "ERROR";
  return type === "step" || type === "died" || isStrike(event);
}

/** A request or a call without an answer is recorded when the client has stopped waiting, which may be long after the fault. */
function isStrike(event: TraceEvent): boolean {
  switch (event.type) {
    case "call":
      return event.status === undefined;
    case "request":
      return event.status === 0;
    default:
      return event.type === "fault";
  }
}

interface WithStatus extends KubernetesObject {
  readonly status?: { readonly observedGeneration?: number; readonly conditions?: readonly Condition[] };
}

/** Returns the mistakes that the outcome of a run shows, without a look at other runs. */
export function judgeState(
  { state, leftovers, leftOutside, lostOutside }: Run,
  { steps }: Scenario,
): Verdict[] {
  const applied = new Set(appliedIn(steps).map(refTextOf));
  const roots: readonly WithStatus[] = state.objects.filter((object) => applied.has(refTextOf(object)));
  const verdicts = roots.flatMap((root) => [
    ...(isPaused(root) ? [] : findStaleStatus(root)),
    ...findBadConditions(root),
  ]);
  const left = [...leftovers.map(refTextOf), ...leftOutside];
  if (left.length > 0) verdicts.push(leftoverOf(left));
  if (lostOutside.length > 0)
    verdicts.push({
      class: "foreign-object",
      message: `the deletion took ${lostOutside.join(", ")}, which was there before the first step`,
      objects: lostOutside,
    });
  return verdicts;
}

/** The verdict on what is left after the deletion. */
export function leftoverOf(left: readonly string[]): Verdict {
  return { class: "leftover", message: `after the deletion, ${left.join(", ")} is left`, objects: left };
}

/** Finds a status whose observedGeneration isn't the object's. */
function findStaleStatus({ status, ...root }: WithStatus): Verdict[] {
  const seen = [status, ...(status?.conditions ?? [])].flatMap((each) => each?.observedGeneration ?? []);
  const { generation = 1 } = root.metadata;
  const behind = seen.find((each) => each !== generation);
  if (behind === undefined) return [];
  const name = refTextOf(root);
  const message = `${name} has generation ${generation}, but its status says that ${behind} was observed`;
  return [{ class: "observed-generation", message, objects: [name] }];
}

/** Finds malformed conditions, and those of a type that occurs twice. */
function findBadConditions({ status, ...root }: WithStatus): Verdict[] {
  const name = refTextOf(root);
  const types = new Set<string>();
  return (status?.conditions ?? []).flatMap((condition) => {
    const problem = findProblem(condition) ?? (types.has(condition.type) ? "is there twice" : undefined);
    types.add(condition.type);
    if (problem === undefined) return [];
    return [
      { class: "conditions", message: `condition ${condition.type} of ${name} ${problem}`, objects: [name] },
    ];
  });
}

function findProblem({ type, status, reason, lastTransitionTime }: Partial<Condition>): string | undefined {
  if (!type) return "has no type";
  if (!["True", "False", "Unknown"].includes(status ?? "")) return `has the status ${JSON.stringify(status)}`;
  if (!/^[A-Za-z](?:[A-Za-z0-9_,:]*[A-Za-z0-9_])?$/.test(reason ?? ""))
    return `has the reason ${JSON.stringify(reason)}, which is not a CamelCase word`;
  if (Number.isNaN(Date.parse(lastTransitionTime ?? ""))) return "has no lastTransitionTime";
  return undefined;
}
