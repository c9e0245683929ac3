import { ApiError, type Client, createClient, loadConfig } from "@tsbuilder/runtime";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { crdOf, stepsOf } from "../../../e2e/support/simulation/box-operations.ts";
import { CustomResourceDefinition, surprisesOf } from "../../../e2e/support/simulation/do-steps.ts";
import { randomObjectSchemas } from "../../../e2e/support/simulation/random-schemas.ts";
import { Random } from "@tsbuilder/apimachinery/sample";
import { operationsFor } from "./operations-for.ts";
import { unchangedFields } from "./unchanged-fields.ts";
import type { PlannedStep } from "./operations-for.ts";
import type { CRD } from "./draw-object.ts";

let cluster: TestCluster;
let client: Client;

beforeAll(async () => {
  cluster = await startTestCluster();
  client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));
  await cluster.install({ apiVersion: "v1", kind: "Namespace", metadata: { name: "other" } });
});

afterAll(async () => {
  await cluster?.stop();
});

/** Parts of schemas that relate fields to each other, and to what they were before. */
const related: readonly JSONSchema[] = [
  {
    type: "object",
    required: ["low", "high"],
    properties: { low: { type: "integer" }, high: { type: "integer", default: 10 } },
    "x-kubernetes-validations": [{ rule: "self.low <= self.high" }],
  },
  {
    type: "object",
    properties: { a: { type: "string" }, b: { type: "integer" }, c: { type: "object" } },
    oneOf: [{ required: ["a"] }, { required: ["b"] }, { required: ["c"] }],
  },
  {
    type: "object",
    required: ["type"],
    properties: {
      type: { type: "string", enum: ["Plain", "Sized"] },
      size: { type: "integer", minimum: 1, maximum: 100, multipleOf: 5 },
    },
    "x-kubernetes-validations": [{ rule: "(self.type == 'Sized') == has(self.size)" }],
  },
  {
    type: "object",
    properties: { size: { type: "integer", minimum: 1 } },
    "x-kubernetes-validations": [
      { rule: "!has(oldSelf.size) || (has(self.size) && self.size >= oldSelf.size)" },
    ],
  },
  {
    type: "array",
    items: {
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string", pattern: "^[a-z]{2,4}-[0-9]+$" },
        port: { type: "integer", maximum: 9 },
      },
    },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
    maxItems: 3,
  },
  {
    type: "array",
    items: { type: "string", enum: ["a", "b", "c"] },
    "x-kubernetes-list-type": "set",
    minItems: 1,
  },
  {
    type: "object",
    additionalProperties: {
      "x-kubernetes-int-or-string": true,
      anyOf: [{ type: "integer" }, { type: "string" }],
      pattern: String.raw`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE])?$`,
    },
  },
  { type: "string", "x-kubernetes-validations": [{ rule: "self == oldSelf" }] },
];

/** Installs a CRD, unless the API server rejects it: a random schema may have rules that can't be compiled. */
async function isServed(crd: KubernetesObject): Promise<boolean> {
  try {
    await client.create(CustomResourceDefinition, crd);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.isInvalid) return false;
    throw error;
  }
}

