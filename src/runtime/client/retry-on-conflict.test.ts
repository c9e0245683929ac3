import { defineKind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import { startClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import { loadConfig } from "../config/load-config.ts";
import { createClient, type LiveClient } from "./live-client.ts";
import { createOrUpdate, retryOnConflict } from "./read-modify-write.ts";

interface ConfigMap extends KubernetesObject {
  data?: { [key: string]: string };
}
const ConfigMap = defineKind<ConfigMap>(
  { group: "", version: "v1" },
  { kind: "ConfigMap", plural: "configmaps" },
);

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

test("createOrUpdate() creates, updates, or does nothing", async () => {
  const set = (value: string) =>
    createOrUpdate(client, ConfigMap, key("counted"), (draft) => {
      draft.data = { ...draft.data, value };
    });
  expect(await set("1")).toMatchObject({ result: "created", object: { data: { value: "1" } } });
  expect(await set("1")).toMatchObject({ result: "unchanged" });
  expect(await set("2")).toMatchObject({ result: "updated", object: { data: { value: "2" } } });
});

test("retryOnConflict() loses no increment of concurrent counters", async () => {
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

test("retryOnConflict() doesn't repeat an apply that conflicts with another field manager", async () => {
  const theirs = { metadata: key("contested"), data: { a: "theirs" } };
  await client.apply(ConfigMap, theirs, { fieldManager: "other" });
  let attempts = 0;
  const apply = (): Promise<unknown> => {
    attempts++;
    return client.apply(ConfigMap, { ...theirs, data: { a: "ours" } }, { force: false });
  };
  await expect(retryOnConflict(apply)).rejects.toMatchObject({
    isConflict: true,
    isFieldManagerConflict: true,
    message: expect.stringContaining('conflict with "other": .data.a') as string,
  });
  expect(attempts).toBe(1);
});

test("retryOnConflict() gives up after the given attempts, and at once on other errors", async () => {
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
