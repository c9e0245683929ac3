import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Kubeconfig } from "./auth/kubeconfig.ts";
import { startTestCluster } from "./testing/index.ts";
import { send } from "./testing/send.ts";

const folder = mkdtempSync(join(tmpdir(), "data-"));
let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill("SIGKILL");
  rmSync(folder, { recursive: true });
});

const path = "/api/v1/namespaces/default/configmaps";

/** Starts a cluster in another process, which prints its kubeconfig. */
async function startProcess(): Promise<Kubeconfig> {
  const script = join(folder, "start.mjs");
  const module = JSON.stringify(new URL("start-cluster.ts", import.meta.url).href);
  writeFileSync(
    script,
    `import { startCluster } from ${module};
const { kubeconfig } = await startCluster({ dataDir: ${JSON.stringify(join(folder, "data"))} });
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

test("every acknowledged write survives kill -9, and the revision does not go back", async () => {
  const kubeconfig = await startProcess();
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
  const ended = once(child!, "exit");
  child!.kill("SIGKILL");
  await ended;

  const cluster = await startTestCluster({ dataDir: join(folder, "data") });
  expect(cluster.core.store.revision).toBeGreaterThanOrEqual(last);
  const list = await send(cluster.kubeconfig, { method: "GET", path });
  expect((list.body as { items: object[] }).items).toHaveLength(50);
  const { "certificate-authority-data": before } = kubeconfig.clusters[0].cluster;
  expect(cluster.kubeconfig.clusters[0].cluster["certificate-authority-data"]).toBe(before);
  await cluster.stop();
});
