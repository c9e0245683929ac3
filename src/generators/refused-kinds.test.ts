import { describe, expect, it } from "vitest";
import {
  file,
  findings,
  findingsOf,
  groupVersion,
  typesFile,
  typesImports,
} from "../../e2e/support/projects/refused-projects.ts";

describe("planManifests() refuses", () => {
  it("an interface of a kind without defineKind", async () => {
    const text = `${typesImports}export interface Case extends CustomResource<{ name?: string }> {}\n`;
    expect(await findingsOf(text)).toEqual([
      '3:18 "Case" is not a kind yet: its group, version and plural are unknown',
    ]);
  });

  it("a defineKind with computed values", async () => {
    const text = typesFile({ definition: '{ kind: "Case", plural: plural() }' });
    expect(await findingsOf(text)).toEqual(["6:76 this value is not known without running the code"]);
  });

  it("a computed group", async () => {
    const files = {
      "api/v1/groupversion_info.ts": groupVersion("v1", "process.env.GROUP"),
      [file]: typesFile(),
    };
    expect(await findings(files)).toEqual([
      "api/v1/groupversion_info.ts:2:52 this value is not known without running the code",
    ]);
  });

  it("a defineKind without a plural", async () => {
    expect(await findingsOf(typesFile({ definition: '{ kind: "Case" }' }))).toEqual([
      '6:14 defineKind requires the string "plural"',
    ]);
  });

  it("a kind that is not in PascalCase, and a plural that is not in lowercase", async () => {
    expect(await findingsOf(typesFile({ definition: '{ kind: "my-case", plural: "Cases" }' }))).toEqual([
      '6:14 "Cases" is not a valid plural: use lower case, for example mysqls',
      '6:14 "my-case" is not a valid kind: use PascalCase, for example MySQL',
    ]);
  });

  it("an unknown scope", async () => {
    const definition = '{ kind: "Case", plural: "cases", scope: "Global" }';
    expect(await findingsOf(typesFile({ definition }))).toEqual([
      '6:14 "Global" is not a valid scope: use Namespaced or Cluster',
    ]);
  });

  it("a defineKind of an unknown type", async () => {
    const text = `${typesImports}export const Case = defineKind<Missing>(groupVersion, { kind: "Case", plural: "cases" });\n`;
    expect(await findingsOf(text)).toEqual(['3:14 no type "Missing" found for the kind']);
  });

  it("two kinds with the same plural", async () => {
    const other = typesFile().replaceAll(/\bCase\b/gu, "Other");
    expect(await findings({ [file]: typesFile(), "api/v1/other_types.ts": other })).toEqual([
      'api/v1/other_types.ts:6:14 Case and Other have the same plural "cases" in example.com',
    ]);
  });

  it("one kind defined twice in a version", async () => {
    expect(await findings({ [file]: typesFile(), "api/v1/other_types.ts": typesFile() })).toEqual([
      "api/v1/case_types.ts:6:14 Case has the versions v1, v1, but no storage version",
      "api/v1/other_types.ts:6:14 Case v1 is defined twice",
    ]);
  });

  const second = { "api/v2/groupversion_info.ts": groupVersion("v2") };

  it("several versions without a storage version", async () => {
    expect(await findings({ ...second, [file]: typesFile(), "api/v2/case_types.ts": typesFile() })).toEqual([
      "api/v1/case_types.ts:6:14 Case has the versions v1, v2, but no storage version",
    ]);
  });

  it("two storage versions", async () => {
    const stored = typesFile({ markers: "// +kubebuilder:storageversion" });
    expect(await findings({ ...second, [file]: stored, "api/v2/case_types.ts": stored })).toEqual([
      "api/v2/case_types.ts:4:4 Case has two storage versions, v1 and v2",
    ]);
  });

  it("versions that disagree on plural or scope", async () => {
    const stored = typesFile({ markers: "// +kubebuilder:storageversion" });
    const other = typesFile({ definition: '{ kind: "Case", plural: "casen", scope: "Cluster" }' });
    expect(await findings({ ...second, [file]: stored, "api/v2/case_types.ts": other })).toEqual([
      'api/v2/case_types.ts:6:14 Case is "casen", Cluster in v2, but "cases", Namespaced in v1',
    ]);
  });

  it("a marker that contradicts defineKind", async () => {
    const markers = "// +kubebuilder:resource:path=casen";
    expect(await findingsOf(typesFile({ markers }))).toEqual([
      '4:4 the marker sets the plural of Case to "casen", but defineKind to "cases"',
    ]);
  });

  it("a short name that no API server accepts, at its marker", async () => {
    const [only, ...rest] = await findingsOf(
      typesFile({ markers: "// +kubebuilder:resource:shortName=AB_C" }),
    );
    expect(rest).toEqual([]);
    expect(only).toMatch(/^4:4 the API server would reject this: .*"AB_C"/u);
  });

  it("a selectable field that does not exist, at its marker", async () => {
    const markers =
      "// +kubebuilder:selectablefield:JSONPath=.spec.mode\n// +kubebuilder:selectablefield:JSONPath=.spec.size";
    const spec = "export interface Spec {\n  mode?: string;\n}";
    const [only, ...rest] = await findingsOf(typesFile({ spec, markers }));
    expect(rest).toEqual([]);
    expect(only).toMatch(/^7:4 the API server would reject this: .*does not refer to a valid field/u);
  });
});
