import type { ChildFault, Fault, Run, SimulatedOperator } from "../contract/index.ts";
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
    ...faults,
  ];
}

/** Lets a write of the cluster's controllers fail in every third run; sometimes the server has carried it out. */
function drawRefusedWrites(random: Random, { controllerWrites }: Run): Fault[] {
  if (controllerWrites === 0 || !random.chance(0.33)) return [];
  const how = random.pick(["conflict", "error"] as const);
  const request = random.integer(1, controllerWrites);
  const done = how === "error" && random.chance(0.5);
  return [{ fault: "refuse", process: "controllers", request, with: how, done }];
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

function drawFault(random: Random, plain: Run, process: string): Fault {
  const called = calledIn(plain);
  const hasLease = plain.trace.some(({ type }) => type === "leads" || type === "claims");
  const kind = random.pick([
    ...kinds,
    ...(hasLease ? (["lease"] as const) : []),
    ...(called.length > 0 ? (["webhook"] as const) : []),
    "crash",
    "crash",
    "crash",
  ] as const);
  const writes = plain.writes[process]!;
  if (kind === "crash" && writes > 0) {
    const lag = random.chance(0.5) ? random.integer(100, 20_000) : undefined;
    return {
      fault: "crash",
      process,
      write: random.integer(1, writes),
      when: random.pick(["before", "at", "after"]),
      down: random.pick([10, 500, 3000, 20_000]),
      ...(lag !== undefined && { lag }),
    };
  }
  if (kind === "refuse" || kind === "crash") {
    const how = random.pick(["conflict", "too-many", "error", "time-out", "reset"] as const);
    const request = random.integer(1, plain.requests[process]!);
    const done = how !== "conflict" && how !== "too-many" && random.chance(0.5);
    return { fault: "refuse", process, request, with: how, done };
  }
  const at = Math.max(0, Math.round(momentOf(random, plain) + random.next() * 1000 - 800));
  if (kind === "delete-child" || kind === "edit-child")
    return { fault: againOr(kind, random), child: random.integer(0, Math.max(0, childrenOf(plain) - 1)), at };
  const during = random.pick([100, 1000, 5000, 20_000]);
  if (kind === "clock")
    return { fault: kind, process, at, for: during, by: random.pick([-3_600_000, -5000, 5000, 3_600_000]) };
  if (kind === "webhook") {
    const delay = random.chance(0.5) ? random.pick([500, 5000, 15_000]) : undefined;
    const operator = random.pick(called);
    return { fault: kind, operator, at, for: during, ...(delay !== undefined && { delay }) };
  }
  if (kind === "cut" && random.fork("suspend").chance(0.5))
    return { fault: "suspend", process, at, for: during };
  return { fault: kind, process, at, for: during };
}

/** Returns the operators whose webhooks were called. */
function calledIn({ trace }: Run): string[] {
  const processes = trace.flatMap((event) => (event.type === "webhook" ? [event.process ?? ""] : []));
  return [...new Set(processes.map((process) => process.replace(/-\d+$/, "")))].filter(Boolean);
}

/** Turns some deletions into one with a second creation. */
function againOr(kind: "delete-child" | "edit-child", random: Random): ChildFault["fault"] {
  return kind === "delete-child" && random.fork("again").chance(0.5) ? "recreate-child" : kind;
}

const kinds = ["refuse", "hold", "break", "expire", "cut", "clock", "delete-child", "edit-child"] as const;

/** Draws a moment at which something changed: a fault at an idle time disturbs nobody. */
function momentOf(random: Random, { trace, duration }: Run): number {
  const moments = trace.filter(({ type }) => type === "change" || type === "step");
  return moments.length === 0 ? random.next() * duration : random.pick(moments).at;
}

/** Returns the number of objects that processes created. */
function childrenOf({ trace, writes }: Run): number {
  return trace.filter((event) => event.type === "change" && event.change === "ADDED" && event.by in writes)
    .length;
}
