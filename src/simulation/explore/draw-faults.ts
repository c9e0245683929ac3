import type { Fault, Run } from "../contract/index.ts";
import type { Random } from "../random/index.ts";

/** Faults for a scenario, aimed at what an undisturbed run of it did. */
export function drawFaults(random: Random, plain: Run): Fault[] {
  const targets = Object.keys(plain.writes).filter((process) => plain.requests[process]! > 0);
  if (targets.length === 0) return [];
  const count = random.pick([1, 1, 1, 2, 2, 3]);
  return Array.from({ length: count }, () => drawFault(random, plain, random.pick(targets)));
}

function drawFault(random: Random, plain: Run, process: string): Fault {
  const hasLease = plain.trace.some(({ type }) => type === "leads");
  const kind = random.pick([
    ...kinds,
    ...(hasLease ? (["lease"] as const) : []),
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
    return { fault: kind, child: random.integer(0, Math.max(0, childrenOf(plain) - 1)), at };
  const during = random.pick([100, 1000, 5000, 20_000]);
  if (kind === "clock")
    return { fault: kind, process, at, for: during, by: random.pick([-3_600_000, -5000, 5000, 3_600_000]) };
  return { fault: kind, process, at, for: during };
}

const kinds = ["refuse", "hold", "break", "expire", "cut", "clock", "delete-child", "edit-child"] as const;

/** When something happened: faults at idle times disturb nobody. */
function momentOf(random: Random, { trace, duration }: Run): number {
  const moments = trace.filter(({ type }) => type === "change" || type === "step");
  return moments.length === 0 ? random.next() * duration : random.pick(moments).at;
}

function childrenOf({ trace, writes }: Run): number {
  return trace.filter((event) => event.type === "change" && event.change === "ADDED" && event.by in writes)
    .length;
}
