/** What stands around a snippet so that it is a program, and shows that the snippet does what its README says. */
export interface Stage {
  readonly before?: string;
  readonly after?: string;
  /** Arguments of the program. */
  readonly args?: readonly string[];
}

const inCluster = `
import assert from "node:assert/strict";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { eventually, startTestManager } from "@tsbuilder/runtime/testing";
`;

const given = `import { Backup, MySQL, Shop, configMapFor, isOld, serviceFor, statefulSetFor } from "../given.ts";
`;

/** By words that only one snippet has. */
export const stages: Readonly<Record<string, Stage>> = {
  "/** MySQLSpec is what the user asks for. */": {
    before: `import assert from "node:assert/strict";
import { type CustomResource, defineKind } from "@tsbuilder/runtime";
type int32 = number;
type Quantity = string | number;
interface MySQLStatus {}
const groupVersion = { group: "apps.example.com", version: "v1" };
`,
    after: `assert.equal(MySQL.apiVersion, "apps.example.com/v1");`,
  },
  "async reconcile(request: Request, { log }: Context)": {
    before: `${inCluster}${given}
import { type Client, type Context, type Request, type Result } from "@tsbuilder/runtime";
import { Service } from "@tsbuilder/runtime/k8s/core/v1";
class MySQLReconciler {
  readonly #client: Client;
  constructor(client: Client) {
    this.#client = client;
  }
`,
    after: `}
const cluster = await startTestCluster({ crds: "config/crd/bases" });
const { client, stop } = await startTestManager(cluster.kubeconfig, (manager) =>
  manager.controllerFor(MySQL).owns(Service).complete(new MySQLReconciler(manager.client)),
);
await client.create(MySQL, { metadata: { namespace: "default", name: "db" }, spec: {} });
await eventually(() => client.get(Service, { namespace: "default", name: "db" }));
await stop();
await cluster.stop();
`,
  },
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
  async reconcile(request: { namespace?: string | undefined; name: string }) {
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
  "export async function driveShop": {
    before: given.replace("MySQL, ", ""),
    after: `${inCluster}
const cluster = await startTestCluster({ crds: "config/crd/bases" });
const { client, manager, stop } = await startTestManager(cluster.kubeconfig);
const key = { namespace: "default", name: "shop" };
const shop = await client.create(Shop, { metadata: key, spec: { owner: "me", config: "open" } });
await driveShop(manager, shop, undefined);
const configKey = { namespace: "default", name: "shop-config" };
const made = await client.get(ConfigMap, configKey);
assert.equal(made.data?.["config"], "open");
await client.get(StatefulSet, key);
await client.get(Service, key);
const closed = await client.patch(Shop, shop, { merge: { spec: { config: null } } });
await driveShop(manager, closed, undefined);
assert.equal(await client.find(ConfigMap, configKey), undefined);
await stop();
await cluster.stop();
`,
  },
  "export async function isAlive": {
    before: `import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { createClient, interceptClient } from "@tsbuilder/runtime";
`,
    after: `const pod = { metadata: { namespace: "default", name: "db-0" } } as Pod;
const client = interceptClient(createClient({ server: "http://127.0.0.1:1" }), {
  async exec({ args }) {
    const { stdout } = (args[2] ?? {}) as { stdout?: Writable };
    stdout?.end("CREATE TABLE");
    return { exitCode: 0, stdout: "", stderr: "" };
  },
  logs: async () => ["ready", "[ERROR] disk full"],
});
assert.equal(await isAlive(client, pod), true);
assert.equal(await firstError(client, pod), "[ERROR] disk full");
const upload = new PassThrough();
await dump(client, pod, upload);
assert.equal(await text(upload), "CREATE TABLE");
`,
  },
  "export async function countNamespaces": {
    before: inCluster,
    after: `const cluster = await startTestCluster();
const { manager, stop } = await startTestManager(cluster.kubeconfig);
assert.equal(await countNamespaces(manager), 4);
await stop();
await cluster.stop();
await eventually(() => assert.ok(manager));
`,
  },
  "exec: async ({ args: [, command] })": {
    before: `${inCluster}${given}
import type { Manager } from "@tsbuilder/runtime";
let managed: Manager | undefined;
function setupMySQLController(manager: Manager): void {
  managed = manager;
}
`,
    after: `
const { exitCode, stdout } = await managed!.client.exec({ namespace: "default", name: "db-0" }, ["ping"]);
assert.deepEqual({ exitCode, stdout }, { exitCode: 0, stdout: "ran ping" });
assert.equal(await managed!.client.logs({ namespace: "default", name: "db-0" }).text(), "mysqld: ready for connections\\n");
await eventually(async () => assert.deepEqual(await client.list(MySQL), []));
await stop();
await cluster.stop();
`,
  },
  "export async function checksum": {
    before: `import assert from "node:assert/strict";
async function startManager(): Promise<void> {
  assert.equal(await checksum("abc", new AbortController().signal), 294);
  await assert.rejects(checksum("abc", AbortSignal.abort()), { name: "AbortError" });
}
`,
  },
  "const wrap = (client: Client)": {
    after: `${inCluster}${given}
const cluster = await startTestCluster({ crds: "config/crd/bases" });
const { client, stop } = await startTestManager(cluster.kubeconfig);
const wrapped = wrap(client);
const made = await wrapped.create(MySQL, { metadata: { namespace: "default", name: "db" }, spec: {} });
await assert.rejects(wrapped.patchStatus(MySQL, made, { readyReplicas: 1 }), { isConflict: true });
await stop();
await cluster.stop();
`,
  },
  "const defaulter: Defaulter<MySQL>": {
    after: `import assert from "node:assert/strict";
import { admissionContext } from "@tsbuilder/runtime/testing";
const made = { apiVersion: "apps.example.com/v1", kind: "MySQL", metadata: { name: "db" }, spec: {} } as MySQL;
await defaulter.default(made, admissionContext());
assert.equal(made.spec.replicas, 3);
const context = admissionContext();
const next = { ...made, spec: { version: "9", replicas: 4 } };
assert.deepEqual(await validator.validateUpdate!(next, made, context), [
  { field: "spec.replicas", value: 4, message: "must be odd" },
]);
assert.deepEqual(context.warnings, ["the servers will restart one after the other"]);
`,
  },
  "interface PodExecOptions": {
    before: `import assert from "node:assert/strict";
import { Manager } from "@tsbuilder/runtime";
const manager = new Manager({ name: "test" });
`,
    after: `assert.throws(() => manager.webhookAt("/mutate-any", () => undefined), /two webhooks at \\/mutate-any/);
`,
  },
  "const { client, stop } = await startTestManager(cluster.kubeconfig, setupMySQLController);": {
    before: `import assert from "node:assert/strict";
${given}
import type { Manager } from "@tsbuilder/runtime";
const seen: string[] = [];
const setupMySQLController = (manager: Manager): void =>
  void manager.controllerFor(MySQL).complete({ reconcile: async ({ name }) => void seen.push(name) });
`,
    after: `await client.create(MySQL, { metadata: { namespace: "default", name: "db" }, spec: {} });
await eventually(() => assert.deepEqual(seen, ["db"]));
await stop();
await cluster.stop();
`,
  },
  "setupMySQLWebhook,": {
    before: `import assert from "node:assert/strict";
${given}
import { startTestCluster } from "@tsbuilder/cluster/testing";
import type { Manager } from "@tsbuilder/runtime";
import { startTestManager, type TestManager } from "@tsbuilder/runtime/testing";
const setupMySQLWebhook = (manager: Manager): void =>
  manager
    .webhookFor(MySQL)
    .defaulter({ default: ({ spec }) => void (spec.replicas ??= 3) })
    .complete();
`,
    after: `const metadata = { namespace: "default", name: "db" };
assert.equal((await running.client.create(MySQL, { metadata, spec: {} })).spec.replicas, 3);
await running.stop();
await cluster.stop();
`,
  },
  "cluster.restore(before);": {
    before: `import assert from "node:assert/strict";
`,
    after: `assert.ok(alice);
`,
  },
};
