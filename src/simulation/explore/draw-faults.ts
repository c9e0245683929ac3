import type {
  CallFault,
  ChildFault,
  Fault,
  RefusalFault,
  ReleaseFault,
  Run,
  SimulatedOperator,
} from "../contract/index.ts";
import { eventsIn } from "../contract/run.ts";
import { Random } from "@tsbuilder/apimachinery/sample";
import { resourceIn } from "../world/replica.ts";
import { type Act, type Aims, aimsIn, type Moment } from "./aims.ts";

/**
 * Draws the faults of a run, aimed at writes, reads, calls and moments of the undisturbed run. Each phase has its own, since what
 * happens in the deletion is no part of the outcome of the steps. The first of a phase is at a point whose turn it is, so that
 * successive seeds go through all of them.
 */
export function drawFaults(
  random: Random,
  plain: Run,
  operators: readonly SimulatedOperator[] = [],
  turn = random.fork("turn").integer(0, 9999),
): Fault[] {
  const installs = drawInstalls(random.fork("installs"), plain, operators);
  const [install] = installs;
  // A release that is out cannot be mended: a mistake that it makes when something else goes wrong is of no interest.
  if (install?.fault === "rollback") return installs;
  // In every second run, what the former release left is all that is unusual.
  if (install && random.fork("alone").chance(0.5)) return installs;
  const inPhases = aimsIn(plain, turn).map((aims) =>
    drawInPhase(random.fork(aims.phase ?? "steps"), plain, aims, { turn, operators }),
  );
  return [
    ...installs,
    ...drawRefusedWrites(random.fork("controllers"), plain),
    ...drawPodFaults(random.fork("pods"), plain),
    ...inPhases.flat(),
  ];
}

/** Which points are struck: those whose turn it is, of what the operators can meet. */
interface Choice {
  readonly turn: number;
  readonly operators: readonly SimulatedOperator[];
}

function drawInPhase(random: Random, plain: Run, aims: Aims, { turn, operators }: Choice): Fault[] {
  const hasOwnClock = operators.some(({ program }) => program);
  const points = faultPoints(plain, aims).filter(({ fault }) => fault !== "clock" || !hasOwnClock);
  if (points.length === 0) return [];
  const first = inTurn(points, turn);
  // A process that starts or lists again looks at everything, and so makes up for what was not retried.
  const beside = isQuiet(first) ? points.filter(isQuiet) : points;
  const further = Array.from({ length: random.pick([0, 1, 1, 2]) }, () => random.pick(beside));
  return [first, ...further].map((point) => drawFault(random, plain, aims, { point, hasOwnClock }));
}

interface Drawn {
  readonly point: FaultPoint;
  /** The operator runs in a process of its own, whose clock nobody moves. */
  readonly hasOwnClock: boolean;
}

/** Returns the point whose turn it is. Points that are drawn one after the other are far apart in the list. */
function inTurn(points: readonly FaultPoint[], turn: number): FaultPoint {
  return new Random(Math.floor(turn / points.length)).shuffled(points)[turn % points.length]!;
}

/** A fault that may be drawn: its kind, and what it strikes. */
type FaultPoint =
  | { readonly fault: "crash"; readonly strikes: Strikes }
  | { readonly fault: "refuse"; readonly strikes: Strikes; readonly ways: readonly Way<RefusalFault>[] }
  | { readonly fault: "call"; readonly strikes: Strikes; readonly ways: readonly Way<CallFault>[] }
  | { readonly fault: "child" }
  | { readonly fault: "watch" | "cut" | "lease" | "clock" | "webhook"; readonly process: string };

type Strikes = Pick<Act, "process" | "what" | "kind">;

type Way<Failure extends RefusalFault | CallFault> = readonly [how: Failure["with"], done: boolean];

/** How requests fail, by what an operator makes of it. */
const refusals = {
  conflict: [["conflict", false]],
  undone: [
    ["too-many", false],
    ["error", false],
    ["reset", false],
    ["time-out", false],
  ],
  done: [
    ["error", true],
    ["reset", true],
    ["time-out", true],
  ],
} as const satisfies Record<string, readonly Way<RefusalFault>[]>;

/** How calls fail, by what an operator makes of it: `fetch()` throws, or the answer says so, or what was done isn't known. */
const failures = [
  [
    ["refused", false],
    ["reset", false],
    ["time-out", false],
  ],
  [
    ["too-many", false],
    ["error", false],
  ],
  [
    ["reset", true],
    ["time-out", true],
    ["error", true],
  ],
  [
    ["garbage", false],
    ["garbage", true],
    ["slow", true],
  ],
] as const satisfies readonly (readonly Way<CallFault>[])[];

/** Returns whether a fault leaves the process and its watches as they are. */
function isQuiet({ fault }: FaultPoint): boolean {
  return fault === "refuse" || fault === "call";
}

