import { defineKind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { type ClusterUnderTest, startClusterUnderTest } from "../../../e2e/support/cluster-under-test.ts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { applyChildren, child } from "./apply-children.ts";
import { createOrUpdate } from "./create-or-update.ts";
import { createClient, type LiveClient } from "./live-client.ts";
import { loadConfig } from "./load-config.ts";
import { retryOnConflict } from "./retry-on-conflict.ts";

interface ConfigMap extends KubernetesObject {
  data?: { [key: string]: string };
}
const ConfigMap = defineKind<ConfigMap>(
  { group: "", version: "v1" },
  { kind: "ConfigMap", plural: "configmaps" },
);
interface Secret extends KubernetesObject {
  stringData?: { [key: string]: string };
  type?: string;
}
const Secret = defineKind<Secret>({ group: "", version: "v1" }, { kind: "Secret", plural: "secrets" });

let cluster: ClusterUnderTest;
let client: LiveClient;

beforeAll(async () => {
  cluster = await startClusterUnderTest();
  client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig }), { fieldManager: "test" });
});

afterAll(async () => {
  await client.close();
  await cluster.stop();
});

const key = (name: string): { namespace: string; name: string } => ({ namespace: "default", name });
const names = async (kind: typeof ConfigMap | typeof Secret, prefix: string): Promise<string[]> =>
  (await client.list(kind, { namespace: "default" }))
    .map(({ metadata }) => metadata.name!)
    .filter((name) => name.startsWith(prefix))
    .sort();

test("applyChildren() applies a set, and deletes what left it and nothing else", async () => {
  const owner = await client.create(ConfigMap, { metadata: key("set-owner") });
  const other = await client.create(ConfigMap, { metadata: key("set-other") });
  await client.apply(ConfigMap, { metadata: key("set-foreign") }, { owner: other });
  await client.apply(ConfigMap, { metadata: key("set-free") });
  const apply = (configs: string[], secrets: string[]): Promise<unknown> =>
    applyChildren(
      client,
      owner,
      [
        ...configs.map((name) => child(ConfigMap, { metadata: { name }, data: { a: "1" } })),
        ...secrets.map((name) => child(Secret, { metadata: { name } })),
      ],
      { prune: [ConfigMap, Secret] },
    );
  await apply(["set-a", "set-b"], ["set-s"]);
  expect(await names(Secret, "set-")).toEqual(["set-s"]);
  await apply(["set-b", "set-c"], []);
  expect(await names(Secret, "set-")).toEqual([]);
  expect(await names(ConfigMap, "set-")).toEqual([
    "set-b",
    "set-c",
    "set-foreign",
    "set-free",
    "set-other",
    "set-owner",
  ]);
});

test("applyChildren() gives the applied objects with their types, in order", async () => {
  const owner = await client.create(ConfigMap, { metadata: key("typed-owner") });
  const [config, secret] = await applyChildren(
    client,
    owner,
    [
      child(ConfigMap, { metadata: { name: "typed-config" }, data: { a: "1" } }),
      child(Secret, { metadata: { name: "typed-secret" }, type: "Opaque" }),
    ],
    { prune: [] },
  );
  expect(config.data).toEqual({ a: "1" });
  expect(secret.type).toBe("Opaque");
});

test("createOrUpdate() creates, updates, and leaves alone", async () => {
  const set = (value: string) =>
    createOrUpdate(client, ConfigMap, key("counted"), (draft) => {
      draft.data = { ...draft.data, value };
    });
  expect(await set("1")).toMatchObject({ result: "created", object: { data: { value: "1" } } });
  expect(await set("1")).toMatchObject({ result: "unchanged" });
  expect(await set("2")).toMatchObject({ result: "updated", object: { data: { value: "2" } } });
});

test("retryOnConflict() lets many count together and loses none", async () => {
  await client.create(ConfigMap, { metadata: key("storm"), data: { count: "0" } });
  const increment = (): Promise<unknown> =>
    retryOnConflict(
      async () => {
        const current = await client.get(ConfigMap, key("storm"));
        await client.patch(ConfigMap, current, (draft) => {
          draft.data!.count = String(Number(draft.data!.count) + 1);
        });
      },
      { attempts: 50 },
    );
  await Promise.all(Array.from({ length: 20 }, increment));
  expect((await client.get(ConfigMap, key("storm"))).data).toEqual({ count: "20" });
});

test("retryOnConflict() gives up after so many attempts, and at once on anything else", async () => {
  await client.create(ConfigMap, { metadata: { ...key("stale") }, data: { a: "1" } });
  const stale = await client.get(ConfigMap, key("stale"));
  await client.patch(ConfigMap, stale, { merge: { data: { a: "2" } } });
  let attempts = 0;
  const update = (): Promise<unknown> => {
    attempts++;
    return client.update(ConfigMap, stale);
  };
  await expect(retryOnConflict(update, { attempts: 3 })).rejects.toMatchObject({ isConflict: true });
  expect(attempts).toBe(3);
  const missing = retryOnConflict(() => client.get(ConfigMap, key("missing")));
  await expect(missing).rejects.toMatchObject({ isNotFound: true });
});
