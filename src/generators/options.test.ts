import { describe, expect, it } from "vitest";
import { compareText } from "@tsbuilder/apimachinery/text";
import { memoryTree } from "../scaffold/tree.ts";
import { runExample } from "./testdata/example.ts";
import { planManifests } from "./manifests.ts";
import type { GeneratorOptions } from "./model/options.ts";

const kind = `import { defineKind, type CustomResource } from "@tsbuilder/runtime";
export interface Case extends CustomResource<{ name?: string }> {}
export const Case = defineKind<Case>({ group: "example.com", version: "v1" }, { kind: "Case", plural: "cases" });
`;

const rbac = "// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get\n";

/** The properties of an example's `Spec`. */
async function properties(code: string, options: GeneratorOptions = {}): Promise<Record<string, object>> {
  const { spec } = await runExample(code, options);
  const names = Object.keys(spec?.properties ?? {}).sort((a, b) => compareText(a, b));
  return Object.fromEntries(
    names.map((name) => [name, JSON.parse(JSON.stringify(spec?.properties?.[name])) as object]),
  );
}

/** The text of the first file that some sources make. */
async function manifestsText(
  files: Readonly<Record<string, string>>,
  options: GeneratorOptions = {},
): Promise<string> {
  const { changes } = await planManifests(memoryTree(files), options);
  return changes[0]?.content ?? "";
}

describe("maxDescLen", () => {
  it.each([
    [0, undefined],
    [200, "One sentence. Two sentences, e.g. this. Three"],
    [20, "One sentence."],
    [31, "One sentence. Two sentences, e."],
    [8, "One..."],
    [2, "On..."],
  ])("cuts descriptions to %s bytes", async (maxDescLen, expected) => {
    const { spec } = await runExample("// One sentence. Two sentences, e.g. this. Three\nname?: string;\n", {
      maxDescLen,
    });
    expect(spec?.properties?.["name"]?.description).toBe(expected);
  });

  it("counts bytes, and never splits a character", async () => {
    const { spec } = await runExample("// ÄÖÜÄÖÜ\nname?: string;\n", { maxDescLen: 5 });
    expect(spec?.properties?.["name"]?.description).toBe("ÄÖ...");
  });
});

describe("allowDangerousTypes", () => {
  it("converts a number to the type number", async () => {
    expect(await properties("ratio?: number;\n", { allowDangerousTypes: true })).toEqual({
      ratio: { type: "number" },
    });
  });
});

describe("generateEmbeddedObjectMeta", () => {
  it("gives embedded metadata the fields that users set", async () => {
    const written = await properties("template?: ObjectMeta;\n", { generateEmbeddedObjectMeta: true });
    expect(Object.keys((written["template"] as { properties: object }).properties)).toEqual([
      "annotations",
      "finalizers",
      "labels",
      "name",
      "namespace",
    ]);
  });
});

describe("featureGates", () => {
  const code = "name?: string;\n// +tsbuilder:featureGate=Backups\nbackup?: string;\n";

  it("omits fields of disabled feature gates, and includes them once enabled", async () => {
    expect(Object.keys(await properties(code))).toEqual(["name"]);
    expect(Object.keys(await properties(code, { featureGates: ["Backups"] }))).toEqual(["backup", "name"]);
  });

  it("omits kinds, rules and webhooks of disabled feature gates", async () => {
    const webhook =
      "// +kubebuilder:webhook:path=/x,mutating=true,failurePolicy=fail,sideEffects=None,groups=a,resources=b,verbs=create,versions=v1,name=x.y.z,admissionReviewVersions=v1,featureGate=Backups\n";
    const files = {
      "api/v1/case_types.ts": kind.replace(
        "export interface",
        "// +tsbuilder:featureGate=Backups\nexport interface",
      ),
      "src/x.ts": rbac.replace("verbs=get", "verbs=get,featureGate=Backups") + webhook,
    };
    expect((await planManifests(memoryTree(files))).changes).toEqual([]);
    expect((await planManifests(memoryTree(files), { featureGates: ["Backups"] })).changes).toHaveLength(3);
  });
});