/** Returns the faults that an operator may meet. Each kind of request and call counts on its own: the rare ones are those that matter. */
function faultPoints(plain: Run, { acts, phase }: Aims): FaultPoint[] {
  const struck = new Map(acts.map((act) => [`${act.process} ${act.what} ${act.kind}`, act]));
  const ofActs = [...struck.values()].flatMap((strikes): FaultPoint[] => {
    if (strikes.what === "read") return [{ fault: "refuse", strikes, ways: refusals.undone }];
    const crash: FaultPoint = { fault: "crash", strikes };
    return strikes.what === "call"
      ? [crash, ...failures.map((ways) => ({ fault: "call" as const, strikes, ways }))]
      : [
          crash,
          crash,
          ...Object.values(refusals).map((ways) => ({ fault: "refuse" as const, strikes, ways })),
        ];
  });
  const hasLease = plain.trace.some(({ type }) => type === "leads" || type === "claims");
  const timed = [
    "watch",
    "watch",
    "cut",
    "clock",
    ...(hasLease ? (["lease"] as const) : []),
    ...(operatorsWithCalls(plain).length > 0 ? (["webhook"] as const) : []),
  ] as const;
  const processes = [...new Set(acts.map(({ process }) => process))];
  return [
    ...ofActs,
    ...processes.flatMap((process) => timed.map((fault) => ({ fault, process }))),
    ...(phase === undefined ? [{ fault: "child" as const }, { fault: "child" as const }] : []),
  ];
}

function drawFault(random: Random, plain: Run, aims: Aims, { point, hasOwnClock }: Drawn): Fault {
  switch (point.fault) {
    case "crash":
      return drawCrash(random, aims.draw(random, point.strikes), plain, hasOwnClock);
    case "refuse": {
      const { process, kind, request, place } = aims.draw(random, point.strikes);
      const [how, done] = random.pick(point.ways);
      const refusal = { fault: "refuse", process, with: how, done } as const;
      return {
        ...refusal,
        ...(lasts(random) ? { requests: kind, ...around(random, place) } : { request, ...phaseOf(place) }),
      };
    }
    case "call": {
      const { process, kind, number, place } = aims.draw(random, point.strikes);
      const [how, isDone] = random.pick(point.ways);
      // Who needs nothing of the answer to a write rightly takes a 200 for what it says.
      const done = isDone || (how === "garbage" && !/^(?:GET|HEAD) /.test(kind));
      const failure = { fault: "call", process, with: how, done } as const;
      return {
        ...failure,
        ...(lasts(random) ? { calls: kind, ...around(random, place) } : { call: number, ...phaseOf(place) }),
      };
    }
    case "child":
      return drawChildFault(random, plain);
    default:
      return drawTimedFault(random, plain, aims, point);
  }
}

function drawTimedFault(
  random: Random,
  plain: Run,
  aims: Aims,
  { fault, process }: Extract<FaultPoint, { readonly process: string }>,
): Fault {
  const duration = random.pick(durations);
  const place = { ...later(aims.moment(random), random.next() * 1000 - 800), for: duration };
  switch (fault) {
    case "clock":
      return { fault, process, ...place, by: random.pick([-3_600_000, -5000, 5000, 3_600_000]) };
    case "webhook": {
      const delay = random.chance(0.5) ? random.pick([500, 5000, 15_000]) : undefined;
      const operator = random.pick(operatorsWithCalls(plain));
      return { fault, operator, ...place, ...(delay !== undefined && { delay }) };
    }
    case "cut":
      return { fault: random.pick(["cut", "suspend"]), process, ...place };
    case "watch": {
      const how = random.pick(["hold", "break", "expire"] as const);
      return { fault: how, process, ...place, ...(how === "hold" && drawResource(random, process, plain)) };
    }
    case "lease":
      return { fault, process, ...place };
  }
}

/** Milliseconds that a fault lasts. */
const durations = [100, 1000, 5000, 20_000] as const;

/** Returns a moment some milliseconds later. */
function later({ at, ...rest }: Moment, milliseconds: number): Moment {
  return { ...rest, at: Math.max(0, Math.round(at + milliseconds)) };
}

function drawCrash(random: Random, act: Act, plain: Run, hasOwnClock: boolean): Fault {
  const { process, what, kind, number, ofKind, place } = act;
  const lag = random.chance(0.5) ? random.integer(100, 20_000) : undefined;
  return {
    fault: "crash",
    process,
    ...(what === "call" ? { call: number } : hasOwnClock ? { write: ofKind, kind } : { write: number }),
    when: random.pick(["before", "at", "after"]),
    down: random.pick([10, 500, 3000, 20_000]),
    ...(lag !== undefined && { lag, ...drawResource(random, process, plain) }),
    ...phaseOf(place),
  };
}

