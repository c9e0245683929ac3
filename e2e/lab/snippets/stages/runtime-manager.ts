import { given, inCluster, type Stages } from "./stage.ts";

/** Snippets of the guides and the runtime's README: controllers and their manager. */
export const managerStages: Stages = {
  "export class MySQLReconciler implements Reconciler": {
    before: given.replace("MySQL, ", ""),
    after: `${inCluster}
const cluster = await startTestCluster({ crds: "config/crd/bases" });
const { client, stop } = await startTestManager(cluster.kubeconfig, setupMySQLController);
const key = { namespace: "default", name: "db" };
await client.create(MySQL, { metadata: key, spec: {} });
await eventually(async () => assert.equal((await client.get(MySQL, key)).status?.readyReplicas, 0));
assert.equal((await client.get(StatefulSet, key)).metadata.ownerReferences?.[0]?.name, "db");
await stop();
await cluster.stop();
`,
  },
  'sharding: { by: "uid" }': {
    args: ["--shards", "--leader-election-namespace=default", "--health-probe-bind-address=0"],
    before: `${inCluster}${given}
import { Lease } from "@tsbuilder/runtime/k8s/coordination/v1";
import { Manager } from "@tsbuilder/runtime";
const cluster = await startTestCluster({ crds: "config/crd/bases" });
process.env["KUBECONFIG"] = await cluster.kubeconfigFile();
`,
    after: `manager.controllerFor(MySQL).complete({
  async reconcile(request) {
    const mysql = await manager.client.find(MySQL, request);
    if (mysql && !mysql.metadata.labels) await manager.client.patch(MySQL, mysql, (draft) => { draft.metadata.labels = { seen: "true" }; });
  },
});
const ended = manager.start();
const client = manager.client.with({ live: true });
await client.create(MySQL, { metadata: { namespace: "default", name: "db" }, spec: {} });
await eventually(async () => assert.equal((await client.get(MySQL, { namespace: "default", name: "db" })).metadata.labels?.["seen"], "true"));
const [lease] = await client.list(Lease, { namespace: "default" });
assert.equal(lease?.metadata.annotations?.["tsbuilder.dev/shard-claims"], "ffffffffffffffff");
manager.stop();
await ended;
await cluster.stop();
`,
  },
  'manager.addCluster("east"': {
    before: `${inCluster}${given}
import { Manager } from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
const [home, east] = [await startTestCluster({ crds: "config/crd/bases" }), await startTestCluster({ crds: "config/crd/bases" })];
const kubeconfig = {
  ...east.kubeconfig,
  contexts: east.kubeconfig.contexts!.map((context) => ({ ...context, name: "east" })),
};
const manager = new Manager({ name: "shops", config: () => loadConfig({ kubeconfig: home.kubeconfig, env: {} }) });
class MySQLReconciler {
  readonly #client: Cluster["client"];
  constructor(client: Cluster["client"]) {
    this.#client = client;
  }
  async reconcile(request: { namespace: string; name: string }) {
    const mysql = await this.#client.find(MySQL, request);
    if (mysql) await this.#client.apply(StatefulSet, statefulSetFor(mysql), { owner: mysql });
  }
}
`,
    after: `const ended = manager.start();
await manager.started;
const client = manager.clusters.get("east")!.client.with({ live: true });
await client.create(MySQL, { metadata: { namespace: "default", name: "db" }, spec: {} });
await eventually(() => client.get(StatefulSet, { namespace: "default", name: "db" }));
manager.stop();
await ended;
await home.stop();
await east.stop();
`,
  },
  "followKubeconfigSecrets(manager, {": {
    before: `${inCluster}${given}
import { type Cluster, loadConfig, Manager } from "@tsbuilder/runtime";
import { Namespace, Secret } from "@tsbuilder/runtime/k8s/core/v1";
const [home, east] = [await startTestCluster({ crds: "config/crd/bases" }), await startTestCluster({ crds: "config/crd/bases" })];
const manager = new Manager({ name: "shops", config: () => loadConfig({ kubeconfig: home.kubeconfig, env: {} }) });
const seen: string[] = [];
function setupMySQLController(cluster: Cluster): void {
  cluster.controllerFor(MySQL).complete({ reconcile: ({ name }) => void seen.push(name) });
}
`,
    after: `const ended = manager.start();
await manager.started;
const client = manager.client.with({ live: true });
await client.create(Namespace, { metadata: { name: "fleet" } });
await client.create(Secret, {
  metadata: { namespace: "fleet", name: "east", labels: { "example.com/fleet": "shops" } },
  data: { kubeconfig: Buffer.from(JSON.stringify(east.kubeconfig)).toString("base64") },
});
await eventually(() => assert.deepEqual([...manager.clusters.keys()], ["east"]));
await manager.clusters.get("east")!.client.create(MySQL, { metadata: { namespace: "default", name: "db" }, spec: {} });
await eventually(() => assert.deepEqual(seen, ["db"]));
manager.stop();
await ended;
await home.stop();
await east.stop();
`,
  },
  "await manager.start(); // resolves after SIGTERM": {
    before: `${inCluster}${given}
const cluster = await startTestCluster({ crds: "config/crd/bases" });
process.env["KUBECONFIG"] = await cluster.kubeconfigFile();
function setupMySQLController(manager: Manager): void {
  manager.controllerFor(MySQL).complete({ reconcile: async () => undefined });
  void manager.started.then(() => process.kill(process.pid, "SIGTERM"));
}
`,
    after: `// It goes on here after SIGTERM.
await cluster.stop();
`,
    args: ["--health-probe-bind-address=0", "--metrics-bind-address=0"],
  },
  'name: "delete old backups"': {
    before: `${inCluster}${given}
import { FakeClock, moveClockUntil } from "@tsbuilder/runtime/testing";
const cluster = await startTestCluster({ crds: "config/crd/bases" });
const clock = new FakeClock(new Date("2026-01-01T00:00:00Z"));
const { client, manager, stop } = await startTestManager({ kubeconfig: cluster.kubeconfig, clock });
for (const [name, day] of [["old", 1], ["new", 20]] as const)
  await client.create(Backup, { metadata: { namespace: "default", name }, spec: { day } });
`,
    after: `
const names = async () => (await client.list(Backup)).map(({ metadata }) => metadata.name);
await moveClockUntil(clock, async () => assert.deepEqual(await names(), ["new"]), { timeout: 86_400_000 });
assert.ok(clock.now() >= Date.parse("2026-01-01T03:00:00Z"));
await stop();
await cluster.stop();
`,
  },
  'flags: { "max-databases"': {
    after: `import assert from "node:assert/strict";
assert.equal(max, 7);
`,
    args: ["--max-databases=7"],
  },
  "controller.watch(Shop": {
    before: `${inCluster}${given}
import { type Controller } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
const cluster = await startTestCluster({ crds: "config/crd/bases" });
const seen: string[] = [];
let controller!: Controller;
const { client, stop } = await startTestManager(cluster.kubeconfig, (manager) => {
  controller = manager.controllerFor(ConfigMap).complete({ reconcile: async ({ name }) => void seen.push(name) });
});
await client.create(Shop, { metadata: { namespace: "default", name: "shop" }, spec: { owner: "its-owner" } });
`,
    after: `await eventually(() => assert.ok(seen.includes("its-owner")));
await stop();
await cluster.stop();
`,
  },
  'subscribe("tsbuilder:enqueue"': {
    before: `${inCluster}${given}
const told: string[] = [];
console.log = (line: string) => void told.push(line);
`,
    after: `const cluster = await startTestCluster({ crds: "config/crd/bases" });
const { client, stop } = await startTestManager(cluster.kubeconfig, (manager) => {
  manager.controllerFor(Shop).complete({ reconcile: async () => undefined });
});
await client.create(Shop, { metadata: { namespace: "default", name: "shop" }, spec: { owner: "its-owner" } });
await eventually(() => assert.ok(told.includes("shop will reconcile default/shop: add of Shop default/shop")));
await stop();
await cluster.stop();
`,
  },
};