describe("readonlyImmutable", () => {
  it("makes readonly properties immutable with readonlyImmutable", async () => {
    const code = "readonly name?: string;\nreadonly size: int32;\n";
    const { spec } = await runExample(code, { readonlyImmutable: true });
    const rule = { rule: "self == oldSelf", message: "field is immutable" };
    expect(spec?.properties?.["name"]?.["x-kubernetes-validations"]).toEqual([rule]);
    expect(spec?.properties?.["size"]?.["x-kubernetes-validations"]).toEqual([rule]);
    expect(spec?.["x-kubernetes-validations"]?.map(({ rule: text }) => text)).toEqual([
      "!has(oldSelf.name) || has(self.name)",
    ]);
    expect((await runExample(code)).spec?.["x-kubernetes-validations"]).toBeUndefined();
  });
});

describe("header and year", () => {
  it("puts a header before each file, as a YAML comment", async () => {
    const files = { "src/x.ts": rbac };
    const header = "/*\nCopyright YEAR Example.\n\nAll rights reserved.\n*/";
    expect(await manifestsText(files, { header, year: "2026" })).toMatch(
      /^# Copyright 2026 Example\.\n#\n# All rights reserved\.\n---\n/u,
    );
    expect(await manifestsText(files, { header: "# plain\n" })).toMatch(/^# plain\n---\n/u);
    expect(await manifestsText(files, { header: "" })).toMatch(/^---\n/u);
  });
});

describe("versionAnnotation", () => {
  it("annotates CRDs with the generator's version", async () => {
    const versionAnnotation = { key: "controller-gen.kubebuilder.io/version", value: "v0.23.0" };
    const text = await manifestsText({ "api/v1/case_types.ts": kind }, { versionAnnotation });
    expect(text).toContain("  annotations:\n    controller-gen.kubebuilder.io/version: v0.23.0\n");
  });
});

describe("roleName and provenance", () => {
  it("names the role, and adds a comment with its marker to each rule", async () => {
    const files = { "src/a.ts": rbac, "src/b.ts": `\n${rbac}` };
    const text = await manifestsText(files, { roleName: "boxes", provenance: true });
    expect(text).toContain("  name: boxes\nrules:\n# src/a.ts:1\n# src/b.ts:2\n- apiGroups:\n");
  });
});

describe("only, paths and output", () => {
  const files = { "api/v1/case_types.ts": kind, "src/x.ts": rbac, "other/y.ts": rbac };

  it("runs one generator", async () => {
    const { changes } = await planManifests(memoryTree(files), { only: ["rbac"] });
    expect(changes.map(({ path }) => path)).toEqual(["config/rbac/role.yaml"]);
  });

  it("reads other folders", async () => {
    const { changes } = await planManifests(memoryTree(files), { paths: ["other"] });
    expect(changes.map(({ path }) => path)).toEqual(["config/rbac/role.yaml"]);
  });

  it("writes a role with only the rules of the folders that were read", async () => {
    const pods = { "src/pods.ts": rbac.replace("deployments", "pods") };
    const read = async (paths: readonly string[]) =>
      (await planManifests(memoryTree({ ...files, ...pods }), { paths })).changes.map(
        ({ content }) => content,
      );
    const [all] = await read(["src", "other"]);
    const [some] = await read(["other"]);
    expect([all, some].map((role) => role?.includes("- pods\n"))).toEqual([true, false]);
  });

  it("writes to other folders", async () => {
    const { changes } = await planManifests(memoryTree(files), { output: { crd: "crds", rbac: "./roles" } });
    expect(changes.map(({ path }) => path)).toEqual(["crds/example.com_cases.yaml", "roles/role.yaml"]);
  });
});
