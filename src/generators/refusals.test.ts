import { describe, expect, it } from "vitest";
import { memoryTree } from "../scaffold/tree.ts";
import { planManifests } from "./manifests.ts";

const groupVersion = (version = "v1", group = '"example.com"'): string =>
  `import type { GroupVersion } from "@tsbuilder/runtime";
export const groupVersion: GroupVersion = { group: ${group}, version: "${version}" };
`;

const imports = `import { defineKind, type CustomResource, type int32 } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";
`;

/** A types file: the text above the kind, the markers on it, and the definition. */
function types({
  spec = "export interface Spec {}",
  markers = "",
  definition = '{ kind: "Case", plural: "cases" }',
} = {}): string {
  return `${imports}${spec}
${markers}
export interface Case extends CustomResource<Spec> {}
export const Case = defineKind<Case>(groupVersion, ${definition});
`;
}

/** Each finding as `file:line:column message`. */
async function findings(files: Readonly<Record<string, string>>): Promise<string[]> {
  const tree = memoryTree({ "api/v1/groupversion_info.ts": groupVersion(), ...files });
  const { changes, diagnostics } = await planManifests(tree);
  expect(changes).toEqual([]);
  expect(diagnostics.every(({ frame }) => frame?.includes("^"))).toBe(true);
  return diagnostics.map(({ at, message }) => `${at?.file}:${at?.line}:${at?.column} ${message}`);
}

const file = "api/v1/case_types.ts";

/** The findings of a project with one types file. */
async function findingsOf(text: string): Promise<string[]> {
  const found = await findings({ [file]: text });
  return found.map((finding) => finding.replace(`${file}:`, ""));
}