describe("operationsFor()", () => {
  it("draws steps that the API server accepts, and wrong ones that it rejects", async () => {
    let crds = 0;
    let applied = 0;
    let rejected = 0;
    const schemas = fc.oneof(
      randomObjectSchemas,
      fc.record({
        type: fc.constant("object"),
        properties: fc.dictionary(fc.constantFrom("a", "b", "c"), fc.constantFrom(...related), {
          minKeys: 1,
        }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(schemas, fc.nat(), async (spec, seed) => {
        const crd = crdOf(JSON.parse(JSON.stringify(spec)) as JSONSchema);
        if (!(await isServed(crd))) return;
        const steps = stepsIfAny(crd, new Random(seed));
        expect(await surprisesOf(client, crd, steps)).toEqual([]);
        crds++;
        applied += steps.length;
        rejected += steps.filter((step) => step.expect).length;
      }),
      { numRuns: 60 },
    );
    expect(crds).toBeGreaterThan(30);
    expect(applied).toBeGreaterThan(300);
    expect(rejected).toBeGreaterThan(5);
  });

  it("draws multiples of a number without bounds", () => {
    for (const multipleOf of [1, 5, 7, 10]) {
      const n: JSONSchema = { type: "integer", multipleOf };
      const steps = stepsOf(crdOf({ type: "object", required: ["n"], properties: { n } }, "box"), 5);
      expect(steps.length).toBeGreaterThan(5);
    }
  });

  it("says that no valid object was found", () => {
    const a: JSONSchema = { type: "string", "x-kubernetes-validations": [{ rule: "self == 'x' + 'y'" }] };
    const crd = crdOf({ type: "object", required: ["a"], properties: { a } }, "box");
    expect(() => stepsOf(crd, 1)).toThrow(/no valid .* was found/);
    expect(stepsOf(crd, 1, { values: { "spec.a": ["xy"] } }).length).toBeGreaterThan(0);
  });

  it("draws the same steps from the same seed", () => {
    const operations = operationsFor(crdOf(related[4]!, "box"));
    expect(operations(new Random(7))).toEqual(operations(new Random(7)));
    expect(operations(new Random(7))).not.toEqual(operations(new Random(8)));
  });

  it("changes every field in every way, over many seeds", () => {
    const properties = Object.fromEntries(
      ["range", "union", "typed", "growing", "items", "set", "amounts"].map((name, at) => [
        name,
        related[at]!,
      ]),
    );
    const steps = stepsOf(crdOf({ type: "object", properties }, "box"), 300);
    const said = new Set(steps.map(({ why }) => why.replaceAll(/\[\d+\]/g, "[]")));
    const wanted = [
      "sets spec.range",
      "removes spec.range",
      "changes spec.range.low",
      "sets spec.union.c",
      'changes spec.typed.type to "Plain"',
      "sets spec.typed.size to its maximum, 100",
      "sets spec.typed.size to its minimum, 5",
      "adds an item to spec.items",
      "removes spec.items[]",
      "reorders spec.items",
      "reorders spec.set",
      "changes spec.amounts.a",
      "removes spec.amounts.b",
      "renames spec.amounts.a to b",
      "changes web back",
      "deletes web",
      "corrects web",
    ];
    expect(wanted.filter((what) => !said.has(what))).toEqual([]);
  });

  it("draws objects of several names in several namespaces, and the same name again after a deletion", () => {
    const steps = stepsOf(crdOf(related[0]!, "box"), 50);
    const applied = steps.flatMap((step) => (step.do === "apply" ? [step.object.metadata] : []));
    expect(new Set(applied.map(({ namespace }) => namespace))).toEqual(new Set(["default", "other"]));
    expect(Math.max(...applied.map(({ name }) => name!.length))).toBe(63);
    const isRecreated = steps.some((step, at) => {
      const next = steps[at + 1];
      return step.do === "delete" && next?.do === "apply" && next.object.metadata.name === step.target.name;
    });
    expect(isRecreated).toBe(true);
  });

  it("uses only the names that a rule of the CRD admits", () => {
    const crd = crdOf(related[0]!, "box");
    const { openAPIV3Schema } = crd.spec.versions[0]!.schema!;
    openAPIV3Schema!["x-kubernetes-validations"] = [{ rule: "size(self.metadata.name) <= 9" }];
    const names = stepsOf(crd, 20).map((step) => (step.do === "apply" ? step.object.metadata.name! : "web"));
    expect(names.filter((name) => name.length > 9)).toEqual([]);
    expect(names).toContain("web-lab-1");
  });
});

describe("unchangedFields()", () => {
  it("names the fields that no valid change was found for", () => {
    const properties = {
      free: { type: "integer" },
      fixed: related[7]!,
      one: { type: "string", enum: ["only"] },
      odd: { type: "string", "x-kubernetes-validations": [{ rule: "self == self + 'x'" }] },
    };
    const crd = crdOf({ type: "object", required: ["fixed", "one"], properties }, "box");
    expect(unchangedFields(crd, new Random(1))).toEqual([
      { field: "spec.fixed", why: "immutable" },
      { field: "spec.one", why: "no valid change found" },
      { field: "spec.odd", why: "no valid change found" },
    ]);
  });

  it("is undefined if there is no valid object", () => {
    const crd = crdOf({ type: "object", "x-kubernetes-validations": [{ rule: "false" }] }, "box");
    expect(unchangedFields(crd, new Random(1))).toBeUndefined();
  });
});

/** Some random schemas admit no object at all. */
function stepsIfAny(crd: CRD, random: Random): PlannedStep[] {
  try {
    return operationsFor(crd)(random);
  } catch (error) {
    if (/^no valid Box\d* was found/.test((error as Error).message)) return [];
    throw error;
  }
}
