import type { CallFault, ChildFault, Fault, Run, SimulatedOperator } from "../contract/index.ts";
import type { Random } from "../random.ts";

/** Draws the faults of a run, aimed at writes, requests and moments of the undisturbed run. */
export function drawFaults(
  random: Random,
  plain: Run,
  operators: readonly SimulatedOperator[] = [],
): Fault[] {
  const targets = Object.keys(plain.writes).filter((process) => plain.requests[process]! > 0);
  if (targets.length === 0) return [];
  const count = random.pick([1, 1, 1, 2, 2, 3]);
  const faults = Array.from({ length: count }, () => drawFault(random, plain, random.pick(targets)));
  return [
    ...drawUpgrades(random.fork("upgrades"), plain, operators),
    ...drawRefusedWrites(random.fork("controllers"), plain),
    ...drawPodFaults(random.fork("pods"), plain),
    ...faults,
  ];
}

/** Lets something happen to a pod in every second run that has any, or to the node. */
function drawPodFaults(random: Random, plain: Run): Fault[] {
  const pods = plain.trace.filter(
    (event) => event.type === "change" && event.change === "ADDED" && event.resource === "pods",
  ).length;
  if (pods === 0 || random.chance(0.5)) return [];
  if (random.chance(0.15)) return [drawOutage(random, plain)];
  return [
    {
      fault: "pod",
      pod: random.integer(0, pods - 1),
      how: random.pick(["crash", "oom", "unready", "evict"]),
      at: Math.round(drawMoment(random, plain) + random.next() * 10_000),
      // An operator may give up on a pod that isn't ready for longer.
      for: random.pick([1000, 5000, 15_000]),
    },
  ];
}

/** Milliseconds after which pods are evicted from a node that can't be reached, and some more. */
const longOutage = 400_000;

/**
 * Draws a time for which the node can't be reached. If it is long, the steps have been carried out before: an operator may
 * rightly give up a rollout that makes no progress for minutes.
 */
function drawOutage(random: Random, plain: Run): Fault {
  if (random.chance(0.5))
    return { fault: "node", at: Math.round(drawMoment(random, plain) + random.next() * 1000), for: 15_000 };
  const end = plain.trace.find(({ type }) => type === "phase")!.at;
  return { fault: "node", at: Math.round(end), for: longOutage };
}

/** Lets a write of the cluster's controllers fail in every third run; sometimes the server has carried it out. */
function drawRefusedWrites(random: Random, { controllerWrites }: Run): Fault[] {
  if (controllerWrites === 0 || !random.chance(0.33)) return [];
  const refusalKind = random.pick(["conflict", "error"] as const);
  const request = random.integer(1, controllerWrites);
  const done = refusalKind === "error" && random.chance(0.5);
  return [{ fault: "refuse", process: "controllers", request, with: refusalKind, done }];
}

/** Lets every second run begin with the former version of an operator that has one. */
function drawUpgrades(random: Random, plain: Run, operators: readonly SimulatedOperator[]): Fault[] {
  const end = plain.trace.findIndex(({ type }) => type === "phase");
  const moments = plain.trace.slice(0, end).filter(({ type }) => type === "change" || type === "step");
  if (moments.length === 0) return [];
  return operators.flatMap(({ name, former }): Fault[] => {
    const at = Math.round(random.pick(moments).at + random.next() * 1000);
    return former && random.chance(0.5) ? [{ fault: "upgrade", operator: name, at }] : [];
  });
}

/** The kinds of faults that every operator may meet. Crashes are drawn more often. */
const kinds = ["refuse", "hold", "break", "expire", "cut", "clock", "delete-child", "edit-child"] as const;