/** Lets only the view of one resource be out of date in every second case: what a process knows is of different times then. */
function drawResource(random: Random, process: string, { trace }: Run): { readonly of?: string } {
  const own = random.fork("resource");
  const resources = new Set(
    trace.flatMap((event) =>
      event.type === "watch" && event.process === process ? [resourceIn(event.path)] : [],
    ),
  );
  return resources.size > 1 && own.chance(0.5) ? { of: own.pick([...resources]) } : {};
}

function phaseOf({ in: phase }: Moment): Pick<Fault, "in"> {
  return phase === undefined ? {} : { in: phase };
}

/** Decides whether a fault strikes all of a kind for a while. Such a one meets its aim even if another has changed the numbers. */
function lasts(random: Random): boolean {
  return random.chance(0.7);
}

/** Returns a time around a moment. */
function around(random: Random, moment: Moment): Moment & { readonly for: number } {
  const before = Math.round(random.next() * 500);
  return { ...later(moment, -before), for: before + random.pick(durations) };
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
      ...later(drawMoment(random, plain), random.next() * 10_000),
      // An operator may give up on a pod that isn't ready for longer.
      for: random.pick([1000, 5000, 15_000]),
    },
  ];
}

/** Milliseconds after which pods are evicted from a node that can't be reached, and some more. */
const longOutage = 400_000;

/** Milliseconds in which a rollout takes its next step, if it pauses at each. */
const longestPause = 2 * 3_600_000;

/**
 * Draws a time for which the node can't be reached. If it is long, the steps have been carried out before, and nothing follows
 * soon: an operator may rightly give up a rollout that makes no progress for minutes.
 */
function drawOutage(random: Random, plain: Run): Fault {
  const end = plain.trace.find(({ type }) => type === "phase")!.at;
  const isUnderWay = eventsIn("months", plain.trace).some(
    (event) => event.type === "change" && event.by in plain.writes && event.at < end + longestPause,
  );
  if (random.chance(0.5) || isUnderWay)
    return { fault: "node", ...later(drawMoment(random, plain), random.next() * 1000), for: 15_000 };
  return { fault: "node", at: Math.round(end), for: longOutage };
}

/** Draws a moment of the run, mostly in the steps. */
function drawMoment(random: Random, plain: Run): Moment {
  const [steps, ...others] = aimsIn(plain);
  return random.pick([steps!, steps!, steps!, ...others]).moment(random);
}

/** Lets a write of the cluster's controllers fail in every third run; sometimes the server has carried it out. */
function drawRefusedWrites(random: Random, { controllerWrites }: Run): Fault[] {
  if (controllerWrites === 0 || !random.chance(0.33)) return [];
  const refusalKind = random.pick(["conflict", "error"] as const);
  const request = random.integer(1, controllerWrites);
  const done = refusalKind === "error" && random.chance(0.5);
  return [{ fault: "refuse", process: "controllers", request, with: refusalKind, done }];
}

/** Lets a run begin with the former releases of operators, or try their next ones. */
function drawInstalls(random: Random, plain: Run, operators: readonly SimulatedOperator[]): ReleaseFault[] {
  const moments = eventsIn("steps", plain.trace).filter(({ type }) => type === "change" || type === "step");
  if (moments.length === 0) return [];
  return operators.flatMap(({ name: operator, former, next }): ReleaseFault[] => {
    if (!former && !next) return [];
    const at = Math.round(random.pick(moments).at + random.next() * 1000);
    return former
      ? [{ fault: "upgrade", operator, at }]
      : [{ fault: "rollback", operator, at, for: random.pick(durationsOfRelease) }];
  });
}

/** Milliseconds for which the next release runs: less than a rollout takes, or long enough to do all that it does. */
const durationsOfRelease = [2000, 20_000, 60_000, 300_000] as const;

/** Returns the operators whose webhooks were called. */
function operatorsWithCalls({ trace }: Run): string[] {
  const processes = trace.flatMap((event) => (event.type === "webhook" ? [event.process ?? ""] : []));
  return [...new Set(processes.map((process) => process.replace(/-\d+$/, "")))].filter(Boolean);
}

/** Draws a fault of a child before the deletion: in every second case once all is done, when nothing else tells the operator. */
function drawChildFault(random: Random, plain: Run): ChildFault {
  const trace = eventsIn("steps", plain.trace);
  const moments = trace.filter(({ type }) => type === "change" || type === "step");
  const children = trace.filter(
    (event) => event.type === "change" && event.change === "ADDED" && event.by in plain.writes,
  ).length;
  const moment = (random.chance(0.5) ? moments.at(-1) : random.pick(moments))?.at ?? 0;
  return {
    fault: random.pick(["edit-child", "edit-child", "delete-child", "recreate-child"]),
    child: random.integer(0, Math.max(0, children - 1)),
    at: Math.round(moment + random.next() * 5000),
  };
}
