import { describe, expect, it } from "vitest";
import { memoryTree } from "../scaffold/tree.ts";
import { planManifests } from "./manifests.ts";

/** Returns the findings about a file with a kind of this spec, each with its line. Warnings do not prevent the CRD. */
async function warningsOf(spec: string, markers = ""): Promise<string[]> {
  const text = `${spec}
import { defineKind, type CustomResource, type int32 } from "@tsbuilder/runtime";
${markers}
export interface Case extends CustomResource<Spec> {}
export const Case = defineKind<Case>({ group: "example.com", version: "v1" }, { kind: "Case", plural: "cases" });
`;
  const { changes, diagnostics } = await planManifests(memoryTree({ "api/v1/case_types.ts": text }));
  expect(changes).toHaveLength(1);
  expect(new Set(diagnostics.map(({ severity }) => severity))).toEqual(new Set(["warning"]));
  return diagnostics.map(({ at, message }) => `${at?.line}:${at?.column} ${message}`);
}

describe("planManifests() warns of", () => {
  it("a marker behind code", async () => {
    const spec = "export interface Spec {\n  size?: int32; // +kubebuilder:validation:Minimum=1\n}";
    expect(await warningsOf(spec)).toEqual([
      "2:20 +kubebuilder:validation:Minimum has no effect behind code",
    ]);
  });

  it("a marker in a block comment that is not JSDoc", async () => {
    const spec = "export interface Spec {\n  /* +kubebuilder:validation:Minimum=1 */\n  size?: int32;\n}";
    expect(await warningsOf(spec)).toEqual([
      "2:6 +kubebuilder:validation:Minimum has no effect in a /* */ comment",
    ]);
  });

  it("a marker for kinds on another type", async () => {
    const spec =
      "// +kubebuilder:printcolumn:name=Size,type=integer,JSONPath=.spec.size\n// +kubebuilder:subresource:status\nexport interface Spec {\n  size?: int32;\n}";
    expect(await warningsOf(spec)).toEqual([
      '1:4 +kubebuilder:printcolumn has no effect on "Spec", which is not a kind',
      '2:4 +kubebuilder:subresource:status has no effect on "Spec", which is not a kind',
    ]);
  });

  it("a marker that a later one replaces, also if that is a tag", async () => {
    const spec = `export interface Spec {
  // +kubebuilder:validation:Minimum=1
  // +kubebuilder:validation:Minimum=2
  one?: int32;
  /** @maximum 9 */
  // +kubebuilder:validation:Maximum=8
  two?: int32;
  // +listType=map
  // +listMapKey=a
  // +listMapKey=b
  three?: { a: string; b: string }[];
  /** @minLength 1 @minLength 2 */
  four?: string;
}`;
    expect(await warningsOf(spec)).toEqual([
      "2:6 +kubebuilder:validation:Minimum is given twice, and the last one counts",
      "6:6 +kubebuilder:validation:Maximum has no effect beside @maximum, which sets the same",
      "12:7 @minLength is given twice, and the last one counts",
    ]);
  });

  it("optional beside required", async () => {
    const spec = "export interface Spec {\n  // +optional\n  // +required\n  size?: int32;\n}";
    expect(await warningsOf(spec)).toEqual([
      "3:6 +required has no effect beside +optional: the field is optional",
    ]);
  });

  it.each([
    ["a blank behind its plus sign", "/** + kubebuilder:validation:Minimum=1 */", "2:7"],
    ["two plus signs", "/** ++kubebuilder:validation:Minimum=1 */", "2:7"],
    ["a list's dash before it", "/** - +kubebuilder:validation:Minimum=1 */", "2:9"],
    ["text before it", "/** The size. +kubebuilder:validation:Minimum=1 */", "2:17"],
    ["no plus sign", "// kubebuilder:validation:Minimum=1", "2:6"],
    ["a third slash", "/// +kubebuilder:validation:Minimum=1", "2:7"],
  ])("a marker with %s", async (_, comment, at) => {
    const spec = `export interface Spec {\n  ${comment}\n  size?: int32;\n}`;
    expect(await warningsOf(spec)).toEqual([`${at} "kubebuilder:validation:Minimum" is text, and no marker`]);
  });

  it("a marker of one word behind a plus sign and a blank", async () => {
    const spec = "export interface Spec {\n  // + optional\n  // + default=3\n  size: int32;\n}";
    expect(await warningsOf(spec)).toEqual([
      '2:6 "optional" is text, and no marker',
      '3:6 "default" is text, and no marker',
    ]);
  });

  it("a marker of Go's kinds in a file of its own, as kubebuilder has it", async () => {
    const spec = "// +kubebuilder:object:root=true\n\nexport const other = 1;\nexport interface Spec {}";
    expect(await warningsOf(spec)).toEqual(["1:4 +kubebuilder:object:root is on no type, and has no effect"]);
  });

  it("markers of fields on a type, where Go has them", async () => {
    const spec = "// +optional\n// +default={}\nexport interface Spec {\n  size?: int32;\n}";
    expect(await warningsOf(spec)).toEqual([
      "1:4 +optional has no effect on a type",
      "2:4 +default has no effect on a type",
    ]);
  });
});

it("planManifests() takes sentences about markers for sentences", async () => {
  const spec = `/**
 * The marker \`+kubebuilder:validation:Minimum=1\` is on no field, and neither is "+optional".
 * +  a list item, which is optional
 * + optional fields
 * kubebuilder: reads it, and https://book.kubebuilder.io/a:b
 */
export interface Spec {}`;
  const tree = memoryTree({ "api/v1/case_types.ts": spec });
  expect((await planManifests(tree)).diagnostics).toEqual([]);
});
