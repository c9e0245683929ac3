import { expect, test } from "vitest";
import type { Recorded } from "../../dev/record/recorded.ts";
import { Findings } from "../../dev/record/findings/findings.ts";
import { History } from "./history.ts";
import { healthOf, problemsOf } from "./problems.ts";
import { each, madeReconcile, madeRequest, madeWrite } from "../../dev/record/testdata/made-records.ts";

const stack = (name: string): string =>
  `TypeError: no size of ${name}\n    at sizeOf (/home/ann/shop/src/controller/size.ts:12:3)\n    at run (/home/ann/shop/node_modules/a/b.js:1:1)`;

const mysql = (name: string, status: object = {}): Recorded =>
  madeWrite({ at: 0, write: "ADDED" }, { metadata: { namespace: "default", name, uid: name }, status });

const failed = (at: number, name: string, more: object = {}): Recorded =>
  madeReconcile(at, {
    request: `default/${name}`,
    outcome: "error",
    error: `no size of ${name}`,
    stack: stack(name),
    ...more,
  });

function judge(recorded: readonly Recorded[], moment = 1000) {
  const [history, findings] = [new History(), new Findings()];
  for (const one of recorded) {
    history.add(one);
    findings.add(one);
  }
  const health = healthOf(history, moment);
  return { health, problems: problemsOf(history, health, findings.list(moment), moment) };
}

test("objects that fail at the same line for the same reason have one cause, with the line", () => {
  const { problems } = judge([
    mysql("a"),
    mysql("b"),
    ...each(6, (at) => failed(at * 20, "a")),
    failed(200, "b"),
  ]);
  expect(problems).toMatchObject([
    {
      tone: "bad",
      title: "TypeError: no size of b",
      source: "/home/ann/shop/src/controller/size.ts:12:3",
      times: 7,
      from: 0,
      isOver: false,
      places: ["mysqls.shop.example default/a", "mysqls.shop.example default/b"],
    },
  ]);
});

test("a cause says what next, if nothing answered a request to another system", () => {
  const error = "fetch failed: connect ECONNREFUSED 10.96.0.12:8428";
  expect(judge([mysql("a"), failed(10, "a", { error })]).problems).toMatchObject([
    { text: expect.stringMatching(/^Nothing listens at this address\. Under dev/u) },
  ]);
});

test("the project's objects stand in the order of what needs somebody: failing, in progress, ready", () => {
  const conditions = (type: string) => ({ conditions: [{ type, status: "True" }] });
  const { health } = judge([
    mysql("ready", conditions("Ready")),
    mysql("failing", conditions("Ready")),
    mysql("degraded", conditions("Degraded")),
    mysql("busy", conditions("Reconciling")),
    failed(10, "failing"),
  ]);
  expect(health.own.map(({ key, standing }) => [key, standing.tone])).toEqual([
    ["default/degraded", "bad"],
    ["default/failing", "bad"],
    ["default/busy", "busy"],
    ["default/ready", "good"],
  ]);
});

test("a failure ends with a success, not with a conflict, and is there again at an earlier moment", () => {
  const recorded = [
    mysql("a"),
    failed(10, "a"),
    madeReconcile(30, { request: "default/a", outcome: "conflict" }),
    madeReconcile(50, { request: "default/a" }),
  ];
  expect(judge(recorded, 45).health.failures).toMatchObject([
    { times: 1, place: "mysqls.shop.example default/a" },
  ]);
  expect(judge(recorded).problems).toEqual([]);
});

test("what explains a failure is its title, and is not said again", () => {
  const requests = [madeRequest("POST /api/v1/namespaces/default/secrets", "403")];
  const { problems } = judge([mysql("a"), ...each(6, (at) => failed(at * 20, "a", { requests }))]);
  expect(problems.map(({ title, text }) => [title, text])).toEqual([
    [
      "mysql is not allowed to create secrets",
      expect.stringContaining('// +kubebuilder:rbac:groups="",resources=secrets,verbs=create'),
    ],
  ]);
});

test("conditions that tell of the same failure have one cause, and a finding of long ago is over", () => {
  const degraded = (name: string) => ({
    conditions: [{ type: "Degraded", status: "True", reason: "NoPrimary", message: `${name}-0 is away` }],
  });
  const slow = madeReconcile(10, {
    requests: [madeRequest("GET /api/v1/namespaces/default/pods", "200", 3)],
  });
  const { problems } = judge(
    [mysql("db"), mysql("a", degraded("a")), mysql("b", degraded("b")), slow],
    100_000,
  );
  expect(problems.map(({ title, isOver, places }) => [title, isOver, places.length])).toEqual([
    ["MySQL Degraded: NoPrimary: b-0 is away", false, 2],
    ["GET of pods is slow", true, 0],
  ]);
});

test("at an earlier moment, a fault has not begun with a later write", () => {
  const object = { metadata: { namespace: "default", name: "a", uid: "a" }, status: { phase: "Failed" } };
  const written = [
    mysql("a", { phase: "Failed" }),
    madeWrite({ at: 500, write: "MODIFIED" }, { ...object, spec: { size: 2 } }),
  ];
  expect(judge(written, 100).problems).toMatchObject([{ title: "MySQL Failed", from: 0 }]);
});
