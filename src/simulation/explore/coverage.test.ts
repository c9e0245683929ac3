import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { expect, test } from "vitest";
import { crdOf } from "../../../e2e/support/simulation/box-operations.ts";
import { runOf } from "../../../e2e/support/simulation/simulated-run.ts";
import type { Step } from "../contract/index.ts";
import { Coverage } from "./coverage.ts";

const number: JSONSchema = { type: "integer" };
const tls: JSONSchema = { type: "object", properties: { days: number } };
const crd = crdOf({ type: "object", properties: { size: number, replicas: number, tls } }, "box");

function apply(spec: object, more: object = {}): Step {
  const metadata = { namespace: "default", name: "web" };
  const object = { apiVersion: "example.com/v1", kind: "Box", metadata, spec };
  return { do: "apply", object, ...more };
}

const deletion: Step = {
  do: "delete",
  target: { apiVersion: "example.com/v1", kind: "Box", namespace: "default", name: "web" },
};

test("a field is covered once an object that has it changes", () => {
  const coverage = new Coverage();
  const add = (...steps: Step[]): void => coverage.addPlan({ operators: [], crds: [crd], steps });
  add(apply({ size: 1 }), deletion, apply({ size: 2 }));
  expect(coverage.reached.unchanged).toEqual(["spec"]);
  add(apply({ size: 1 }), apply({ size: "many" }, { expect: "rejected" }));
  expect(coverage.reached.unchanged).toEqual(["spec"]);
  add(apply({ size: 1 }), apply({ size: 2 }));
  expect(coverage.reached.unchanged).toEqual(["spec.replicas", "spec.tls"]);
  add(apply({ replicas: 1 }), apply({ replicas: 1, tls: { days: 1 } }), apply({ tls: { days: 2 } }));
  expect(coverage.reached.unchanged).toEqual([]);
});

test("a kind of write is covered once a process has died at it", () => {
  const coverage = new Coverage();
  coverage.addRun({ ...runOf([]), writePoints: ["shop: POST ConfigMap", "shop: DELETE ConfigMap"] });
  coverage.addRun({ ...runOf([]), diedAt: ["shop: POST ConfigMap"] });
  expect(coverage.reached.crashPoints).toEqual({
    all: ["shop: DELETE ConfigMap", "shop: POST ConfigMap"],
    missed: ["shop: DELETE ConfigMap"],
  });
});

test("a kind of call is covered once one of them has failed", () => {
  const coverage = new Coverage();
  const call = { at: 1, type: "call", process: "shop-0", to: "dns", isChange: true } as const;
  const kinds = [
    ["PUT /a", 200],
    ["PUT /b", 500],
    ["GET /a", 404],
    ["DELETE /a", undefined],
    ["reload now", 1],
    ["check", 0],
  ] as const;
  coverage.addRun(runOf(kinds.map(([text, status]) => ({ ...call, text, status }))));
  expect(coverage.reached.calls).toEqual({
    all: ["DELETE dns", "GET dns", "PUT dns", "check dns", "reload dns"],
    missed: ["GET dns", "check dns"],
  });
});
