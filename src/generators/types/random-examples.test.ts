import * as fc from "fast-check";
import { expect, it } from "vitest";
import { stringify } from "yaml";
import { parseGoYAML } from "../../cluster/codec/go-yaml.ts";
import { memoryTree } from "../../scaffold/tree.ts";
import type { CustomResourceDefinition } from "../crd/custom-resource-definition.ts";
import { type GeneratedCrd, generateCrds } from "../crd/generate-crds.ts";
import { planManifests } from "../manifests.ts";
import { ProjectSources } from "../sources/project-sources.ts";
import { planTypes } from "./types-from-crd.ts";

/** A CRD with an example of any JSON. */
function crdOf(example: unknown): string {
  const anything = { "x-kubernetes-preserve-unknown-fields": true, example };
  const spec = { type: "object", properties: { field: anything } };
  const schema = { openAPIV3Schema: { type: "object", properties: { spec } } };
  return stringify(
    {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "boxes.example.com" },
      spec: {
        group: "example.com",
        names: { kind: "Box", plural: "boxes", singular: "box", listKind: "BoxList" },
        scope: "Namespaced",
        versions: [{ name: "v1", served: true, storage: true, schema }],
      },
    },
    { aliasDuplicateObjects: false },
  );
}

/** The example that the types of a CRD give again; undefined if it is named as lost. */
async function thereAndBack(example: unknown): Promise<unknown> {
  const { changes, lost } = await planTypes([{ name: "crd.yaml", text: crdOf(example) }], "api");
  const files = Object.fromEntries(changes.map(({ path, content = "" }) => [path, content]));
  const plan = await planManifests(memoryTree(files));
  expect(plan.diagnostics).toEqual([]);
  const [{ text }] = generateCrds(await ProjectSources.load(memoryTree(files))) as [GeneratedCrd];
  const { schema } = (parseGoYAML(text) as CustomResourceDefinition).spec.versions[0]!;
  const again = schema.openAPIV3Schema.properties!["spec"]!.properties!["field"]!.example;
  if (lost.length === 0) return again;
  expect(again).toBeUndefined();
  expect(lost).toEqual(["example.com/v1/box_types.ts: .spec.field: example"]);
  return undefined;
}

it.each<[unknown]>([[["a", false]], [[1, 2.5]], [[]], [[null]], [{ a: [{}, 1] }]])(
  "an example that no marker can give again, such as %j, is named as lost",
  async (example) => {
    expect(await thereAndBack(example)).toBeUndefined();
  },
);

it("a name that looks like an exponent is a text, as in Go", async () => {
  expect(await thereAndBack({ E0: "e5" })).toEqual({ E0: "e5" });
});

it("a random example is given again, or named as lost", async () => {
  let given = 0;
  await fc.assert(
    fc.asyncProperty(fc.jsonValue({ maxDepth: 2 }), async (drawn) => {
      // JSON has no negative zero.
      const example: unknown = JSON.parse(JSON.stringify(drawn));
      const again = await thereAndBack(example);
      if (again !== undefined) given++;
      expect(again ?? example).toEqual(example);
    }),
  );
  expect(given).toBeGreaterThan(0);
});

it("defaults and examples of elements, which markers can't give, are named as lost", async () => {
  const text = crdOf("x").replace(
    "x-kubernetes-preserve-unknown-fields: true",
    "type: array\n                  items: { type: string, default: a, example: b }",
  );
  expect((await planTypes([{ name: "crd.yaml", text }])).lost).toEqual([
    "example.com/v1/box_types.ts: .spec.field[]: default",
    "example.com/v1/box_types.ts: .spec.field[]: example",
  ]);
});