function drawFault(random: Random, plain: Run, process: string): Fault {
  const operatorsCalled = operatorsWithCalls(plain);
  const calls = callsBy(process, plain);
  const hasLease = plain.trace.some(({ type }) => type === "leads" || type === "claims");
  const kind = random.pick([
    ...kinds,
    ...(hasLease ? (["lease"] as const) : []),
    ...(operatorsCalled.length > 0 ? (["webhook"] as const) : []),
    ...(calls.length > 0 ? (["call", "call", "call"] as const) : []),
    "crash",
    "crash",
    "crash",
  ] as const);
  if (kind === "call") return drawCallFault(random, process, pickCall(random, calls));
  const writes = plain.writes[process]!;
  const isAtCall = calls.length > 0 && random.fork("at a call").chance(writes > 0 ? 0.5 : 1);
  if (kind === "crash" && (writes > 0 || isAtCall)) {
    const lag = random.chance(0.5) ? random.integer(100, 20_000) : undefined;
    return {
      fault: "crash",
      process,
      ...(isAtCall ? { call: pickCall(random, calls) } : { write: random.integer(1, writes) }),
      when: random.pick(["before", "at", "after"]),
      down: random.pick([10, 500, 3000, 20_000]),
      ...(lag !== undefined && { lag }),
    };
  }
  if (kind === "refuse" || kind === "crash") {
    const refusalKind = random.pick(["conflict", "too-many", "error", "time-out", "reset"] as const);
    const request = random.integer(1, plain.requests[process]!);
    const done = refusalKind !== "conflict" && refusalKind !== "too-many" && random.chance(0.5);
    return { fault: "refuse", process, request, with: refusalKind, done };
  }
  const at = Math.max(0, Math.round(drawMoment(random, plain) + random.next() * 1000 - 800));
  if (kind === "delete-child" || kind === "edit-child")
    return {
      fault: orRecreate(kind, random),
      child: random.integer(0, Math.max(0, countChildren(plain) - 1)),
      at,
    };
  const duration = random.pick([100, 1000, 5000, 20_000]);
  if (kind === "clock")
    return { fault: kind, process, at, for: duration, by: random.pick([-3_600_000, -5000, 5000, 3_600_000]) };
  if (kind === "webhook") {
    const delay = random.chance(0.5) ? random.pick([500, 5000, 15_000]) : undefined;
    const operator = random.pick(operatorsCalled);
    return { fault: kind, operator, at, for: duration, ...(delay !== undefined && { delay }) };
  }
  if (kind === "cut" && random.fork("suspend").chance(0.5))
    return { fault: "suspend", process, at, for: duration };
  return { fault: kind, process, at, for: duration };
}

/** Returns what kind of call each call of a process was: its method, or the program of its command, and the system. */
function callsBy(process: string, { trace }: Run): string[] {
  return trace.flatMap((event) =>
    event.type === "call" && event.process === process ? [`${event.text.split(" ")[0]} ${event.to}`] : [],
  );
}

/** Draws the number of a call. Each kind of call is as likely as any other: the rare ones are those that matter. */
function pickCall(random: Random, calls: readonly string[]): number {
  const kind = random.pick([...new Set(calls)]);
  return random.pick(calls.flatMap((each, index) => (each === kind ? [index + 1] : [])));
}

const failures = ["refused", "reset", "time-out", "too-many", "error", "garbage", "slow"] as const;

function drawCallFault(random: Random, process: string, call: number): CallFault {
  const how = random.pick(failures);
  const done = how === "slow" || (how !== "refused" && how !== "too-many" && random.chance(0.5));
  return { fault: "call", process, call, with: how, done };
}

/** Returns the operators whose webhooks were called. */
function operatorsWithCalls({ trace }: Run): string[] {
  const processes = trace.flatMap((event) => (event.type === "webhook" ? [event.process ?? ""] : []));
  return [...new Set(processes.map((process) => process.replace(/-\d+$/, "")))].filter(Boolean);
}

/** Turns some deletions into a deletion after which the object is created again. */
function orRecreate(kind: "delete-child" | "edit-child", random: Random): ChildFault["fault"] {
  return kind === "delete-child" && random.fork("again").chance(0.5) ? "recreate-child" : kind;
}

/** Draws a moment at which something changed: a fault at an idle time disturbs nobody. */
function drawMoment(random: Random, { trace, duration }: Run): number {
  const moments = trace.filter(({ type }) => type === "change" || type === "step");
  return moments.length === 0 ? random.next() * duration : random.pick(moments).at;
}

function countChildren({ trace, writes }: Run): number {
  return trace.filter((event) => event.type === "change" && event.change === "ADDED" && event.by in writes)
    .length;
}
