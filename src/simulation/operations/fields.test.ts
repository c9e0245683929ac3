import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { describe, expect, it } from "vitest";
import { crdOf, specOf } from "../../../e2e/support/simulation/box-operations.ts";
import { isMissingImage, namesMissingImage } from "../contract/missing-image.ts";
import { refTextOf } from "../contract/state.ts";
import { Random } from "@tsbuilder/apimachinery/sample";
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
    const namesOf = (plan: number) => goalsOf(fields, plan, new Random(1)).map(({ field }) => field);
    expect(goalsOf(fields, 3, new Random(1))).toEqual(goalsOf(fields, 3, new Random(1)));
    const [first, next] = [0, 1].map(namesOf);
    expect(first!.filter((field) => next!.includes(field))).toEqual([]);
  });

  it("are reached in one way after the other", () => {
    const small = crdOf(
      {
        type: "object",
        properties: {
          mode: { type: "string", enum: ["Strict", "Lax", "Off"] },
          size: { type: "integer", minimum: 0, maximum: 9 },
          weights: { type: "array", items: { type: "integer", minimum: 1, maximum: 100 } },
          memory: { type: "string" },
          settings: { type: "object", additionalProperties: text },
        },
      },
      "box",
    );
    const draw = plansFor(small, { wrong: false });
    const plans = Array.from({ length: 24 }, (_, plan) => draw(new Random(plan), plan));
    const said = plans.flat().map(({ why }) => why.replaceAll(/\[\d+\]|\.[abc]\b/g, "[]"));
    for (const what of [
      "removes spec.mode",
      "sets spec.size to its minimum, 0",
      "sets spec.size to its maximum, 9",
      "removes spec.size",
      "removes spec.weights[]",
      "adds an item to spec.weights",
      "empties spec.weights",
      "removes spec.weights",
      "writes spec.memory as 1024Mi",
      "renames spec.settings[] to b",
      "removes spec.settings",
    ])
      expect(said).toContain(what);
    const applied = plans
      .flat()
      .flatMap((step) => (step.do === "apply" ? [specOf(step.object)["mode"]] : []));
    expect(new Set(applied)).toEqual(new Set(["Strict", "Lax", "Off", undefined]));
  });
});

it("plans ask for images that exist, unless they say so", () => {
  const image = { type: "string", maxLength: 40, example: "web:1.29" };
  const operations = plansFor(
    crdOf({ type: "object", properties: { image, tag: { ...image, example: "1.29" } } }, "box"),
    {},
  );
  const steps = Array.from({ length: 40 }, (_, plan) => operations(new Random(plan), plan)).flat();
  // The operator has seen the image before, whatever disturbs it: it may have to return to that.
  const missing = steps.filter((step) => step.do === "apply" && namesMissingImage(step.object));
  expect(missing.length).toBeGreaterThan(0);
  expect(missing.filter(({ after = 0 }) => after < 300_000)).toEqual([]);
  const specs = steps.flatMap((step) => (step.do === "apply" && !step.strange ? [specOf(step.object)] : []));
  const texts = specs.flatMap(({ image, tag }) => [image, tag].filter((text) => typeof text === "string"));
  expect(texts.filter((text) => isMissingImage(text))).toEqual([]);
  expect(texts).toContain("1.29".padEnd(40, "9"));
  // Without a tag, the server's default for imagePullPolicy would depend on what was first.
  expect(specs.filter(({ image }) => typeof image === "string" && !image.includes(":"))).toEqual([]);
});

describe("every second plan", () => {
  const draw = plansFor(crd, {});
  const plans = Array.from({ length: 40 }, (_, plan) => draw(new Random(plan), plan));
  const isAboutOne = (steps: (typeof plans)[number]): boolean => {
    const objects = steps.map((step) => (step.do === "apply" ? refTextOf(step.object) : "none"));
    return new Set(objects).size === 1;
  };

  it("is about one object, which lives through all steps", () => {
    expect(plans.filter((steps, plan) => plan % 2 === 1 && !isAboutOne(steps))).toEqual([]);
    expect(plans.filter((steps, plan) => plan % 2 === 0 && !isAboutOne(steps)).length).toBeGreaterThan(15);
  });
});
