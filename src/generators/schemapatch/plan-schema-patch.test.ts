import { describe, expect, it } from "vitest";
import { memoryTree } from "../../scaffold/tree.ts";
import { planManifests } from "../manifests.ts";
import { planSchemaPatch } from "./plan-schema-patch.ts";

const types = `import { defineKind, type CustomResource } from "@tsbuilder/runtime";
export interface Box extends CustomResource<{ name: string }> {}
export const Box = defineKind<Box>({ group: "example.com", version: "v1" }, { kind: "Box", plural: "boxes" });
`;

const before = `# Kept by hand.
kind: CustomResourceDefinition
apiVersion: apiextensions.k8s.io/v1
metadata: {name: boxes.example.com}   # odd spacing
spec:
    group: example.com
    names: {kind: Box, plural: boxes}
    versions:
      - name: v1
        schema:
          # the schema
          openAPIV3Schema:
            type: object
            description: old
        served: true # always
      - name: v2
        schema: { openAPIV3Schema: { type: object } }
---
kind: Other
`;

describe("planSchemaPatch()", () => {
  it("replaces the schema, and keeps everything else byte for byte", async () => {
    const files = { "api/v1/box_types.ts": types, "crds/box.yaml": before };
    const { changes, diagnostics } = await planSchemaPatch(memoryTree(files), "crds", { maxDescLen: 0 });
    expect(diagnostics).toEqual([]);
    const schema = `            properties:
              apiVersion:
                type: string
              kind:
                type: string
              metadata:
                type: object
              spec:
                properties:
                  name:
                    type: string
                required:
                - name
                type: object
            required:
            - spec
            type: object
`;
    const content = before.replace("            type: object\n            description: old\n", schema);
    expect(changes).toEqual([{ path: "crds/box.yaml", content }]);
    const again = await planSchemaPatch(memoryTree({ ...files, "crds/box.yaml": content }), "crds", {
      maxDescLen: 0,
    });
    expect(again.changes).toEqual([]);
  });

  it("folds long texts as in the file that manifests writes", async () => {
    const text = "A text of many words, which is much too long for a single line of YAML. ".repeat(4).trim();
    const long = types.replace("{ name: string }", `{ /** ${text} */ name: string }`);
    const files = { "api/v1/box_types.ts": long };
    const content = (await planManifests(memoryTree(files))).changes[0]?.content ?? "";
    const old = content.replace(/( +openAPIV3Schema:\n)[\s\S]*?(?=\n {4}served:)/u, "$1        type: object");
    expect(old).not.toContain("many words");
    const { changes } = await planSchemaPatch(memoryTree({ ...files, "crds/box.yaml": old }), "crds");
    expect(changes).toEqual([{ path: "crds/box.yaml", content }]);
  });

  it("reports a CRD whose YAML is invalid, and changes nothing", async () => {
    const broken = before.replace(/( +)group: example.com/u, "$1group: [example.com");
    const quoted = broken.replace("kind: CustomResourceDefinition", 'kind: "CustomResourceDefinition"');
    expect([broken, quoted].map((text) => text.length - before.length)).toEqual([1, 3]);
    const files = {
      "api/v1/box_types.ts": types,
      "crds/a.yaml": before,
      "crds/b.yaml": broken,
      "crds/c.yaml": quoted,
    };
    const { changes, diagnostics } = await planSchemaPatch(memoryTree(files), "crds");
    expect(changes).toEqual([]);
    expect(diagnostics.map(({ at }) => at?.file)).toEqual(["crds/b.yaml", "crds/c.yaml"]);
    expect(diagnostics[0]?.hint).toBe("fix the YAML, or move the file elsewhere");
  });

  it("refuses brackets that are nested without end, in a few characters", async () => {
    const nested = `kind: CustomResourceDefinition\nspec: ${"[".repeat(20_000)}`;
    const files = { "api/v1/box_types.ts": types, "crds/a.yaml": nested };
    const { changes, diagnostics } = await planSchemaPatch(memoryTree(files), "crds");
    expect(changes).toEqual([]);
    expect(diagnostics.map(({ message }) => message)).toEqual(["brackets are nested too deeply"]);
    expect(diagnostics[0]?.frame?.length).toBeLessThan(400);
  });

  it("leaves files alone that are not CRDs of this project", async () => {
    const files = {
      "api/v1/box_types.ts": types,
      "crds/a.yaml": "a: [\n",
      "crds/b.yaml": "kind: Pod\n",
      "crds/c.txt": before,
    };
    expect((await planSchemaPatch(memoryTree(files), "crds")).changes).toEqual([]);
  });
});
