import { given, inCluster, type Stages } from "./stage.ts";

/** A Shop in an embedded cluster, and a manager without controllers. */
const withShop = `
const cluster = await startTestCluster({ crds: "config/crd/bases" });
const { client, stop } = await startTestManager(cluster.kubeconfig);
const key = { namespace: "default", name: "shop" };
const shop = await client.create(Shop, { metadata: key, spec: { owner: "me" } });
`;

const end = `
await stop();
await cluster.stop();
`;

/** Snippets of the book's pages on concepts. */
export const conceptStages: Stages = {
  "export function setupHoursController": {
    before: given,
    after: `${inCluster}
const cluster = await startTestCluster({ crds: "config/crd/bases" });
const { client, stop } = await startTestManager(cluster.kubeconfig, setupHoursController);
await client.create(Shop, { metadata: { namespace: "default", name: "shop" }, spec: { owner: "me" } });
const key = { namespace: "default", name: "shop-hours" };
const isOpen = async () => assert.deepEqual((await client.get(ConfigMap, key)).data, { open: "9-17" });
await eventually(isOpen);
await client.patch(ConfigMap, key, { merge: { data: { open: "never" } } });
await eventually(isOpen);
await client.delete(ConfigMap, key);
await eventually(isOpen);
${end}`,
  },
  "export function missingBackups": {
    before: given,
    after: `import assert from "node:assert/strict";
const shop = { metadata: { name: "shop" } } as Shop;
const made = missingBackups(shop, [1, 2], []) as Backup[];
assert.deepEqual(made.map(({ metadata }) => metadata.name), ["shop-1", "shop-2"]);
assert.deepEqual(missingBackups(shop, [1, 2], made), []);
`,
  },
  "export async function deleteDataIfGone": {
    before: given,
    after: `${inCluster}
import { interceptClient } from "@tsbuilder/runtime";
const cluster = await startTestCluster({ crds: "config/crd/bases" });
const { client, stop } = await startTestManager(cluster.kubeconfig);
const key = { namespace: "default", name: "db" };
await client.create(MySQL, { metadata: key, spec: {} });
// A cache that has not seen the object yet.
const behind = interceptClient(client, {
  find: async (call, next) => (call.args.some((one) => (one as { live?: boolean } | undefined)?.live) ? next(call) : undefined),
});
let deletions = 0;
const deleteData = async () => void deletions++;
await deleteDataIfGone(behind, key, deleteData);
assert.equal(deletions, 0);
await client.delete(MySQL, key);
await deleteDataIfGone(behind, key, deleteData);
assert.equal(deletions, 1);
${end}`,
  },
  "export async function reconcileBackup": {
    after: `import assert from "node:assert/strict";
const request = { namespace: "default", name: "daily" };
assert.deepEqual(await reconcileBackup(request, async () => 5), { requeueAfter: "1h" });
assert.equal(await reconcileBackup(request, async () => 25), undefined);
await assert.rejects(reconcileBackup({ ...request, namespace: "forbidden" }, async () => 5), TerminalError);
`,
  },
  "export async function applyColors": {
    before: given,
    after: `${inCluster}${withShop}
const colors = { namespace: "default", name: "shop-colors" };
await applyColors(client, shop, { door: "red", roof: "blue" });
await client.patch(ConfigMap, colors, { merge: { metadata: { labels: { team: "paint" } } } });
await applyColors(client, shop, { door: "green" });
const { data, metadata } = await client.get(ConfigMap, colors);
assert.deepEqual([data, metadata.labels], [{ door: "green" }, { team: "paint" }]);
${end}`,
  },
  "export function addRunnables": {
    after: `${inCluster}
const cluster = await startTestCluster();
const ran: string[] = [];
const { stop } = await startTestManager(cluster.kubeconfig, (manager) => addRunnables(manager, (name) => void ran.push(name)));
await eventually(() => assert.deepEqual(ran.sort(), ["each", "leader"]));
${end}`,
  },
  "export function withReady": {
    before: given,
    after: `import assert from "node:assert/strict";
import { FakeClock } from "@tsbuilder/runtime/testing";
const clock = new FakeClock();
const mysql = { metadata: { generation: 2 }, spec: { replicas: 3 }, status: { readyReplicas: 1 } } as Stored<MySQL>;
const [waiting] = withReady([], mysql, clock);
assert.equal(waiting?.message, "1 of 3 servers are ready");
await clock.advance(60_000);
assert.deepEqual(withReady([waiting!], mysql, clock), [waiting]);
const [ready] = withReady([waiting!], { ...mysql, status: { readyReplicas: 3 } }, clock);
assert.equal(ready?.status, "True");
assert.notEqual(ready?.lastTransitionTime, waiting?.lastTransitionTime);
`,
  },
  "export function setupBucketController": {
    before: given,
    after: `${inCluster}
const deleted: string[] = [];
const seen: string[] = [];
const cluster = await startTestCluster({ crds: "config/crd/bases" });
const { client, stop } = await startTestManager(cluster.kubeconfig, (manager) =>
  setupBucketController(manager, { reconcile: ({ name }) => void seen.push(name) }, async (name) => {
    deleted.push(name);
    if (deleted.length === 1) throw new Error("the bucket is busy");
  }),
);
const key = { namespace: "default", name: "shop" };
const { metadata } = await client.create(Shop, { metadata: key, spec: { owner: "me" } });
await eventually(() => assert.ok(seen.includes("shop")));
await client.delete(Shop, key);
await eventually(async () => assert.equal(await client.find(Shop, key), undefined));
assert.deepEqual(deleted, [\`bucket-\${metadata.uid}\`, \`bucket-\${metadata.uid}\`]);
${end}`,
  },
};
