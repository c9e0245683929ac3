import { expect, test } from "vitest";
import { runOf } from "../../../e2e/support/simulation/simulated-run.ts";
import type { Fault, Phase, Run, TraceEvent } from "../contract/index.ts";
import { Random } from "@tsbuilder/apimachinery/sample";
import { drawFaults } from "./draw-faults.ts";

const process = "shop-0";

function call(at: number, text: string): TraceEvent {
  return { at, type: "call", process, to: "dns", text, status: 200, isChange: true };
}

function phase(at: number, name: Phase): TraceEvent {
  return { at, type: "phase", phase: name, rests: true };
}

function runWith(trace: readonly TraceEvent[]): Run {
  return { ...runOf(trace), writes: { [process]: 0 }, requests: { [process]: 1 } };
}

function drawn(run: Run, seeds = 60): Fault[] {
  return Array.from({ length: seeds }, (_, seed) => drawFaults(new Random(seed), run, [], seed)).flat();
}

const restarts = [phase(100, "restart"), phase(200, "months"), phase(300, "late restart")];

test("each run has faults in the deletion, too, which count from its beginning", () => {
  const run = runWith([
    call(0, "PUT /a"),
    phase(50, "steps"),
    call(60, "GET /a"),
    ...restarts,
    call(310, "DELETE /a"),
    phase(400, "deletion"),
  ]);
  const inDeletion = drawn(run).filter((fault) => fault.in === "deletion");
  expect(inDeletion.length).toBeGreaterThanOrEqual(60);
  const failed = inDeletion.filter((fault) => fault.fault === "call");
  expect(new Set(failed.flatMap((fault) => ("call" in fault ? [fault.call] : [])))).toEqual(new Set([1]));
  expect(new Set(failed.flatMap((fault) => ("calls" in fault ? [fault.calls] : [])))).toEqual(
    new Set(["DELETE dns"]),
  );
  expect(failed.every((fault) => !("at" in fault) || fault.at <= 10)).toBe(true);
});

test("nothing strikes in months in which nothing is due", () => {
  const steps = [call(0, "PUT /a"), phase(50, "steps")];
  const [restart, months, late] = restarts as [TraceEvent, TraceEvent, TraceEvent];
  const phasesOf = (trace: readonly TraceEvent[]) => new Set(drawn(runWith(trace)).map((fault) => fault.in));
  const end = [late, call(310, "DELETE /a"), phase(400, "deletion")];
  expect(phasesOf([...steps, restart, months, ...end])).toEqual(new Set([undefined, "deletion"]));
  expect(phasesOf([...steps, restart, call(150, "PUT /a"), months, ...end])).toContain("months");
});

test("a node goes away for long only once nothing is under way", () => {
  const change = (at: number, resource: string, by = process): TraceEvent =>
    ({
      at,
      type: "change",
      by,
      change: "ADDED",
      resource,
      key: "default/a",
      fields: [],
    }) as unknown as TraceEvent;
  const outages = (...inMonths: TraceEvent[]): Set<number> => {
    const steps = [change(0, "deployments.apps"), change(10, "pods", "cluster"), phase(50, "steps")];
    const trace = [
      ...steps,
      phase(100, "restart"),
      ...inMonths,
      phase(9e9, "months"),
      phase(9e9, "deletion"),
    ];
    const faults = drawn(runWith(trace), 300);
    return new Set(faults.flatMap((fault) => (fault.fault === "node" ? [fault.for] : [])));
  };
  expect(outages(change(86_400_000, "shops"))).toEqual(new Set([15_000, 400_000]));
  // A rollout that pauses for an hour goes on.
  expect(outages(change(3_600_000, "shops"))).toEqual(new Set([15_000]));
});

test.each(["PUT dns", "DELETE dns"])(
  "each way to fail has its turn at %s: no connection, an answer that says so, no answer to what was done, nonsense",
  (kind) => {
    const run = runWith([call(0, "PUT /a"), call(5, "DELETE /b"), phase(50, "steps")]);
    const ways = drawn(run, 20).flatMap((fault) =>
      fault.fault === "call" &&
      ("calls" in fault ? fault.calls : ["PUT dns", "DELETE dns"][fault.call - 1]) === kind
        ? [`${fault.with}${fault.done ? ", done" : ""}`]
        : [],
    );
    for (const way of [
      /^(refused|reset|time-out)$/,
      /^(too-many|error)$/,
      /^(reset|time-out|error), done/,
      /^(garbage|slow)/,
    ])
      expect(ways).toContainEqual(expect.stringMatching(way));
  },
);

test("no write is answered with 200 that was not carried out", () => {
  const run = runWith([call(0, "PUT /a"), call(5, "GET /a"), phase(50, "steps")]);
  const garbage = drawn(run, 300).flatMap((fault) =>
    fault.fault === "call" && fault.with === "garbage" && "calls" in fault
      ? [`${fault.calls}${fault.done ? ", done" : ""}`]
      : [],
  );
  expect(new Set(garbage)).toEqual(new Set(["PUT dns, done", "GET dns", "GET dns, done"]));
});

test("a process dies at the one write that something else follows as often as at the many that nothing follows", () => {
  const puts = Array.from({ length: 50 }, (_, index) => call(index * 5000, `PUT /${index}`));
  const run = runWith([...puts, call(250_000, "PUT /a"), call(250_001, "POST /b"), phase(300_000, "steps")]);
  const deaths = drawn(run, 300).flatMap((fault) =>
    fault.fault === "crash" && "call" in fault && fault.call <= 51 ? [fault.call] : [],
  );
  const rare = deaths.filter((number) => number === 51).length;
  expect(rare / deaths.length).toBeGreaterThan(0.1);
});
