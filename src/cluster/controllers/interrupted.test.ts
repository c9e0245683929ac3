import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { controllerNames } from "@tsbuilder/cluster";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { afterEach, expect, test } from "vitest";
import { clusterObjects } from "../registry/cluster-objects.ts";
import { send } from "../testing/send.ts";
import { type ClusterProcess, startProcess } from "../testing/testdata/start-process.ts";
import { deployments } from "../kinds/apps/deployment/deployment.ts";
import { replicaSets } from "../kinds/apps/replica-set/replica-set-controller.ts";
import { namespaces, pods } from "../control-loop/api/core.ts";
import { eventually } from "../../../e2e/support/eventually.ts";

const folder = mkdtempSync(join(tmpdir(), "interrupted-"));
const data = join(folder, "data");
let running: ClusterProcess | undefined;
afterEach(async () => {
  await running?.kill();
  rmSync(folder, { recursive: true });
});

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
  // Without a kubelet no pod gets ready: however long the rollout runs, it is interrupted.
  const controllers = controllerNames.filter((name) => name !== "kubelet");
  running = await startProcess({ dataDir: data, controllers });
  const { kubeconfig } = running;
  const ask = (method: string, path: string, body?: object) => send(kubeconfig, { method, path, body });
  for (const name of ["stays", "goes"]) {
    await ask("POST", "/api/v1/namespaces", { metadata: { name } });
    const path = `/apis/apps/v1/namespaces/${name}/deployments`;
    for (let index = 0; index < count; index++) await ask("POST", path, deployment(`d${index}`));
  }
  expect((await ask("DELETE", "/api/v1/namespaces/goes")).code).toBe(200);
  await running.kill();

  const before = await startTestCluster({ dataDir: data });
  expect(clusterObjects(before.core).list(deployments, "stays")).toHaveLength(count);
  const available = clusterObjects(before.core)
    .list(deployments)
    .filter(({ status }) => status?.availableReplicas);
  expect(available).toEqual([]);
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
});
