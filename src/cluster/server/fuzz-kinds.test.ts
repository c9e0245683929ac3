import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BuiltinResource, BuiltinSchema } from "@tsbuilder/apimachinery/kinds";
import { builtinResources, loadSchemas } from "@tsbuilder/apimachinery/kinds";
import { chapters } from "../../../e2e/oracle/conformance/chapters.ts";
import { mutated } from "../../../e2e/oracle/differential/mutate.ts";
import { send } from "../testing/send.ts";
import { startTestCluster, type TestCluster } from "../testing/index.ts";

/** All unexpected errors, whether a response reports them or not. */
const unexpected: unknown[] = [];
let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster({ onError: (error) => unexpected.push(error) });
});
afterAll(() => cluster.stop());

const { numRuns: runs = 100 } = fc.readConfigureGlobal();

/** An object of a kind, the path to create it, and its subresources. */
interface Sample {
  readonly path: string;
  readonly body: { readonly metadata: { readonly name: string } };
  readonly subresources: readonly string[];
}

/** The objects of a kind that the conformance stories create; if there are none, an object with only a name. */
async function samplesOf({
  group,
  apiVersion,
  scope,
  plural,
  type,
  kind,
  subresources,
}: BuiltinResource): Promise<Kind> {
  const [module = "", name = ""] = type.split(".");
  const schema = (await loadSchemas(module))!.get(name)!;
  const template = `${group === "" ? "/api" : "/apis"}/${apiVersion}${scope === "Namespaced" ? "/namespaces/{ns}" : ""}/${plural}`;
  const bodies = Object.values(chapters)
    .flatMap((stories) => stories.flatMap(({ steps }) => steps))
    .filter(({ method, path, body }) => method === "POST" && path === template && typeof body === "object")
    .map(({ body }) => JSON.parse(JSON.stringify(body).replaceAll("{ns}", "default")) as object);
  const path = template.replace("{ns}", "default");
  const samples = [{}, ...bodies.slice(0, 8)].map((body: { metadata?: object }) => ({
    path,
    body: { apiVersion, kind, ...body, metadata: { name: "x", ...body.metadata } },
    subresources: ["", ...subresources.map(({ name: below }) => `/${below}`)],
  }));
  return { schema, samples };
}

interface Kind {
  readonly schema: BuiltinSchema;
  readonly samples: readonly Sample[];
}

const kinds = await Promise.all(
  builtinResources()
    .filter(({ verbs }) => verbs.includes("create"))
    .map(samplesOf),
);

const cases = fc
  .constantFrom(...kinds)
  .chain(({ schema, samples }) =>
    fc
      .constantFrom(...samples)
      .chain((sample) => mutated(sample.body, schema, {}).map((body) => ({ sample, body }))),
  );

const patchTypes = ["merge-patch+json", "strategic-merge-patch+json", "apply-patch+yaml"] as const;

const fault = /panic|TypeError|RangeError|ReferenceError|SyntaxError|is not a function|undefined \(/;

async function answer(method: string, path: string, body: unknown, type = "json"): Promise<void> {
  const headers = { "Content-Type": `application/${type}` };
  const { text } = await send(cluster.kubeconfig, { method, path, headers, body: JSON.stringify(body) });
  const what = `${method} ${path} ${type} ${JSON.stringify(body)}`;
  const said = fault.exec(text)?.[0];
  expect({ what, unexpected: unexpected.splice(0), said }).toEqual({ what, unexpected: [], said: undefined });
}

test("creating a damaged object of any built-in kind never fails with a server error", async () => {
  await fc.assert(
    fc.asyncProperty(cases, fc.boolean(), async ({ sample, body }, dryRun) => {
      const before = cluster.snapshot();
      await answer("POST", `${sample.path}${dryRun ? "?dryRun=All" : ""}`, body);
      cluster.restore(before);
      expect(unexpected.splice(0)).toEqual([]);
    }),
    { numRuns: 3 * runs },
  );
});

test("changing an object of any built-in kind, at any endpoint, never fails with a server error", async () => {
  await fc.assert(
    fc.asyncProperty(cases, fc.nat(), async ({ sample, body }, choice) => {
      const before = cluster.snapshot();
      const { path, subresources } = sample;
      const { name } = sample.body.metadata;
      await answer("POST", path, sample.body);
      const at = `${path}/${name}${subresources[choice % subresources.length]}`;
      await answer("PUT", at, body);
      for (const type of patchTypes) await answer("PATCH", `${at}?fieldManager=f`, body, type);
      await answer("GET", at, undefined);
      await answer("POST", at, body);
      await answer("DELETE", `${path}/${name}`, body);
      cluster.restore(before);
      expect(unexpected.splice(0)).toEqual([]);
    }),
    { numRuns: runs },
  );
});
