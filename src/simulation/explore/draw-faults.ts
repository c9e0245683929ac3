import type { CallFault, ChildFault, Fault, Run, SimulatedOperator, TraceEvent } from "../contract/index.ts";
import { Random } from "../random.ts";

/**
 * Draws the faults of a run, aimed at writes, requests and moments of the undisturbed run. The first is at a point whose turn it
 * is, so that successive seeds go through all of them.
 */
export function drawFaults(
  random: Random,
  plain: Run,
  operators: readonly SimulatedOperator[] = [],
  turn = random.fork("turn").integer(0, 9999),
): Fault[] {
  const targets = Object.keys(plain.writes).filter((process) => plain.requests[process]! > 0);
  if (targets.length === 0) return [];
  const points = faultPoints(plain, targets);
  const further = Array.from({ length: random.pick([0, 0, 0, 1, 1, 2]) }, () => random.pick(points));
  const faults = [inTurn(points, turn), ...further].map((point) => drawFault(random, plain, point));
  return [
    ...drawUpgrades(random.fork("upgrades"), plain, operators),
    ...drawRefusedWrites(random.fork("controllers"), plain),
    ...drawPodFaults(random.fork("pods"), plain),
    ...faults,
  ];
}

/** Returns the point whose turn it is. Points that are drawn one after the other are far apart in the list. */
function inTurn(points: readonly FaultPoint[], turn: number): FaultPoint {
  return new Random(Math.floor(turn / points.length)).shuffled(points)[turn % points.length]!;
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
  const moments = beforeRest(plain).filter(({ type }) => type === "change" || type === "step");
  if (moments.length === 0) return [];
  return operators.flatMap(({ name, former }): Fault[] => {
    const at = Math.round(random.pick(moments).at + random.next() * 1000);
    return former && random.chance(0.5) ? [{ fault: "upgrade", operator: name, at }] : [];
  });
}

/** A fault that may be drawn: its kind, and the kind of the write or the call that it strikes. */
interface FaultPoint {
  readonly fault: (typeof kinds)[number] | "crash" | "call" | "lease" | "webhook";
  readonly process: string;
  /** The kind of the write, such as `PATCH ConfigMap.v1`. */
  readonly write?: string;
  /** The kind of the call, such as `POST dns`. */
  readonly call?: string;
}

/** The kinds of faults that every operator may meet, besides crashes. */
const kinds = ["refuse", "hold", "break", "expire", "cut", "clock", "delete-child", "edit-child"] as const;

/** Returns the faults that an operator may meet. Each kind of write and call counts on its own: the rare ones are those that matter. */
function faultPoints(plain: Run, targets: readonly string[]): FaultPoint[] {
  const hasLease = plain.trace.some(({ type }) => type === "leads" || type === "claims");
  return targets.flatMap((process) => {
    const calls = new Set(callsBy(process, plain));
    return [
      ...[...new Set(writesBy(process, plain))].map((write) => ({ fault: "crash" as const, process, write })),
      ...[...calls].flatMap((call): FaultPoint[] => [
        { fault: "call", process, call },
        { fault: "crash", process, call },
        { fault: "call", process, call },
      ]),
      ...kinds.map((fault) => ({ fault, process })),
      ...(hasLease ? [{ fault: "lease" as const, process }] : []),
      ...(operatorsWithCalls(plain).length > 0 ? [{ fault: "webhook" as const, process }] : []),
    ];
  });
}

function drawFault(random: Random, plain: Run, point: FaultPoint): Fault {
  const { fault: kind, process, write, call } = point;
  if (kind === "call")
    return drawCallFault(random, process, pickNumber(random, callsBy(process, plain), call));
  const writes = plain.writes[process]!;
  if (kind === "crash") {
    const lag = random.chance(0.5) ? random.integer(100, 20_000) : undefined;
    return {
      fault: "crash",
      process,
      ...(call === undefined
        ? { write: Math.min(writes, pickNumber(random, writesBy(process, plain), write)) }
        : { call: pickNumber(random, callsBy(process, plain), call) }),
      when: random.pick(["before", "at", "after"]),
      down: random.pick([10, 500, 3000, 20_000]),
      ...(lag !== undefined && { lag }),
    };
  }
  if (kind === "refuse") {
    const refusalKind = random.pick(["conflict", "too-many", "error", "time-out", "reset"] as const);
    const request = random.integer(1, plain.requests[process]!);
    const done = refusalKind !== "conflict" && refusalKind !== "too-many" && random.chance(0.5);
    return { fault: "refuse", process, request, with: refusalKind, done };
  }
  if (kind === "delete-child" || kind === "edit-child") return drawChildFault(random, plain, kind);
  const at = Math.max(0, Math.round(drawMoment(random, plain) + random.next() * 1000 - 800));
  const duration = random.pick([100, 1000, 5000, 20_000]);
  if (kind === "clock")
    return { fault: kind, process, at, for: duration, by: random.pick([-3_600_000, -5000, 5000, 3_600_000]) };
  if (kind === "webhook") {
    const delay = random.chance(0.5) ? random.pick([500, 5000, 15_000]) : undefined;
    const operator = random.pick(operatorsWithCalls(plain));
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

/** Returns what kind of write each write of a process was: its method, and the kind of the object. */
function writesBy(process: string, { trace }: Run): string[] {
  return trace.flatMap((event) =>
    event.type === "request" && event.process === process && event.method !== "GET"
      ? [
          `${event.method} ${event.object?.split(" ")[0]} ${/\/(status|scale|finalizers)\b/.exec(event.path)?.[1]}`,
        ]
      : [],
  );
}

/** Draws the number of a write or a call of a kind. */
function pickNumber(random: Random, all: readonly string[], kind: string | undefined): number {
  return random.pick(all.flatMap((each, index) => (each === kind ? [index + 1] : [])));
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

/** Draws a fault of a child before the deletion: in every second case once all is done, when nothing else tells the operator. */
function drawChildFault(random: Random, plain: Run, kind: "delete-child" | "edit-child"): ChildFault {
  const trace = beforeRest(plain);
  const moments = trace.filter(({ type }) => type === "change" || type === "step");
  const children = trace.filter(
    (event) => event.type === "change" && event.change === "ADDED" && event.by in plain.writes,
  ).length;
  const moment = (random.chance(0.5) ? moments.at(-1) : random.pick(moments))?.at ?? 0;
  return {
    fault: orRecreate(kind, random),
    child: random.integer(0, Math.max(0, children - 1)),
    at: Math.round(moment + random.next() * 5000),
  };
}

/** Returns what happened until everything rested after the steps. */
function beforeRest({ trace }: Run): Run["trace"] {
  const end = trace.findIndex(({ type }) => type === "phase");
  return end === -1 ? trace : trace.slice(0, end);
}

/** Turns some deletions into a deletion after which the object is created again. */
function orRecreate(kind: "delete-child" | "edit-child", random: Random): ChildFault["fault"] {
  return kind === "delete-child" && random.fork("again").chance(0.5) ? "recreate-child" : kind;
}

/** Draws a moment at which something changed, mostly before everything rested: a fault at an idle time disturbs nobody. */
function drawMoment(random: Random, plain: Run): number {
  const isMoment = ({ type }: TraceEvent): boolean => type === "change" || type === "step";
  const early = beforeRest(plain).filter(isMoment);
  const moments = early.length > 0 && random.chance(0.7) ? early : plain.trace.filter(isMoment);
  return moments.length === 0 ? random.next() * plain.duration : random.pick(moments).at;
}
