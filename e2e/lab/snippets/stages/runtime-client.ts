import { given, inCluster, type Stages } from "./stage.ts";

/** Snippets of the guides: what a client does. */
export const clientStages: Stages = {
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
  "function childrenOf": {
    before: given.replace("MySQL, ", "").replace("Backup, ", ""),
    after: `${inCluster}
const cluster = await startTestCluster({ crds: "config/crd/bases", controllers: ["garbagecollector"] });
const { client, manager, stop } = await startTestManager(cluster.kubeconfig, setupShopController);
const key = { namespace: "default", name: "shop" };
const dataKey = { namespace: "default", name: "shop-data" };
await manager.client.create(Shop, { metadata: key, spec: { owner: "me", config: "open" } });
const ready = async () => (await client.get(Shop, key)).status?.conditions?.[0];
await eventually(async () =>
  assert.equal((await ready())?.message, "waits for StatefulSet shop-data: its last change is not observed yet"),
);
assert.equal(await client.find(Deployment, key), undefined);
const rolledOut = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1, observedGeneration: 1 };
await client.subresource(StatefulSet, dataKey, "status").patch({ merge: { status: rolledOut } });
await eventually(async () => void (await client.get(Deployment, key)));
await client.subresource(Deployment, key, "status").patch({ merge: { status: rolledOut } });
await eventually(async () => assert.equal((await ready())?.status, "True"));
await client.delete(Shop, key);
await eventually(async () => assert.equal(await client.find(Shop, key), undefined));
assert.equal(await client.find(StatefulSet, dataKey), undefined);
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
    after: `const pod = { metadata: { namespace: "default", name: "db-0" } } as Stored<Pod>;
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
  "interface PodExecOptions": {
    before: `import assert from "node:assert/strict";
import { Manager } from "@tsbuilder/runtime";
const manager = new Manager({ name: "test" });
`,
    after: `assert.throws(() => manager.webhookAt("/mutate-any", () => undefined), /two webhooks at \\/mutate-any/);
`,
  },
};
