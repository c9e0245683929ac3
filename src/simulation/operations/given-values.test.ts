import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { describe, expect, it } from "vitest";
import { crdOf, specOf, stepsOf } from "../../../e2e/support/simulation/box-operations.ts";

describe("operationsFor() with values and fields of its caller's", () => {
  it("draws the values of a field from those that are given, and others that are corrected", () => {
    const spec = { type: "object", required: ["mode"], properties: { mode: { type: "string" } } };
    const steps = stepsOf(crdOf(spec, "box"), 20, { values: { "spec.mode": ["fast", "safe"] } });
    const modes = steps.flatMap((step) =>
      step.do === "apply" && !step.expect && !step.strange ? [specOf(step.object)["mode"]] : [],
    );
    expect(new Set(modes)).toEqual(new Set(["fast", "safe"]));
    const wrong = steps.flatMap((step) =>
      step.do === "apply" && step.strange ? [specOf(step.object)["mode"]] : [],
    );
    expect(new Set(wrong)).toEqual(new Set(["not-there", "not valid!"]));
  });

  it("sets annotations, of the values that are given", () => {
    const crd = crdOf({ type: "object", properties: { size: { type: "integer" } } }, "box");
    const steps = stepsOf(crd, 50, { annotations: { "example.com/rotate": ["1", "2"] } });
    const annotated = steps
      .map((step) => (step.do === "apply" ? step.object.metadata.annotations : undefined))
      .filter((annotations) => annotations !== undefined);
    expect(annotated).toContainEqual({ "example.com/rotate": "1" });
    expect(annotated).toContainEqual({ "example.com/rotate": "2" });
    expect(new Set(annotated.flatMap((each) => Object.keys(each)))).toEqual(new Set(["example.com/rotate"]));
  });

  it("always sets the fields that it is told to", () => {
    const text: JSONSchema = { type: "string" };
    const named: JSONSchema = { type: "object", properties: { name: text } };
    const lists = {
      ports: { type: "array", items: named },
      labels: { type: "object", additionalProperties: named },
    };
    const crd = crdOf({ type: "object", properties: { primary: text, ...lists } }, "box");
    const always = ["spec.primary", "spec.ports[].name", "spec.labels[].name"];
    const steps = stepsOf(crd, 100, { always, wrong: false });
    const specs = steps.flatMap((step) => (step.do === "apply" ? [specOf(step.object)] : []));
    const inner = specs.flatMap(({ ports = [], labels = {} }) =>
      [ports, labels].flatMap((list) => Object.values(list as object)),
    );
    expect(inner.length).toBeGreaterThan(100);
    expect([...specs.map(({ primary }) => primary), ...inner.map(({ name }) => name)]).not.toContain(
      undefined,
    );
    expect(() => stepsOf(crd, 1, { always: ["spec.primry"] })).toThrow(/"always" names spec.primry/);
  });

  it("changes nothing within a given value, but for fields that have values of their own", () => {
    const name: JSONSchema = { type: "string", maxLength: 253 };
    const ref: JSONSchema = { type: "object", properties: { name, key: { type: "string" } } };
    const crd = crdOf(
      {
        type: "object",
        required: ["ref", "refs"],
        properties: { ref, refs: { type: "array", items: ref }, size: { type: "integer" } },
      },
      "box",
    );
    const refs = [{ name: "given" }, { name: "other" }];
    const values = { "spec.ref": refs, "spec.refs": [refs], "spec.ref.key": ["password", "token"] };
    const rule = "self.ref.name != 'other' || !has(self.size) || self.size < 3";
    const spec = crd.spec.versions[0]!.schema!.openAPIV3Schema!.properties!["spec"]!;
    spec["x-kubernetes-validations"] = [{ rule }];
    const specs = stepsOf(crd, 200, { values, wrong: false }).flatMap((step) =>
      step.do === "apply" && !step.expect ? [specOf(step.object)] : [],
    );
    const names = specs.map((spec) => (spec["ref"] as { name?: unknown }).name);
    expect(new Set(names)).toEqual(new Set(["given", "other"]));
    const keys = specs.map((spec) => (spec["ref"] as { key?: unknown }).key);
    expect(new Set(keys)).toEqual(new Set([undefined, "password", "token"]));
    expect(new Set(specs.map((spec) => JSON.stringify(spec["refs"])))).toEqual(
      new Set([JSON.stringify(refs)]),
    );
  });
});
