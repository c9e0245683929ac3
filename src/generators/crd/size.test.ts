import { describe, expect, it } from "vitest";
import { memoryTree } from "../../scaffold/tree.ts";
import { runExample } from "../testdata/example.ts";
import { planManifests } from "../manifests.ts";
import { annotationLimit, largestFields, sizeOf, trimDescriptions } from "./custom-resource-definition.ts";

const code = `/** What pods look like. */
template?: core.PodTemplateSpec;
/** A name. */
name?: string;
`;

describe("trimDescriptions()", () => {
  it("shortens the deepest descriptions until the CRD fits, and keeps the structure", async () => {
    const { crd } = await runExample(code);
    const bare = await runExample(code, { maxDescLen: 0 });
    expect(sizeOf(crd!)).toBeGreaterThan(annotationLimit);
    const trimmed = trimDescriptions(crd!);
    expect(sizeOf(trimmed)).toBeLessThanOrEqual(annotationLimit);
    const spec = trimmed.spec.versions[0]?.schema.openAPIV3Schema.properties?.["spec"];
    expect(spec?.properties?.["template"]?.description).toBe("What pods look like.");
    expect(
      trimDescriptions(crd!, 0).spec.versions[0]?.schema.openAPIV3Schema.properties?.["spec"]?.properties,
    ).toEqual(expect.objectContaining({ name: expect.objectContaining({ type: "string" }) as unknown }));
    expect(sizeOf(trimDescriptions(crd!, 0))).toBeLessThan(sizeOf(bare.crd!) + 1000);
  });

  it("leaves a CRD that fits as it is", async () => {
    const { crd } = await runExample("name?: string;\n");
    expect(trimDescriptions(crd!)).toBe(crd);
  });
});

describe("largestFields()", () => {
  it("names the fields that make a CRD large", async () => {
    const { crd } = await runExample(code);
    expect(largestFields(crd!).map(({ path }) => path)).toEqual(["v1: .spec.template", "v1: .spec.name"]);
  });
});

const project = {
  "api/v1/case_types.ts": `import { defineKind, type CustomResource } from "@tsbuilder/runtime";
import type { PodTemplateSpec } from "@tsbuilder/runtime/k8s/core/v1";
export interface Case extends CustomResource<{ template?: PodTemplateSpec }> {}
export const Case = defineKind<Case>({ group: "example.com", version: "v1" }, { kind: "Case", plural: "cases" });
`,
};

describe("planManifests()", () => {
  it("warns of a CRD that is too large for kubectl apply, with its largest fields", async () => {
    const { changes, diagnostics } = await planManifests(memoryTree(project));
    expect(changes).toHaveLength(1);
    expect(diagnostics).toHaveLength(1);
    expect(diagnostics[0]).toMatchObject({ severity: "warning", at: { line: 4 } });
    expect(diagnostics[0]?.message).toMatch(
      /^the CRD of Case has \d+ bytes, but kubectl apply accepts 262144: .*\.spec\.template/u,
    );
  });

  it("trims it with trimDescriptions", async () => {
    const { diagnostics } = await planManifests(memoryTree(project), { trimDescriptions: true });
    expect(diagnostics).toEqual([]);
  });
});