describe("planManifests() refuses", () => {
  it("a file with syntax errors", async () => {
    expect(await findingsOf(types({ spec: "export interface Spec {\n  name: ;\n}" }))).toEqual([
      "4:9 Type expected.",
    ]);
  });

  it("an interface of a kind without defineKind", async () => {
    const text = `${imports}export interface Case extends CustomResource<{ name?: string }> {}\n`;
    expect(await findingsOf(text)).toEqual([
      '3:18 "Case" is not a kind yet: its group, version and plural are unknown',
    ]);
  });

  it("a defineKind with computed values", async () => {
    const text = types({ definition: '{ kind: "Case", plural: plural() }' });
    expect(await findingsOf(text)).toEqual(["6:76 this value is not known without running the code"]);
  });

  it("a computed group", async () => {
    const files = { "api/v1/groupversion_info.ts": groupVersion("v1", "process.env.GROUP"), [file]: types() };
    expect(await findings(files)).toEqual([
      "api/v1/groupversion_info.ts:2:52 this value is not known without running the code",
    ]);
  });

  it("a defineKind without a plural", async () => {
    expect(await findingsOf(types({ definition: '{ kind: "Case" }' }))).toEqual([
      '6:14 defineKind requires the string "plural"',
    ]);
  });

  it("a kind that is not in PascalCase, and a plural that is not in lowercase", async () => {
    expect(await findingsOf(types({ definition: '{ kind: "my-case", plural: "Cases" }' }))).toEqual([
      '6:14 "Cases" is not a valid plural: use lower case, for example mysqls',
      '6:14 "my-case" is not a valid kind: use PascalCase, for example MySQL',
    ]);
  });

  it("an unknown scope", async () => {
    const definition = '{ kind: "Case", plural: "cases", scope: "Global" }';
    expect(await findingsOf(types({ definition }))).toEqual([
      '6:14 "Global" is not a valid scope: use Namespaced or Cluster',
    ]);
  });

  it("a defineKind of an unknown type", async () => {
    const text = `${imports}export const Case = defineKind<Missing>(groupVersion, { kind: "Case", plural: "cases" });\n`;
    expect(await findingsOf(text)).toEqual(['3:14 no type "Missing" found for the kind']);
  });

  it("two kinds with the same plural", async () => {
    const other = types().replaceAll(/\bCase\b/gu, "Other");
    expect(await findings({ [file]: types(), "api/v1/other_types.ts": other })).toEqual([
      'api/v1/other_types.ts:6:14 Case and Other have the same plural "cases" in example.com',
    ]);
  });

  it("one kind defined twice in a version", async () => {
    expect(await findings({ [file]: types(), "api/v1/other_types.ts": types() })).toEqual([
      "api/v1/case_types.ts:6:14 Case has the versions v1, v1, but no storage version",
      "api/v1/other_types.ts:6:14 Case v1 is defined twice",
    ]);
  });

  const second = { "api/v2/groupversion_info.ts": groupVersion("v2") };

  it("several versions without a storage version", async () => {
    expect(await findings({ ...second, [file]: types(), "api/v2/case_types.ts": types() })).toEqual([
      "api/v1/case_types.ts:6:14 Case has the versions v1, v2, but no storage version",
    ]);
  });

  it("two storage versions", async () => {
    const stored = types({ markers: "// +kubebuilder:storageversion" });
    expect(await findings({ ...second, [file]: stored, "api/v2/case_types.ts": stored })).toEqual([
      "api/v2/case_types.ts:4:4 Case has two storage versions, v1 and v2",
    ]);
  });

  it("versions that disagree on plural or scope", async () => {
    const stored = types({ markers: "// +kubebuilder:storageversion" });
    const other = types({ definition: '{ kind: "Case", plural: "casen", scope: "Cluster" }' });
    expect(await findings({ ...second, [file]: stored, "api/v2/case_types.ts": other })).toEqual([
      'api/v2/case_types.ts:6:14 Case is "casen", Cluster in v2, but "cases", Namespaced in v1',
    ]);
  });

  it("a marker that contradicts defineKind", async () => {
    const markers = "// +kubebuilder:resource:path=casen";
    expect(await findingsOf(types({ markers }))).toEqual([
      '4:4 the marker sets the plural of Case to "casen", but defineKind to "cases"',
    ]);
  });

  it("conflicting types of one field", async () => {
    const spec = `// +kubebuilder:validation:Type=string
export type Size = int32;
export interface Spec {
  // +kubebuilder:validation:Type=integer
  size?: Size;
}`;
    expect(await findingsOf(types({ spec }))).toEqual(["7:3 conflicting types string and integer"]);
  });

  it("a default that violates its own schema", async () => {
    const spec = `export interface Spec {
  // +kubebuilder:validation:Minimum=1
  // +kubebuilder:default=0
  size?: int32;
}`;
    const [only, ...rest] = await findingsOf(types({ spec }));
    expect(rest).toEqual([]);
    expect(only).toMatch(/^5:6 the API server would reject this: spec\.size: Invalid value: 0/u);
  });

  it("a default of another type", async () => {
    const spec = "export interface Spec {\n  // +kubebuilder:default=true\n  size?: int32;\n}";
    expect((await findingsOf(types({ spec })))[0]).toMatch(
      /^4:6 the API server would reject this: spec\.size: /u,
    );
  });

  it("a CEL rule with a syntax error", async () => {
    const spec =
      'export interface Spec {\n  // +kubebuilder:validation:XValidation:rule="self >"\n  size?: int32;\n}';
    expect((await findingsOf(types({ spec })))[0]).toMatch(
      /^4:6 the API server would reject this: spec\.size: .*ERROR/su,
    );
  });

  it("a CEL rule with an unknown field, at its own marker", async () => {
    const spec = `// +kubebuilder:validation:XValidation:rule="self.min < 3"
// +kubebuilder:validation:XValidation:rule="self.mim < 3"
export interface Spec {
  min: int32;
}`;
    const [only, ...rest] = await findingsOf(types({ spec }));
    expect(rest).toEqual([]);
    expect(only).toMatch(/^4:4 the API server would reject this: spec: .*undefined field 'mim'/su);
  });

  it("a CEL rule that exceeds the cost limit", async () => {
    const spec = `export interface Spec {
  // +kubebuilder:validation:XValidation:rule="self.all(a, self.all(b, a == b || a.contains(b)))"
  names?: string[];
}`;
    const { diagnostics } = await planManifests(
      memoryTree({ "api/v1/groupversion_info.ts": groupVersion(), [file]: types({ spec }) }),
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
    expect((await findingsOf(types({ spec })))[0]).toMatch(/the API server would reject this: .*name/u);
  });

  it("a list of type map whose key is not a field", async () => {
    const spec = `export interface Spec {
  // +listType=map
  // +listMapKey=nme
  items?: { name: string }[];
}`;
    expect((await findingsOf(types({ spec })))[0]).toMatch(/the API server would reject this: /u);
  });

  it("unique items, which the API server doesn't check", async () => {
    const spec =
      "export interface Spec {\n  // +kubebuilder:validation:UniqueItems=true\n  names?: string[];\n}";
    expect((await findingsOf(types({ spec })))[0]).toMatch(
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
    expect((await findingsOf(types({ spec })))[0]).toMatch(/different defaults/u);
  });

  it("two webhooks with the same name", async () => {
    const webhook =
      "// +kubebuilder:webhook:path=/x,mutating=true,failurePolicy=fail,sideEffects=None,groups=a,resources=b,verbs=create,versions=v1,name=x.y.z,admissionReviewVersions=v1\n";
    expect(await findings({ "src/webhook/x.ts": webhook + webhook })).toEqual([
      'src/webhook/x.ts:2:4 two webhooks are named "x.y.z"',
    ]);
  });

  it("a validation marker in a file that has nothing to validate", async () => {
    const text = "// +kubebuilder:validation:Minimum=1\nexport function run(): void {}\n";
    expect(await findings({ "src/controller/x.ts": text })).toEqual([
      "src/controller/x.ts:1:4 +kubebuilder:validation:Minimum is on nothing it applies to",
    ]);
  });

  it("a short name that no API server accepts, at its marker", async () => {
    const [only, ...rest] = await findingsOf(types({ markers: "// +kubebuilder:resource:shortName=AB_C" }));
    expect(rest).toEqual([]);
    expect(only).toMatch(/^4:4 the API server would reject this: .*"AB_C"/u);
  });

  it("a selectable field that is no field, at its marker", async () => {
    const markers =
      "// +kubebuilder:selectablefield:JSONPath=.spec.mode\n// +kubebuilder:selectablefield:JSONPath=.spec.size";
    const spec = "export interface Spec {\n  mode?: string;\n}";
    const [only, ...rest] = await findingsOf(types({ spec, markers }));
    expect(rest).toEqual([]);
    expect(only).toMatch(/^7:4 the API server would reject this: .*does not refer to a valid field/u);
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
    expect(await findingsOf(types({ spec }))).toEqual(expected);
  });

  it("the values of a list without as const, which its type doesn't tell", async () => {
    const spec = `export const modes = ["a", "b"];
export const mode: string = "a";
export interface Spec {
  one?: (typeof modes)[number];
  two?: typeof mode;
}`;
    expect(await findingsOf(types({ spec }))).toEqual([
      '6:9 the values of "modes" are not part of its type',
      '7:9 the values of "mode" are not part of its type',
    ]);
  });

  it("types of JavaScript that JSON doesn't have, with what to use", async () => {
    const text = types({
      spec: "export interface Spec {\n  at?: Date;\n  all?: Map<string, string>;\n  url?: URL;\n}",
    });
    const { diagnostics } = await planManifests(
      memoryTree({ "api/v1/groupversion_info.ts": groupVersion(), [file]: text }),
    );
    expect(diagnostics.map(({ hint }) => hint)).toEqual([
      '"Date" is not a type of JSON: use Time from "@tsbuilder/runtime"',
      '"Map" is not a type of JSON: use Record<string, T>',
      '"URL" is not a type of JSON: use a string with +kubebuilder:validation:Format=uri',
    ]);
  });

  it("reports all errors in one run, sorted by file and line", async () => {
    const spec =
      "export interface Spec {\n  one: number;\n  // +optionl\n  two: Missing;\n  // +kubebuilder:validation:Minimum=x\n  three: int32;\n}";
    const rbac = "// +kubebuilder:rbac:groups=apps,verb=get\n";
    expect(await findings({ [file]: types({ spec }), "src/controller/x.ts": rbac })).toEqual([
      `${file}:4:8 a number may be fractional, which Kubernetes advises against`,
      `${file}:5:6 unknown marker "+optionl"`,
      `${file}:6:8 type "Missing" not found`,
      `${file}:7:38 expected an integer or float, got "x"`,
      'src/controller/x.ts:1:34 +kubebuilder:rbac has no argument "verb"',
    ]);
  });
});
