import { describe, expect, it } from "vitest";
import { memoryTree } from "../../scaffold/tree.ts";
import { planManifests } from "../manifests.ts";

const head = `import { defineKind, type CustomResource, type KubernetesObject, type int32 } from "@tsbuilder/runtime";
const groupVersion = { group: "example.com", version: "v1" };
`;
const define = 'export const Case = defineKind<Case>(groupVersion, { kind: "Case", plural: "cases" });\n';

/** The CRD of a types file; what is wrong with it, if something is. */
async function crdOf(types: string): Promise<string> {
  const { changes, diagnostics } = await planManifests(memoryTree({ "api/v1/case_types.ts": head + types }), {
    maxDescLen: 0,
  });
  return changes[0]?.content ?? diagnostics.map(({ message }) => message).join("\n");
}

const plain = await crdOf(`/** What it is. */
export interface Spec {
  /** Its name. */
  // +kubebuilder:validation:MinLength=1
  name: string;
}
export interface Case extends CustomResource<Spec> {}
${define}`);

describe("findKinds()", () => {
  it("reads a kind that is a type alias", async () => {
    const types = `export interface Spec {
  // +kubebuilder:validation:MinLength=1
  name: string;
}
export type Case = CustomResource<Spec>;
${define}`;
    expect(await crdOf(types)).toBe(plain);
  });

  it("reads a kind with an inline spec", async () => {
    const types = `export interface Case extends KubernetesObject {
  spec: {
    // +kubebuilder:validation:MinLength=1
    name: string;
  };
}
${define}`;
    expect(await crdOf(types)).toBe(plain);
  });

  it("reads a kind with its own base interface, and a defineKind under another name", async () => {
    const types = `export interface Base<T> extends CustomResource<T> {}
export interface Spec {
  // +kubebuilder:validation:MinLength=1
  name: string;
}
export interface CaseV1 extends Base<Spec> {}
export const CaseKind = defineKind<CaseV1>(groupVersion, { kind: "Case", plural: "cases" });
`;
    expect(
      await crdOf(
        types.replace(
          "export interface Base<T> extends CustomResource<T> {}",
          "interface Base<T> extends KubernetesObject {\n  spec: T;\n}",
        ),
      ),
    ).toBe(plain);
  });

  it("reads markers on the constant and on the interface", async () => {
    const types = `export interface Case extends CustomResource<{ name?: string }> {}
// +kubebuilder:resource:shortName=ca
${define}`;
    expect(await crdOf(types)).toContain("    shortNames:\n    - ca\n");
  });

  it("keeps fields beside spec and status", async () => {
    const types = `export interface Case extends CustomResource {
  data?: Record<string, string>;
  size: int32;
}
${define}`;
    expect(await crdOf(types)).toContain(`          size:
            format: int32
            type: integer
        required:
        - size
        type: object
`);
  });

  it("reads files with Windows line endings", async () => {
    const types = `/** What it is. */
export interface Spec {
  /**
   * Its name.
   */

  // +kubebuilder:validation:MinLength=1
  name: string;
}
export interface Case extends CustomResource<Spec> {}
${define}`;
    expect(await crdOf(types.replaceAll("\n", "\r\n"))).toBe(plain);
  });

  it("reads a file that begins with a byte order mark", async () => {
    const files = {
      "api/v1/case_types.ts": `\ufeff${head}export interface Case extends CustomResource {}\n${define}`,
    };
    expect((await planManifests(memoryTree(files))).diagnostics).toEqual([]);
  });

  it("reads markers on a constant that a renamed import creates", async () => {
    const types = `import { defineKind as define } from "@tsbuilder/runtime";
export interface Case extends CustomResource {}
// +kubebuilder:resource:shortName=ca
`;
    expect(await crdOf(types + define.replace("defineKind<", "define<"))).toContain("- ca\n");
  });

  it("warns of integers that JavaScript can't represent", async () => {
    const types = `export interface Case extends CustomResource<{
  // +kubebuilder:validation:Maximum=9223372036854775807
  size?: int64;
}> {}
${define}`;
    const files = { "api/v1/case_types.ts": head.replace("int32", "int64") + types };
    const { changes, diagnostics } = await planManifests(memoryTree(files));
    expect(changes).toHaveLength(1);
    expect(diagnostics.map(({ severity, at }) => [severity, at?.line])).toEqual([["warning", 5]]);
  });

  it("follows a renamed import of defineKind", async () => {
    const types =
      'import { defineKind as define } from "@tsbuilder/runtime";\nexport interface Case extends CustomResource {}\n';
    expect(await crdOf(types + define.replace("defineKind<", "define<"))).toContain(
      "name: cases.example.com",
    );
  });
});
