import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestCluster } from "./testing/index.ts";
import { openWatch } from "./testing/testdata/open-watch.ts";
import { send } from "./testing/send.ts";
import { type ClusterProcess, startProcess } from "./testing/testdata/start-process.ts";

let folder: string;
let dataDir: string;
let running: ClusterProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "data-"));
  dataDir = join(folder, "data");
});
afterEach(async () => {
  await running?.kill();
  rmSync(folder, { recursive: true });
});

const path = "/api/v1/namespaces/default/configmaps";

test("every acknowledged write survives kill -9, and the revision does not go back", async () => {
  running = await startProcess({ dataDir });
  const { kubeconfig } = running;
  let last = 0;
  for (let index = 0; index < 50; index++) {
    const { code, body } = await send(kubeconfig, {
      method: "POST",
      path,
      body: { metadata: { name: `c-${index}` } },
    });
    expect(code).toBe(201);
    last = Number((body as { metadata: { resourceVersion: string } }).metadata.resourceVersion);
  }
  await running.kill();

  const cluster = await startTestCluster({ dataDir });
  expect(cluster.core.store.revision).toBeGreaterThanOrEqual(last);
  const list = await send(cluster.kubeconfig, { method: "GET", path });
  expect((list.body as { items: object[] }).items).toHaveLength(50);
  const { "certificate-authority-data": before } = kubeconfig.clusters[0].cluster;
  expect(cluster.kubeconfig.clusters[0].cluster["certificate-authority-data"]).toBe(before);
  await cluster.stop();
});

test("after kill -9, a watcher resumes with the token and the revision that it had", async () => {
  running = await startProcess({ dataDir });
  const { kubeconfig } = running;
  const create = async (name: string): Promise<string> => {
    const { body } = await send(kubeconfig, { method: "POST", path, body: { metadata: { name } } });
    return (body as { metadata: { resourceVersion: string } }).metadata.resourceVersion;
  };
  const seen = await create("a");
  await create("b");
  await send(kubeconfig, { method: "DELETE", path: `${path}/a` });
  await running.kill();

  const cluster = await startTestCluster({ dataDir });
  const restarted = structuredClone(kubeconfig);
  restarted.clusters[0].cluster.server = cluster.url;
  restarted.users[0].user = { token: kubeconfig.users[0].user.token! };
  const watch = await openWatch(restarted, `${path}?watch=1&resourceVersion=${seen}`);
  await expect.poll(() => watch.events.length).toBe(2);
  expect(watch.events.map(({ type, object }) => [type, object.metadata.name])).toEqual([
    ["ADDED", "b"],
    ["DELETED", "a"],
  ]);
  watch.close();
  await cluster.stop();
});
