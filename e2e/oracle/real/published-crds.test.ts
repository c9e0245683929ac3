import { type Client, createClient, type KubernetesObject, loadConfig } from "@tsbuilder/runtime";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import { parse } from "yaml";
import type { JSONSchema } from "@tsbuilder/apimachinery/schema";
import { generateCrds } from "../../../src/generators/crd/generate-crds.ts";
import { toJson } from "../../../src/generators/crd/custom-resource-definition.ts";
import { ProjectSources } from "../../../src/generators/sources/project-sources.ts";
import { planTypes } from "../../../src/generators/types/types-from-crd.ts";
import { memoryTree } from "../../../src/scaffold/tree.ts";
import { operationsFor } from "../../../src/simulation/operations/operations-for.ts";
import type { CRD } from "../../../src/simulation/operations/draw-object.ts";
import { Random } from "@tsbuilder/apimachinery/sample";
import { surprisesOf } from "../../support/simulation/do-steps.ts";
import { publishedCrds } from "./published-crds.ts";

const { crds, missing } = publishedCrds();
for (const why of missing) console.log(`left out: the CRDs of ${why}`);

interface Versions {
  readonly spec: {
    readonly versions: readonly { readonly name: string; readonly schema: { openAPIV3Schema: JSONSchema } }[];
  };
}

/** A schema of a CRD without what is named as lost, and in an order of its own. */
function comparable(schema: JSONSchema, lost: ReadonlySet<string>): unknown {
  const root = inner(schema, "", lost) as Record<string, unknown>;
  // An API server defines the others, whether a CRD does or not.
  const { spec, status, ...others } = root["properties"] as Record<string, unknown>;
  const own = Object.keys(others).filter((name) => !["apiVersion", "kind", "metadata"].includes(name));
  const required = ((root["required"] ?? []) as string[]).filter(
    (name) => !["apiVersion", "kind"].includes(name) && !lost.has(`.${name}: required`),
  );
  return { ...root, properties: { spec, status }, own, required };
}

function inner(schema: JSONSchema, path: string, lost: ReadonlySet<string>): unknown {
  const isLost = (key: string): boolean =>
    lost.has(`${path}: ${key}`) || (key === "default" && lost.has(`${path}: the last digits of its default`));
  const entries = Object.entries(schema).filter(
    ([key, value]) => value !== undefined && value !== false && !isLost(key),
  );
  const written = entries.map(([key, value]: [string, unknown]): [string, unknown] => {
    if (key === "required") return [key, (value as string[]).toSorted()];
    if (key === "items" || key === "additionalProperties") {
      return [key, typeof value === "object" ? inner(value as JSONSchema, `${path}[]`, lost) : value];
    }
    if (key !== "properties") return [key, value];
    const fields = Object.entries(value as Record<string, JSONSchema>);
    return [
      key,
      Object.fromEntries(fields.map(([name, one]) => [name, inner(one, `${path}.${name}`, lost)])),
    ];
  });
  return Object.fromEntries(written);
}

test.skipIf(missing.length > 0)("there are a hundred published kinds", () => {
  expect(crds.length).toBeGreaterThanOrEqual(100);
});

describe.skipIf(crds.length === 0)(
  "types of a published CRD give the same schemas again, but for what is named:",
  () => {
    it.each(crds.map(({ name, text }) => [name, text] as const))("%s", async (name, text) => {
      const plan = await planTypes([{ name, text }], "api");
      const files = plan.changes.map(({ path, content = "" }) => [path, content] as const);
      const sources = await ProjectSources.load(memoryTree(Object.fromEntries(files)));
      const [generated] = generateCrds(sources);
      expect(sources.log.sorted().filter(({ severity }) => severity === "error")).toEqual([]);
      for (const { name: version, schema } of (parse(text) as Versions).spec.versions) {
        const again = generated!.crd.spec.versions.find((one) => one.name === version)!;
        const named = plan.lost.filter((what) => what.includes(`/${version}/`));
        const lost = new Set(named.map((what) => what.slice(what.indexOf(": ") + 2)));
        const result = toJson(again.schema.openAPIV3Schema) as JSONSchema;
        expect(comparable(result, lost)).toEqual(comparable(schema.openAPIV3Schema, lost));
      }
    });
  },
);

describe.skipIf(crds.length === 0)(
  "operations of a published CRD are accepted, the wrong ones rejected:",
  () => {
    let cluster: TestCluster;
    let client: Client;

    beforeAll(async () => {
      cluster = await startTestCluster();
      client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));
      await cluster.install({ apiVersion: "v1", kind: "Namespace", metadata: { name: "other" } });
    });

    afterAll(() => cluster?.stop());

    it.each(crds.map(({ name, text }) => [name, text] as const))("%s", async (_, text) => {
      const crd = parse(text) as CRD & KubernetesObject;
      // A webhook that converts versions isn't here.
      await cluster.installCRDs({ ...crd, spec: { ...crd.spec, conversion: undefined } });
      for (let seed = 0; seed < 5; seed++) {
        const names = [`a-${seed}`, `web-${seed}`, `web-${seed}-1`];
        const steps = operationsFor(crd, { names })(new Random(seed));
        expect(steps.length).toBeGreaterThan(3);
        expect(await surprisesOf(client, crd, steps)).toEqual([]);
      }
    });
  },
);
