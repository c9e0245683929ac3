import { describe, expect, it } from "vitest";
import { file, findingsOf, groupVersion, typesFile } from "../../e2e/support/projects/refused-projects.ts";
import { memoryTree } from "../scaffold/tree.ts";
import { planManifests } from "./manifests.ts";

describe("planManifests() refuses", () => {
  it("conflicting types of one field", async () => {
    const spec = `// +kubebuilder:validation:Type=string
export type Size = int32;
export interface Spec {
  // +kubebuilder:validation:Type=integer
  size?: Size;
}`;
    expect(await findingsOf(typesFile({ spec }))).toEqual(["7:3 conflicting types string and integer"]);
  });

  it("a default that violates its own schema", async () => {
    const spec = `export interface Spec {
  // +kubebuilder:validation:Minimum=1
  // +kubebuilder:default=0
  size?: int32;
}`;
    const [only, ...rest] = await findingsOf(typesFile({ spec }));
    expect(rest).toEqual([]);
    expect(only).toMatch(/^5:6 the API server would reject this: spec\.size: Invalid value: 0/u);
  });

  it("a default of another type", async () => {
    const spec = "export interface Spec {\n  // +kubebuilder:default=true\n  size?: int32;\n}";
    expect((await findingsOf(typesFile({ spec })))[0]).toMatch(
      /^4:6 the API server would reject this: spec\.size: /u,
    );
  });

  it("a CEL rule with a syntax error", async () => {
    const spec =
      'export interface Spec {\n  // +kubebuilder:validation:XValidation:rule="self >"\n  size?: int32;\n}';
    expect((await findingsOf(typesFile({ spec })))[0]).toMatch(
      /^4:6 the API server would reject this: spec\.size: .*ERROR/su,
    );
  });

  it("a CEL rule with an unknown field, at its own marker", async () => {
    const spec = `// +kubebuilder:validation:XValidation:rule="self.min < 3"
// +kubebuilder:validation:XValidation:rule="self.mim < 3"
export interface Spec {
  min: int32;
}`;
    const [only, ...rest] = await findingsOf(typesFile({ spec }));
    expect(rest).toEqual([]);
    expect(only).toMatch(/^4:4 the API server would reject this: spec: .*undefined field 'mim'/su);
  });

  it("a CEL rule that exceeds the cost limit", async () => {
    const spec = `export interface Spec {
  // +kubebuilder:validation:XValidation:rule="self.all(a, self.all(b, a == b || a.contains(b)))"
  names?: string[];
}`;
    const { diagnostics } = await planManifests(
      memoryTree({ "api/v1/groupversion_info.ts": groupVersion(), [file]: typesFile({ spec }) }),
    );
    expect(diagnostics[0]?.message).toContain("cost");
    expect(diagnostics[0]?.hint).toContain("+kubebuilder:validation:MaxItems");
    expect(diagnostics[0]?.at?.line).toBe(4);
  });

  it("a list of type map whose key may be missing", async () => {
    const spec = `export interface Item {
  name?: string;
}
export interface Spec {
  // +listType=map
  // +listMapKey=name
  items?: Item[];
}`;
    expect((await findingsOf(typesFile({ spec })))[0]).toMatch(/the API server would reject this: .*name/u);
  });

  it("a list of type map whose key is not a field", async () => {
    const spec = `export interface Spec {
  // +listType=map
  // +listMapKey=nme
  items?: { name: string }[];
}`;
    expect((await findingsOf(typesFile({ spec })))[0]).toMatch(/the API server would reject this: /u);
  });

  it("unique items, which the API server doesn't check", async () => {
    const spec =
      "export interface Spec {\n  // +kubebuilder:validation:UniqueItems=true\n  names?: string[];\n}";
    expect((await findingsOf(typesFile({ spec })))[0]).toMatch(
      /^4:6 the API server would reject this: .*uniqueItems/u,
    );
  });

  it("defaults of a type and its field that differ", async () => {
    const spec = `export interface Base {
  // +kubebuilder:default=a
  name?: string;
}
export interface Other {
  // +kubebuilder:default=b
  name?: string;
}
export interface Spec extends Base, Other {}`;
    expect((await findingsOf(typesFile({ spec })))[0]).toMatch(/different defaults/u);
  });

  it("an enum of values that the type does not have", async () => {
    const spec = `export type Mode = "a" | "b";
export interface Spec {
  // +kubebuilder:validation:Enum=z
  one?: "a" | "b";
  // +kubebuilder:validation:Enum=a;z
  two?: Mode;
  // +kubebuilder:validation:Enum=a;b
  three?: int32;
  // +kubebuilder:validation:Enum=1;2
  four?: string;
}`;
    const expected = [
      '5:6 +kubebuilder:validation:Enum: "z" is not one of the values of the type, "a", "b"',
      '7:6 +kubebuilder:validation:Enum: "z" is not one of the values of the type, "a", "b"',
      '9:6 +kubebuilder:validation:Enum: "a" is not an integer',
      '11:6 +kubebuilder:validation:Enum: 1 is not a string: write "1"',
    ];
    expect(await findingsOf(typesFile({ spec }))).toEqual(expected);
  });

  it("the values of a list without as const, which its type doesn't tell", async () => {
    const spec = `export const modes = ["a", "b"];
export const mode: string = "a";
export interface Spec {
  one?: (typeof modes)[number];
  two?: typeof mode;
}`;
    expect(await findingsOf(typesFile({ spec }))).toEqual([
      '6:9 the values of "modes" are not part of its type',
      '7:9 the values of "mode" are not part of its type',
    ]);
  });

  it("types of JavaScript that JSON doesn't have, with what to use", async () => {
    const text = typesFile({
      spec: "export interface Spec {\n  at?: Date;\n  all?: Map<string, string>;\n  url?: URL;\n  size?: Quantity;\n}",
    });
    const { diagnostics } = await planManifests(
      memoryTree({ "api/v1/groupversion_info.ts": groupVersion(), [file]: text }),
    );
    expect(diagnostics.map(({ hint }) => hint)).toEqual([
      '"Date" is not a type of JSON: use Time from "@tsbuilder/runtime"',
      '"Map" is not a type of JSON: use Record<string, T>',
      '"URL" is not a type of JSON: use a string with +kubebuilder:validation:Format=uri',
      'import it: import type { Quantity } from "@tsbuilder/runtime"',
    ]);
  });
});
