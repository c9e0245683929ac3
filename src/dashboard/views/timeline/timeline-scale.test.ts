import * as fc from "fast-check";
import { expect, test } from "vitest";
import { History, type Reconcile } from "../../history/history.ts";
import { madeCall, madeObject, timeOf } from "../../../dev/record/testdata/made-records.ts";
import { barsOf, callLanesOf, failingStretches, marksOf, ticksOf } from "./timeline-scale.ts";

function reconcile(request: string, from: number, to: number, controller = "shop"): Reconcile {
  return {
    type: "reconcile",
    at: new Date(from).toISOString(),
    controller,
    request,
    reconcileID: `${controller} ${request} ${from}`,
    causes: [],
    requests: [],
    outcome: "done",
    from,
    to,
  };
}

test("reconciles that would stand upon each other are one bar", () => {
  const bars = barsOf([reconcile("a", 0, 1), reconcile("a", 2, 3), reconcile("a", 500, 600)], 0, 1000, 1);
  expect(bars.map(({ left, width, items }) => [left, width, items.length])).toEqual([
    [0, 8, 2],
    [500, 100, 1],
  ]);
});

test("an object fails from a reconcile that failed until one that didn't; a conflict says nothing", () => {
  const outcomes = ["done", "error", "conflict", "error", "done", "terminal"] as const;
  const reconciles = outcomes.map((outcome, index) => ({
    ...reconcile("a", index * 100, index * 100 + 10),
    outcome,
  }));
  expect(failingStretches(reconciles, 0, 1000)).toEqual([
    { from: 100, to: 400 },
    { from: 500, to: 1000 },
  ]);
  expect(failingStretches(reconciles, 200, 450)).toEqual([{ from: 200, to: 400 }]);
  expect(failingStretches(reconciles, 0, 350)).toEqual([{ from: 100, to: 350 }]);
});

test("whatever is zoomed into, each reconcile of the stretch has one bar, and no two bars touch", () => {
  const spans = fc.array(fc.tuple(fc.nat(200), fc.nat(50)), { minLength: 1, maxLength: 60 });
  const stretch = fc.tuple(fc.integer({ min: -100, max: 5000 }), fc.integer({ min: 1, max: 5000 }));
  fc.assert(
    fc.property(
      spans,
      stretch,
      fc.double({ min: 0.01, max: 20, noNaN: true }),
      (given, [from, long], scale) => {
        let at = 0;
        const reconciles = given.map(([gap, took]) => {
          const began = at + gap;
          at = began + took;
          return reconcile("a", began, at);
        });
        const bars = barsOf(reconciles, from, from + long, scale);
        expect(bars.flatMap((bar) => bar.items)).toEqual(
          reconciles.filter((one) => one.to >= from && one.from <= from + long),
        );
        const gaps = bars.slice(1).map(({ left }, index) => left - bars[index]!.left - bars[index]!.width);
        expect(gaps.filter((gap) => gap <= 0)).toEqual([]);
      },
    ),
  );
});

test("the axis names round moments with space between them", () => {
  expect(ticksOf(950, 3100, 0.2)).toEqual([1000, 1500, 2000, 2500, 3000]);
  expect(ticksOf(0, 10, 100)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test("marks have space for words up to the next one, and those that have not stand for several", () => {
  const acts = [5, 10, 100, 1000, 2000].map((at) => ({ at, by: "page" as const, text: "" }));
  const marks = marksOf(acts, 10, 1500, 1);
  expect(marks.map(({ left, width, acts: own }) => [left, width, own.map(({ at }) => at)])).toEqual([
    [0, 990, [10, 100]],
    [990, 500, [1000]],
  ]);
});

test("each webhook has a lane for each object, in which calls may overlap; conversions share one", () => {
  const history = new History();
  history.add(madeCall(20, { webhook: "v.kb.io", call: "validating", seconds: 0.05 }));
  history.add(madeCall(10));
  history.add(madeCall(15, { key: "default/other" }));
  history.add(madeCall(5));
  const { resource, by } = madeCall(0);
  for (const name of ["a", "b"])
    history.add({
      type: "webhook",
      call: "conversion",
      at: timeOf(30),
      seconds: 0.01,
      uid: name,
      configuration: resource,
      resource,
      by,
      apiVersion: "shop.example/v2",
      count: 1,
      objects: [madeObject({}, { name })],
    });
  const lanes = callLanesOf(history.calls);
  expect(lanes.map(({ name, calls }) => [name, calls.map(({ from }) => from)])).toEqual([
    [`mutating webhook mmysql.kb.io ${resource} default/db`, [5, 10]],
    [`mutating webhook mmysql.kb.io ${resource} default/other`, [15]],
    [`validating webhook v.kb.io ${resource} default/db`, [20]],
    [`conversion webhook of ${resource} ${resource} `, [30, 30]],
  ]);
  expect(barsOf(lanes[0]!.calls, 0, 100, 1).map(({ items }) => items.length)).toEqual([2]);
});
