import * as fc from "fast-check";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { describe, expect, it } from "vitest";
import { stringify } from "yaml";
import { TsbuilderError } from "../../shared/errors.ts";
import { memoryTree } from "../../scaffold/tree.ts";
import { generateCrds } from "../crd/generate-crds.ts";
import { toJson } from "../crd/custom-resource-definition.ts";
import { ProjectSources } from "../sources/project-sources.ts";
import { planTypes } from "./types-from-crd.ts";
import {
  randomObjectSchemas as nodes,
  rarely,
  texts,
} from "../../../e2e/support/simulation/random-schemas.ts";

const roots = fc.record({
  description: rarely(texts),
  type: fc.constant("object"),
  required: fc.subarray(["metadata", "spec", "status"]),
  properties: fc.record({
    metadata: fc.constant({ type: "object" }),
    spec: nodes,
    status: nodes.map((node) => ({ ...node, default: undefined })),
  }),
});

function crdOf(schema: object): string {
  const names = { kind: "Box", plural: "boxes", singular: "box", listKind: "BoxList" };
  const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema } };
  return stringify({
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "boxes.example.com" },
    spec: { group: "example.com", names, scope: "Namespaced", versions: [version] },
  });
}

/** The schema without what no reader distinguishes: the order of names, and keys without a value. */
function normal(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(normal);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined && item !== false);
  return entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, normal(item)]);
}

describe("types from a random schema", () => {
  it("give the same schema again, but for what is named as lost", async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(roots, async (root) => {
        const schema = JSON.parse(JSON.stringify(root)) as JSONSchema;
        let plan;
        try {
          plan = await planTypes([{ name: "crd.yaml", text: crdOf(schema) }], "api");
        } catch (error) {
          if (error instanceof TsbuilderError) return;
          throw error;
        }
        const files = Object.fromEntries(plan.changes.map(({ path, content = "" }) => [path, content]));
        const sources = await ProjectSources.load(memoryTree(files));
        const [generated] = generateCrds(sources);
        const text = Object.values(files).join("\n");
        expect({ text, findings: sources.log.sorted().map(({ message }) => message) }).toEqual({
          text,
          findings: [],
        });
        const again = toJson(generated!.crd.spec.versions[0]!.schema.openAPIV3Schema);
        for (const part of ["spec", "status"] as const) {
          if (plan.lost.some((what) => what.includes(` .${part}`))) continue;
          compared++;
          expect([text, normal(again.properties?.[part])]).toEqual([text, normal(schema.properties?.[part])]);
        }
        const isLost = (name: string): boolean =>
          plan.lost.some((what) => what.endsWith(` .${name}: required`));
        expect(again.required ?? []).toEqual((schema.required ?? []).filter((name) => !isLost(name)));
      }),
    );
    expect(compared).toBeGreaterThan(0);
  });
});
