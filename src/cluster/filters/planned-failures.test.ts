import { expect, test } from "vitest";
import { PlannedFailures } from "./interception.ts";

const outcome = { code: 500 } as const;

test("as many requests fail as are planned, and only those with the verb for the resource", () => {
  const failures = new PlannedFailures();
  failures.plan({ verb: "create", resource: "pods", outcome, times: 2 });
  const create = (resource: string) => failures.take({ verb: "create", resource });
  expect(create("services")).toBeUndefined();
  expect(failures.take({ verb: "get", resource: "pods" })).toBeUndefined();
  expect([create("pods"), create("pods"), create("pods")]).toEqual([outcome, outcome, undefined]);
  expect(failures.plans).toEqual([]);
});

test("each request that meets a planned failure is told of, with what it met", () => {
  const told: object[] = [];
  const failures = new PlannedFailures((fault) => void told.push(fault));
  failures.plan({ verb: "*", resource: "pods", outcome, times: 1 });
  failures.plan({ verb: "get", resource: "*", outcome: { delay: 5 }, times: 1 });
  for (const verb of ["list", "get", "get"]) failures.take({ verb, resource: "pods" });
  expect(told).toEqual([
    { verb: "list", resource: "pods", code: 500 },
    { verb: "get", resource: "pods", delay: 5 },
  ]);
});

test("a resource without its group means those of each group", () => {
  const failures = new PlannedFailures();
  failures.plan({ verb: "patch", resource: "boxes/status", outcome, times: 1 });
  expect(failures.take({ verb: "patch", resource: "boxes.example.com" })).toBeUndefined();
  expect(failures.take({ verb: "patch", resource: "boxes.example.com/status" })).toEqual(outcome);
});

test("any request can be meant, but no renewal of a lease and no discovery", () => {
  const failures = new PlannedFailures();
  failures.plan({ verb: "*", resource: "*", outcome, times: 1 });
  expect(failures.take({ verb: "update", resource: "leases.coordination.k8s.io" })).toBeUndefined();
  expect(failures.take({ verb: "get", resource: "" })).toBeUndefined();
  expect(failures.take({ verb: "patch", resource: "boxes.example.com/status" })).toEqual(outcome);
});

test("a new plan for the same requests replaces the old one, and none ends it", () => {
  const failures = new PlannedFailures();
  const plan = { verb: "get", resource: "pods", outcome, times: 5 };
  failures.plan(plan);
  failures.plan({ ...plan, verb: "list" });
  failures.plan({ ...plan, outcome: { delay: 10 } });
  expect(failures.plans.map(({ verb }) => verb)).toEqual(["list", "get"]);
  expect(failures.take(plan)).toEqual({ delay: 10 });
  failures.plan({ ...plan, times: 0 });
  expect(failures.take(plan)).toBeUndefined();
});
