import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { controllerNames } from "@tsbuilder/cluster";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { afterEach, expect, test } from "vitest";
import type { Kubeconfig } from "../auth/kubeconfig.ts";
import { clusterObjects } from "../registry/cluster-objects.ts";
import { send } from "../testing/send.ts";
import { deployments } from "../kinds/apps/deployment/controller/deployments.ts";
import { replicaSets } from "../kinds/apps/replica-set/controller/replica-sets.ts";
import { namespaces, pods } from "../control-loop/api/core.ts";
import { eventually } from "../../../e2e/support/eventually.ts";

const folder = mkdtempSync(join(tmpdir(), "interrupted-"));
const data = join(folder, "data");
let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

/** A cluster with all controllers in a separate process, which prints its kubeconfig. */
async function startProcess(): Promise<Kubeconfig> {
  const script = join(folder, "start.mjs");
  const module = JSON.stringify(new URL("../start-cluster.ts", import.meta.url).href);
  const options = JSON.stringify({ dataDir: data, controllers: controllerNames });
  writeFileSync(
    script,
    `import { startCluster } from ${module};
const { kubeconfig } = await startCluster(${options});
process.stdout.write(JSON.stringify(kubeconfig) + "\\n");`,
  );
  const loader = ["--conditions=@tsbuilder/source", "--import", import.meta.resolve("tsx")];
  child = spawn(process.execPath, [...loader, script], { stdio: ["ignore", "pipe", "inherit"] });
  let text = "";
  while (!text.includes("\n")) {
    const [chunk] = (await once(child.stdout!, "data")) as [Buffer];
    text += chunk.toString();
  }
  return JSON.parse(text) as Kubeconfig;
}

const count = 8;
const deployment = (name: string) => ({
  metadata: { name },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "c", image: "i" }] },
    },
  },
});

test("a rollout and the deletion of a namespace that kill -9 interrupts are completed after the next start", async () => {
  const kubeconfig = await startProcess();
  const ask = (method: string, path: string, body?: object) => send(kubeconfig, { method, path, body });
  for (const name of ["stays", "goes"]) {
    await ask("POST", "/api/v1/namespaces", { metadata: { name } });
    const path = `/apis/apps/v1/namespaces/${name}/deployments`;
    for (let index = 0; index < count; index++) await ask("POST", path, deployment(`d${index}`));
  }
  expect((await ask("DELETE", "/api/v1/namespaces/goes")).code).toBe(200);
  const ended = once(child!, "exit");
  child!.kill("SIGKILL");
  await ended;

  const before = await startTestCluster({ dataDir: data });
  expect(clusterObjects(before.core).list(deployments, "stays")).toHaveLength(count);
  const available = clusterObjects(before.core)
    .list(deployments)
    .filter(({ status }) => status?.availableReplicas === 3);
  expect(available.length).toBeLessThan(2 * count);
  await before.stop();

  const cluster = await startTestCluster({ dataDir: data, controllers: controllerNames });
  const objects = clusterObjects(cluster.core);
  await eventually(() => {
    const states = objects.list(deployments, "stays").map(({ status }) => status?.availableReplicas);
    expect(states).toEqual(Array.from({ length: count }, () => 3));
  });
  expect(objects.list(replicaSets, "stays")).toHaveLength(count);
  expect(objects.list(pods, "stays")).toHaveLength(3 * count);
  await eventually(() => expect(objects.get(namespaces, undefined, "goes")).toBeUndefined());
  expect(objects.list(pods, "goes")).toEqual([]);
  await cluster.stop();
}, 120_000);
