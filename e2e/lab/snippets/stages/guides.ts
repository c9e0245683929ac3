import { given, inCluster, type Stages } from "./stage.ts";

const end = `
await stop();
await cluster.stop();
`;

/** Snippets of the guides: what an operator does beside its reconciles. */
export const guideStages: Stages = {
  "export const podDefaulter": {
    after: `
import assert from "node:assert/strict";
import { admissionContext } from "@tsbuilder/runtime/testing";
const pod: Pod = { apiVersion: "v1", kind: "Pod", metadata: { name: "a", labels: { app: "b" } } };
await podDefaulter.default(pod, admissionContext());
assert.deepEqual(pod.metadata.labels, { app: "b", "example.com/seen": "yes" });
`,
  },
  "export async function deleteRecord": {
    before: given,
    after: `import assert from "node:assert/strict";
import { reconcileContext, startStubServer } from "@tsbuilder/runtime/testing";
const statuses = [200, 404, 503];
const api = await startStubServer((_request, response) => response.writeHead(statuses.shift()!).end());
const shop = { metadata: { uid: "1" } } as Stored<Shop>;
await deleteRecord(shop, reconcileContext(), api.config.server);
await deleteRecord(shop, reconcileContext(), api.config.server);
await assert.rejects(deleteRecord(shop, reconcileContext(), api.config.server), /answered with 503/);
assert.deepEqual(api.requests.map(({ path }) => path), ["/records/1", "/records/1", "/records/1"]);
await api.close();
`,
  },
  "export function setupRecordController": {
    before: given,
    after: `${inCluster}
import { startStubServer } from "@tsbuilder/runtime/testing";
const made: string[] = [];
const api = await startStubServer((request, response) => {
  if (request.method === "PUT") made.push(request.path);
  response.end("[]");
});
const cluster = await startTestCluster({ crds: "config/crd/bases" });
const { client, stop } = await startTestManager(cluster.kubeconfig, (started) =>
  setupRecordController(started, api.config.server),
);
await client.create(Shop, { metadata: { namespace: "default", name: "first" }, spec: { owner: "me" } });
await eventually(() => assert.deepEqual(made, ["/records/first"]));
await api.close();
${end}`,
  },
  '.finalizer("sites.example.com/website"': {
    before: `${given}${inCluster}
import type { Context, Stored } from "@tsbuilder/runtime";
const cleaned: string[] = [];
const cleanUp = ({ metadata }: Stored<Shop>, _context: Context) => void cleaned.push(metadata.name);
const cluster = await startTestCluster({ crds: "config/crd/bases" });
const { client, stop } = await startTestManager(cluster.kubeconfig, (manager) => manager
  .controllerFor(Shop)
`,
    after: `  .complete({ reconcile: async () => {} }),
);
const key = { namespace: "default", name: "first" };
await client.create(Shop, { metadata: key, spec: { owner: "me" } });
await eventually(async () => assert.equal((await client.get(Shop, key)).metadata.finalizers?.length, 1));
await client.delete(Shop, key);
await eventually(async () => assert.equal(await client.find(Shop, key), undefined));
assert.deepEqual(cleaned, ["first"]);
${end}`,
  },
  "export function setupConfigController": {
    before: given,
    after: `${inCluster}
const seen: string[] = [];
const cluster = await startTestCluster({ crds: "config/crd/bases" });
const { client, manager, stop } = await startTestManager(cluster.kubeconfig, (started) =>
  setupConfigController(started, { reconcile: ({ name }) => void seen.push(name) }),
);
const namespace = "default";
for (const [name, config] of [["first", "a"], ["second", "b"]] as const)
  await manager.client.create(Shop, { metadata: { namespace, name }, spec: { owner: "me", config } });
await eventually(() => assert.deepEqual([...seen].sort(), ["first", "second"]));
seen.length = 0;
await client.create(ConfigMap, { metadata: { namespace, name: "b" } });
await eventually(() => assert.deepEqual(seen, ["second"]));
${end}`,
  },
  "export const conversion: Conversion<Shop, ShopV2>": {
    before: given,
    after: `import assert from "node:assert/strict";
import { Manager as RealManager } from "@tsbuilder/runtime";
import { checkRoundTrip } from "@tsbuilder/runtime/testing";
const metadata = { name: "shop" };
const { apiVersion, kind } = ShopV2;
checkRoundTrip(
  conversion,
  { apiVersion, kind, metadata, spec: { owner: "me" } },
  { apiVersion, kind, metadata, spec: { owner: "me", settings: { text: "open" } } },
);
assert.doesNotThrow(() => setupShopConversion(new RealManager({ name: "test" })));
`,
  },
  "export function setupMigration": {
    before: given,
    after: `${inCluster}
import { CustomResourceDefinition } from "@tsbuilder/runtime/k8s/apiextensions/v1";
const cluster = await startTestCluster({ crds: "config/crd/bases" });
const { client, stop } = await startTestManager(cluster.kubeconfig, setupMigration);
const [crd] = (await client.list(CustomResourceDefinition)).filter(({ spec }) => spec.names.kind === "Shop");
assert.deepEqual(crd?.status?.storedVersions, ["v1"]);
${end}`,
  },
  "manager.exportConditions(MySQL": {
    before: `${given}${inCluster}
import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
const cluster = await startTestCluster({ crds: "config/crd/bases" });
const metrics = { bindAddress: "127.0.0.1:0", secure: false };
const { client, manager: started, stop } = await startTestManager({ kubeconfig: cluster.kubeconfig, metrics }, (manager) => {
`,
    after: `
manager.controllerFor(Shop).owns(Deployment).complete({ reconcile: async () => {} });
});
await client.create(Shop, { metadata: { namespace: "default", name: "first" }, spec: { owner: "me" } });
await eventually(async () => {
  const text = await (await fetch(\`http://\${started.addresses.metrics}/metrics\`)).text();
  assert.match(text, /tsbuilder_objects_without_series\\{group="apps",version="v1",kind="Deployment"\\} 0/);
  assert.match(text, /tsbuilder_objects_without_series\\{group="[^"]+",version="v1",kind="Shop"\\} 0/);
});
${end}`,
  },
  "export interface OrderSpec {": {},
  "export function reportBackup": {
    before: given,
    after: `import assert from "node:assert/strict";
import { reconcileContext } from "@tsbuilder/runtime/testing";
const context = reconcileContext();
const backup = { metadata: { name: "b" } } as Stored<Backup>;
reportBackup(backup, context);
reportBackup(backup, context, "the disk is full");
assert.deepEqual(context.recorded.map(({ type, reason }) => [type, reason]), [
  ["Normal", "BackedUp"],
  ["Warning", "BackupFailed"],
]);
`,
  },
  "await moveClock(clock, 2 * 3_600_000);": {
    before: `${given}
import assert from "node:assert/strict";
import type { Manager } from "@tsbuilder/runtime";
const runs: string[] = [];
function setupHourlyController(manager: Manager): void {
  manager.schedule({ name: "hourly", cron: "0 * * * *", run: () => void runs.push(new Date(manager.clock.now()).toISOString()) });
}
`,
    after: `assert.deepEqual(runs, ["2030-01-01T01:00:00.000Z", "2030-01-01T02:00:00.000Z"]);
assert.deepEqual(await client.list(MySQL), []);
${end}`,
  },
  "const failures = new PlannedFailures(": {
    before: `${given}
import assert from "node:assert/strict";
import { createClient, loadConfig, type Manager } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { eventually } from "@tsbuilder/runtime/testing";
let runs = 0;
function setupFaultyController(manager: Manager): void {
  manager.controllerFor(MySQL).complete({
    async reconcile({ namespace = "", name }) {
      runs++;
      await manager.client.create(ConfigMap, { metadata: { namespace, name } });
    },
  });
}
`,
    after: `const client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));
const key = { namespace: "default", name: "db" };
await client.create(ConfigMap, { metadata: { ...key, name: "mine" } });
await client.create(MySQL, { metadata: key, spec: {} });
await eventually(() => client.get(ConfigMap, key));
assert.deepEqual([runs, failures.plans], [3, []]);
await stop();
await cluster.stop();
`,
  },
  "const proxy = await startFaultProxy(": {
    before: `${given}
import assert from "node:assert/strict";
import { eventually } from "@tsbuilder/runtime/testing";
import type { Manager } from "@tsbuilder/runtime";
const statuses: (number | undefined)[] = [];
function setupFaultyController(manager: Manager): void {
  manager.controllerFor(MySQL).complete({
    async reconcile(request) {
      const mysql = await manager.client.find(MySQL, request);
      if (mysql) await manager.client.patchStatus(MySQL, mysql, { readyReplicas: 1 });
    },
  });
}
`,
    after: `proxy.onAnswer = ({ method, status }) => void (method === "PATCH" && statuses.push(status));
const { createClient } = await import("@tsbuilder/runtime");
const client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));
const key = { namespace: "default", name: "db" };
await client.create(MySQL, { metadata: key, spec: {} });
await eventually(async () => assert.equal((await client.get(MySQL, key)).status?.readyReplicas, 1));
assert.equal(statuses[0], 200);
await stop();
await proxy.close();
await cluster.stop();
`,
  },
};
