import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { describe, expect, it } from "vitest";
import { crdOf } from "../../../e2e/support/simulation/box-operations.ts";
import { Random } from "../random.ts";
import { changedFields, fieldsOf, goalsOf } from "./fields.ts";
import { plansFor } from "./operations-for.ts";

const text: JSONSchema = { type: "string" };
const port: JSONSchema = {
  type: "object",
  required: ["port"],
  properties: { name: text, port: { type: "integer" } },
};
const tls: JSONSchema = {
  type: "object",
  properties: { mode: { type: "string", enum: ["Strict", "Lax"] }, days: { type: "integer" } },
};
const crd = crdOf(
  {
    type: "object",
    required: ["image"],
    properties: {
      ...Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`text${index}`, text])),
      image: text,
      ports: { type: "array", items: port },
      settings: { type: "object", additionalProperties: text },
      tls,
    },
  },
  "box",
);
const fields = fieldsOf(crd.spec.versions[0]!.schema!.openAPIV3Schema!);

describe("fieldsOf()", () => {
  it("returns the fields that users write to, outer ones first", () => {
    expect(fields[0]).toBe("spec");
    expect(fields).toContain("spec.ports[].port");
    expect(fields.indexOf("spec.tls.mode")).toBeGreaterThan(fields.indexOf("spec.image"));
    expect(fields.some((field) => field.startsWith("status"))).toBe(false);
  });
});

describe("changedFields()", () => {
  it("returns what differs, with all that it is in", () => {
    const before = { spec: { image: "a", ports: [{ port: 1, name: "x" }], tls: { days: 1 } } };
    const after = { spec: { image: "a", ports: [{ port: 2, name: "x" }] } };
    const changed = changedFields(before, after);
    for (const field of ["spec", "spec.ports", "spec.ports[]", "spec.ports[].port", "spec.tls"])
      expect(changed).toContain(field);
    for (const field of ["spec.image", "spec.ports[].name"]) expect(changed).not.toContain(field);
  });
});

describe("goals of plans", () => {
  it("take turns, so that few plans change all fields", () => {
    const draw = plansFor(crd, { wrong: false });
    const changed = new Set<string>();
    const plans = Math.ceil(fields.length / 3) * 2;
    for (let plan = 0; plan < plans; plan++) {
      const objects = new Map<string, unknown>();
      for (const step of draw(new Random(plan), plan)) {
        if (step.do !== "apply") continue;
        const key = JSON.stringify(step.object.metadata);
        if (objects.has(key))
          for (const field of changedFields(objects.get(key), step.object)) changed.add(field);
        objects.set(key, step.object);
      }
    }
    expect(fields.filter((field) => !changed.has(field)).length).toBeLessThan(3);
  });

  it("depend on the number of the plan alone", () => {
    expect(goalsOf(fields, 3, new Random(1))).toEqual(goalsOf(fields, 3, new Random(1)));
    const [first, next] = [0, 1].map((plan) => new Set(goalsOf(fields, plan, new Random(1))));
    expect([...first!].filter((field) => next!.has(field))).toEqual([]);
  });
});
