import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { createClient, createLogger, loadConfig, Manager } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { Lease } from "@tsbuilder/runtime/k8s/coordination/v1";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { buildTwin } from "../../lab/bench/side-by-side/build-operators.ts";
import { eventually } from "../../support/eventually.ts";
import { ownPort } from "../../support/own-port.ts";
import { Widget, widgetDefinition } from "../../support/runtime/widget-kinds.ts";

// What leaving costs: an operator on controller-runtime takes over from one of ours, with its lease, its finalizers, its
// dependents and the alerts on its metrics.

const folder = mkdtempSync(join(tmpdir(), "tsbuilder-successor-"));
const program = buildTwin(folder, "./successor");
if (program === undefined)
  console.log("left out: a Go operator as a successor: Go, or its modules, are not there");
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const namespace = "default";
const lease = { namespace, name: "shop" };
/** Metrics of the libraries themselves: the others are of Go's and of Node's process. */
const ofLibrary = /^(?:controller_runtime|workqueue|leader_election|rest_client)_\w+/gmu;

describe.skipIf(program === undefined)("a Go operator", () => {
  let cluster: TestCluster;
  let kubeconfig: string;
  beforeAll(async () => {
    cluster = await startTestCluster({ crds: [widgetDefinition] });
    kubeconfig = await cluster.kubeconfigFile();
  });
  afterAll(() => cluster?.stop());

  test("takes over lease, finalizers, dependents and names of metrics, and gives them back", async () => {
    const client = createClient(await loadConfig({ kubeconfig, env: {} }), { fieldManager: "user" });
    onTestFinished(() => client.close());
    const first = await startOurs(kubeconfig);
    for (const name of ["kept", "gone"]) {
      await client.create(Widget, { metadata: { namespace, name }, spec: { color: "red" } });
      await client.create(ConfigMap, { metadata: { namespace, name: `${name}-outside` } });
    }
    const colorOf = async (name: string) =>
      (await client.find(ConfigMap, { namespace, name }))?.data?.["color"];
    await eventually(async () => expect(await colorOf("gone")).toBe("red"));
    const ours = { names: await metricNames(first.port), lease: (await client.get(Lease, lease)).spec! };
    await first.stop();

    // Nobody is there when it is deleted: the finalizer of ours keeps it.
    await client.delete(Widget, { namespace, name: "gone" });
    const port = await ownPort();
    const go = spawn(program!, [`--metrics-bind-address=127.0.0.1:${port}`], {
      env: { ...process.env, KUBECONFIG: kubeconfig },
      stdio: "ignore",
    });
    onTestFinished(() => void go.kill("SIGKILL"));
    await eventually(async () =>
      expect(await client.find(Widget, { namespace, name: "gone" })).toBeUndefined(),
    );
    expect(await client.find(ConfigMap, { namespace, name: "gone-outside" })).toBeUndefined();
    const kept = await client.get(Widget, { namespace, name: "kept" });
    await client.patch(Widget, kept, { merge: { spec: { color: "blue" } } });
    await eventually(async () => expect(await colorOf("kept")).toBe("blue"));
    const child = await client.get(ConfigMap, { namespace, name: "kept" });
    expect(child.metadata.ownerReferences).toMatchObject([
      { kind: "Widget", name: "kept", controller: true },
    ]);
    const { spec: held } = await client.get(Lease, lease);
    expect(held!.holderIdentity).not.toBe(ours.lease.holderIdentity);
    expect(held!.leaseTransitions).toBe(ours.lease.leaseTransitions! + 1);
    expect(Object.keys(held!).toSorted()).toEqual(Object.keys(ours.lease).toSorted());
    const theirs = await metricNames(port);
    // Kubernetes' own components have the others, too: controller-runtime only counts requests.
    const furtherNames =
      /^rest_client_(?:exec_plugin|rate_limiter|request_duration|request_size|response_size)/u;
    expect(ours.names.filter((name) => !furtherNames.test(name))).toEqual(theirs);

    go.kill("SIGTERM");
    await once(go, "exit");
    const second = await startOurs(kubeconfig);
    await client.delete(Widget, { namespace, name: "kept" });
    await eventually(async () =>
      expect(await client.find(Widget, { namespace, name: "kept" })).toBeUndefined(),
    );
    expect((await client.get(Lease, lease)).spec!.leaseTransitions).toBe(held!.leaseTransitions! + 1);
    await second.stop();
  });
});

/** An operator of ours that does what e2e/lab/bench/operators/controller-runtime/successor does. */
async function startOurs(kubeconfig: string): Promise<{ port: number; stop: () => Promise<void> }> {
  const port = await ownPort();
  const manager = new Manager({
    name: "shop",
    config: () => loadConfig({ kubeconfig, env: {} }),
    logger: createLogger({ write() {} }),
    leaderElection: { id: lease.name, namespace },
    metrics: { bindAddress: `127.0.0.1:${port}` },
  });
  const { client } = manager;
  manager
    .controllerFor(Widget)
    .owns(ConfigMap)
    .finalizer("example.com/cleanup", async ({ metadata: { name } }) => {
      const outside = { namespace, name: `${name}-outside` };
      if (await client.find(ConfigMap, outside)) await client.delete(ConfigMap, outside);
    })
    .complete({
      async reconcile(request) {
        const widget = await client.find(Widget, request);
        if (!widget) return;
        const data = { color: widget.spec.color ?? "" };
        await client.apply(ConfigMap, { metadata: { ...request }, data }, { owner: widget });
      },
    });
  const end = manager.start();
  await manager.started;
  const stop = async (): Promise<void> => {
    manager.stop();
    await end;
  };
  onTestFinished(stop);
  return { port, stop };
}

async function metricNames(port: number): Promise<string[]> {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return [...new Set(text.match(ofLibrary))].toSorted();
}
