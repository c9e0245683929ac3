/**
 * The AppService operator with many objects: how long they take to converge after creation, the requests of each, the
 * cost of a restart and of an idle minute, and memory. It runs on the embedded cluster in a separate process, and on
 * a real control plane if one is built.
 * Run: node --conditions=@tsbuilder/source --import tsx e2e/lab/bench/run.ts appservices
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Client, createClient, loadConfig } from "@tsbuilder/runtime";
import { Namespace } from "@tsbuilder/runtime/k8s/core/v1";
import { AppService } from "../../golden/app-operator/api/v1/appservice_types.ts";
import { startControlPlane } from "../../oracle/real/control-plane.ts";
import { findBinaries } from "../../oracle/real/control-plane-binaries.ts";
import {
  type InstalledOperator,
  installOperator,
  type RunningOperator,
} from "../../support/operators/operator-process.ts";
import { repository } from "../../support/source-imports.ts";

const objects = Number(process.env["OBJECTS"] ?? 500);
const quietSeconds = Number(process.env["QUIET_SECONDS"] ?? 30);
const namespace = "bench";
const verbs = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;

await onEmbedded();
await onReal();

async function onEmbedded(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "appservices-"));
  const server = fork(new URL("servers/counters-server.ts", import.meta.url), [folder]);
  try {
    await once(server, "message");
    await measure("embedded cluster", join(folder, "kubeconfig"), folder);
  } finally {
    await ended(server);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function onReal(): Promise<void> {
  const binaries = findBinaries({ build: false });
  if ("missing" in binaries) {
    console.log(`left out: the real control plane: ${binaries.missing}`);
    return;
  }
  const control = await startControlPlane(binaries.folder);
  try {
    await measure("real kube-apiserver", control.kubeconfig, control.folder);
  } finally {
    await control.stop();
  }
}

async function measure(where: string, kubeconfig: string, folder: string): Promise<void> {
  const client = createClient(await loadConfig({ kubeconfig, env: {} }), { fieldManager: "user" });
  const project = join(repository, "e2e/golden/app-operator");
  const operator = await installOperator({ client, kubeconfig, folder, project });
  await client.create(Namespace, { metadata: { name: namespace } });
  for (let at = 0; at < objects; at++) {
    const spec = { image: "nginx", replicas: 2, ports: [{ port: 80 }] };
    await client.create(AppService, { metadata: { name: `app-${at}`, namespace }, spec });
  }
  console.log(`${where}: ${objects} apps with 3 children each, load ${loadavg()[0]!.toFixed(1)}`);
  await measureRun("from nothing", operator, client, { measureQuiet: false });
  await measureRun("restart", operator, client, { measureQuiet: true });
  await client.close();
}

/** One run of the operator: until all apps have converged, and then for a while. */
async function measureRun(
  what: string,
  installed: InstalledOperator,
  client: Client,
  { measureQuiet }: { measureQuiet: boolean },
): Promise<void> {
  const startedAt = performance.now();
  const operator = await installed.start();
  await converged(operator, client);
  const seconds = (performance.now() - startedAt) / 1000;
  const requests = await requestsOf(operator);
  const perObject = verbs.map((verb) => `${verb} ${(requests[verb] / objects).toFixed(2)}`).join(", ");
  console.log(`  ${what}: converged after ${seconds.toFixed(1)} s; requests per object: ${perObject}`);
  if (measureQuiet) {
    await delay(quietSeconds * 1000);
    const after = await requestsOf(operator);
    const perMinute = (verb: (typeof verbs)[number]): number =>
      ((after[verb] - requests[verb]) * 60) / quietSeconds;
    const writes = verbs.slice(1).reduce((sum, verb) => sum + perMinute(verb), 0);
    console.log(
      `  quiet: ${perMinute("GET").toFixed(1)} reads and ${writes.toFixed(1)} writes a minute; RSS ${rssOf(operator).toFixed(0)} MB`,
    );
  }
  await operator.stop();
}

/** Every app's current generation was observed, and the queues are empty. */
async function converged(operator: RunningOperator, client: Client): Promise<void> {
  for (;;) {
    const reconciled = await operator.metric("controller_runtime_reconcile_total", 'controller="appservice"');
    const waiting = await operator.metric("workqueue_depth");
    if (reconciled >= objects && waiting === 0) {
      const apps = await client.list(AppService, { namespace });
      const done = apps.filter(({ metadata, status }) => status?.observedGeneration === metadata.generation);
      if (done.length === objects) return;
    }
    await delay(100);
  }
}

async function requestsOf(operator: RunningOperator): Promise<Record<(typeof verbs)[number], number>> {
  const counts = await Promise.all(
    verbs.map(
      async (verb) =>
        [verb, await operator.metric("rest_client_requests_total", `method="${verb}"`)] as const,
    ),
  );
  return Object.fromEntries(counts) as Record<(typeof verbs)[number], number>;
}

function rssOf({ pid }: RunningOperator): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0) / 1024;
}

async function ended(server: ChildProcess): Promise<void> {
  if (server.exitCode === null && server.kill("SIGTERM")) await once(server, "exit");
}
