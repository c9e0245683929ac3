import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compileSchema, type JSONSchema } from "@tsbuilder/apimachinery/schema";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { goldenHost } from "../../../../e2e/golden/golden-projects.ts";
import { useProjectFolder } from "../../../../e2e/support/projects/project-folder.ts";
import { rememberConfig } from "../../../dev/running-session.ts";
import { RecordFile } from "../../../dev/record/record-file.ts";
import { dispatch } from "../../start/main.ts";

const folder = useProjectFolder();
let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
  await cluster.install({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "one", namespace: "default", finalizers: ["example.com/kept"] },
  });
});
afterAll(() => cluster.stop());

/** Runs a command of the project, as in a session. Returns what it prints. */
async function run(...argv: string[]): Promise<string> {
  const printed: string[] = [];
  const ui = {
    print: (text: string) => void printed.push(text),
    note: () => undefined,
    isInteractive: false,
  };
  expect(await dispatch(argv, folder.root, ui, goldenHost)).toBe(0);
  return printed.join("\n");
}

async function startSession(): Promise<void> {
  await folder.initialize();
  const dev = join(folder.root, ".tsbuilder/dev");
  mkdirSync(dev, { recursive: true });
  writeFileSync(join(dev, "kubeconfig"), JSON.stringify(cluster.kubeconfig));
  rememberConfig(join(dev, "kubeconfig"));
  const record = new RecordFile(dev);
  record.clear();
  record.append([
    {
      controller: "configmap",
      request: "default/one",
      reconcileID: "1",
      at: new Date().toISOString(),
      causes: ["add of ConfigMap default/one"],
      outcome: "later",
      requeueAfter: 5000,
      requests: [{ method: "GET", path: "/version", code: "200", seconds: 0.01 }],
      seconds: 0.02,
    },
  ]);
}

test("prints an explanation of an object of the session, and with --output json as data", async () => {
  await startSession();
  const text = await run("why", "configmap/one");
  expect(text).toMatch(/^ConfigMap default\/one is without a status\n/u);
  expect(text).toContain("configmap reconciles default/one, because of add of ConfigMap default/one: later");
  const { explanation, ...rest } = JSON.parse(
    await run("why", "configmap/default/one", "--output", "json"),
  ) as {
    explanation: object;
  };
  expect(rest).toMatchObject({ command: "why", exitCode: 0 });
  expect(explanation).toMatchObject({ object: "ConfigMap default/one", causes: [] });
  const { properties } = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../output.schema.json"), "utf8"),
  ) as { properties: { explanation: JSONSchema } };
  const schema = compileSchema(properties.explanation);
  expect(schema.validate(explanation)).toEqual([]);
  expect(schema.prune(structuredClone(explanation))).toMatchObject({ unknown: [] });
});

test("explains an object beside an operator of kubebuilder, which dev --exec runs", async () => {
  await startSession();
  writeFileSync(join(folder.root, "PROJECT"), "layout:\n- go.kubebuilder.io/v4\nprojectName: shop\n");
  expect(await run("why", "configmap/one")).toMatch(/^ConfigMap default\/one is without a status\n/u);
});

test("says where no session runs, and refuses a Deployment without a namespace", async () => {
  await folder.initialize();
  const ui = { print: () => undefined, note: () => undefined, isInteractive: false };
  const why = (...argv: string[]) => dispatch(["why", ...argv], folder.root, ui, goldenHost);
  await expect(why("configmap/one")).rejects.toMatchObject({ code: "CLUSTER_UNREACHABLE" });
  await expect(why("configmap/one", "--operator", "shop")).rejects.toMatchObject({
    code: "INVALID_ARGUMENT",
  });
});
