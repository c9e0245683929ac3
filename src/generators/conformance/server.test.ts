import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ApiError, createClient, loadConfig } from "@tsbuilder/runtime";
import { parse, parseAllDocuments } from "yaml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import { startClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import { checkCrd } from "../crd/check-crd.ts";
import { DiagnosticLog } from "../model/diagnostic.ts";
import { emitFile } from "../model/emit.ts";
import { optionsFor, readExamples, runExample } from "../testdata/example.ts";

const folder = join(import.meta.dirname, "testdata");
const names = readdirSync(folder).filter((name) => !/^(?:roles|webhooks)\.md$/u.test(name));
const pages = [...names.map((file) => join(folder, file)), join(import.meta.dirname, "../schema/types.md")];

const examples = pages.flatMap((page) =>
  readExamples(readFileSync(page, "utf8")).flatMap(({ title, blocks }) => {
    const [first] = blocks;
    const isRefused = first?.info === "refused";
    return first?.language === "ts" && !isRefused ? [{ page, title, code: first.code }] : [];
  }),
);

const projects = join(import.meta.dirname, "../../../e2e/golden");
const written = readdirSync(projects, { recursive: true, encoding: "utf8" })
  .filter((path) => /\/config\/(?:crd\/bases\/.*|rbac\/role|webhook\/manifests)\.yaml$/u.test(path))
  .sort();

let cluster: ClusterUnderTest;
let send: (object: object) => Promise<string | undefined>;

beforeAll(async () => {
  cluster = await startClusterUnderTest();
  const client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig }));
  send = async (body) => {
    const { apiVersion, kind } = body as { apiVersion: string; kind: string };
    const path = `/apis/${apiVersion}/${kind.toLowerCase()}s?dryRun=All`;
    try {
      await client.request({ method: "POST", path, body });
      return undefined;
    } catch (error) {
      if (error instanceof ApiError) return error.message;
      throw error;
    }
  };
});

afterAll(() => cluster?.stop());

describe("an API server accepts what the generators write, and rejects what they reject:", () => {
  it.each(examples.map((example) => [example.title, example] as const))("%s", async (_, { page, code }) => {
    const { generated, diagnostics } = await runExample(
      code,
      optionsFor(page.endsWith("core-types.md") ? "core-types.md" : ""),
    );
    expect(diagnostics.filter(({ severity }) => severity === "error")).toEqual([]);
    const log = new DiagnosticLog();
    checkCrd(generated!, log);
    const refusal = await send(parse(emitFile([generated!.crd], {})) as object);
    expect(refusal === undefined ? [] : [refusal]).toHaveLength(log.hasErrors ? 1 : 0);
  });
});

describe("an API server accepts the generated CRDs of a golden project:", () => {
  it.each(written)("%s", async (path) => {
    const objects = parseAllDocuments(readFileSync(join(projects, path), "utf8")).map(
      (document) => document.toJS() as object,
    );
    expect(objects.length).toBeGreaterThan(0);
    for (const object of objects) expect(await send(object)).toBeUndefined();
  });
});
