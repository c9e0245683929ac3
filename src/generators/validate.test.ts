import { describe, expect, it } from "vitest";
import { memoryTree } from "../scaffold/tree.ts";
import { planManifests } from "./manifests.ts";
import { createValidator } from "./validate.ts";

const types = `import { defineKind, type CustomResource, type int32, type Quantity } from "@tsbuilder/runtime";
// +kubebuilder:validation:XValidation:rule="self.min <= self.max",message="min must not exceed max"
export interface BoxSpec {
  // +kubebuilder:default=1
  min?: int32;
  max: int32;
  mode?: "open" | "shut";
  // +kubebuilder:validation:XValidation:rule="self == oldSelf",message="color never changes"
  // +kubebuilder:validation:MaxLength=10
  color?: string;
  size?: Quantity;
}
export interface Box extends CustomResource<BoxSpec> {}
export const Box = defineKind<Box>({ group: "example.com", version: "v1" }, { kind: "Box", plural: "boxes" });
`;

const { changes } = await planManifests(memoryTree({ "api/v1/box_types.ts": types }));
const validator = createValidator(changes[0]?.content ?? "");
const box = (spec: object): { apiVersion: string; kind: string; metadata: object; spec: object } => ({
  apiVersion: "example.com/v1",
  kind: "Box",
  metadata: { name: "a" },
  spec,
});

describe("createValidator()", () => {
  it("accepts what the API server would", () => {
    expect(validator.validate(box({ max: 2, mode: "open", size: "10Gi" }))).toEqual([]);
  });

  it("checks types, enums and patterns", () => {
    expect(validator.validate(box({ max: "x" }))[0]).toContain("spec.max: Invalid value");
    expect(validator.validate(box({ max: 2, mode: "ajar" }))[0]).toContain('Unsupported value: "ajar"');
    expect(validator.validate(box({ max: 2, size: "big" }))[0]).toContain("spec.size");
  });

  it("runs rules over an object with its defaults", () => {
    expect(validator.validate(box({ max: 0 }))).toEqual([expect.stringContaining("min must not exceed max")]);
  });

  it("runs transition rules against the object before", () => {
    const [old, now] = [box({ max: 2, color: "red" }), box({ max: 2, color: "blue" })];
    expect(validator.validate(now)).toEqual([]);
    expect(validator.validate(now, old)).toEqual([expect.stringContaining("color never changes")]);
    expect(validator.validate(old, old)).toEqual([]);
  });

  it("names the kinds that it knows", () => {
    expect(() => validator.validate({ apiVersion: "v1", kind: "Pod" })).toThrow(
      "there is no CRD for Pod of v1",
    );
  });
});
