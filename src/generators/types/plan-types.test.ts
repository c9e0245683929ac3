import { describe, expect, it } from "vitest";
import { planTypes } from "./types-from-crd.ts";

const crd = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: boxes.example.com
spec:
  group: example.com
  scope: Cluster
  names: { kind: Box, plural: boxes, singular: box, shortNames: [bx] }
  versions:
  - name: v1
    served: true
    storage: true
    subresources: { status: {} }
    schema:
      openAPIV3Schema:
        description: Box is a box.
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: { type: integer, format: int32, minimum: 1, description: How large it is. }
              mode: { type: string, enum: [open, shut], default: shut }
              "a-b": { type: object, additionalProperties: { type: string } }
              lid:
                type: object
                nullable: true
                properties: { color: { type: string, maxLength: 8 } }
`;

describe("planTypes()", () => {
  it("writes types like those written by hand", async () => {
    const { changes, lost } = await planTypes([{ name: "box.yaml", text: crd }]);
    expect(lost).toEqual([]);
    expect(changes.map(({ path }) => path)).toEqual([
      "src/types/example.com/v1/groupversion_info.ts",
      "src/types/example.com/v1/box_types.ts",
    ]);
    expect(changes[1]?.content)
      .toBe(`import { type CustomResource, defineKind, type int32 } from "@tsbuilder/runtime";
import { groupVersion } from "./groupversion_info.ts";

export interface BoxSpecLid {
  /** +kubebuilder:validation:MaxLength=8 */
  color?: string;
}

export interface BoxSpec {
  /**
   * How large it is.
   * +kubebuilder:validation:Minimum=1
   */
  size: int32;
  /** +default="shut" */
  mode?: "open" | "shut";
  "a-b"?: Record<string, string>;
  lid?: BoxSpecLid | null;
}

/**
 * Box is a box.
 * +kubebuilder:resource:shortName=bx
 * +kubebuilder:subresource:status
 */
export interface Box extends CustomResource<BoxSpec> {}
export const Box = defineKind<Box>(groupVersion, { kind: "Box", plural: "boxes", scope: "Cluster" });
`);
  });

  it("adds markers for what types can't express", async () => {
    const text = crd.replace("maxLength: 8", "allOf: [{ maxLength: 8 }]");
    expect((await planTypes([{ name: "box.yaml", text }])).lost).toEqual([
      "example.com/v1/box_types.ts: .spec.lid.color: allOf",
    ]);
  });

  it("names what it drops, and keeps unknown fields of lists", async () => {
    const text = crd
      .replace("required: [spec]", "required: [metadata, spec]")
      .replace(
        "          spec:\n",
        `          status: { type: object, default: {}, properties: { phase: { type: string } } }
          data: { type: string }
          spec:
`,
      )
      .replace(
        '"a-b": {',
        'list: { type: array, x-kubernetes-preserve-unknown-fields: true, items: { type: string } }\n              "a-b": {',
      );
    const { changes, lost } = await planTypes([{ name: "box.yaml", text }]);
    const file = "example.com/v1/box_types.ts";
    expect(lost).toEqual([`${file}: .status: default`, `${file}: .data: field`]);
    expect(changes[1]?.content).toContain(
      "export interface Box extends CustomResource<BoxSpec, BoxStatus> {\n  metadata: ObjectMeta;\n}\n",
    );
    expect(changes[1]?.content).toContain(
      "  /** +kubebuilder:pruning:PreserveUnknownFields */\n  list?: string[];\n",
    );
  });

  it("rejects a file without a CRD, and one that is not YAML", async () => {
    await expect(planTypes([{ name: "x.yaml", text: "kind: Pod\n" }])).rejects.toThrow(
      '"x.yaml" contains no CustomResourceDefinition',
    );
    await expect(planTypes([{ name: "x.yaml", text: "a: [\n" }])).rejects.toThrow(
      '"x.yaml" is not valid YAML',
    );
  });
});
