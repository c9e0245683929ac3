import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { beforeAll, expect, test } from "vitest";
import { Widget, widgetDefinition } from "../../../e2e/support/runtime/widget-kinds.ts";
import { StatefulSet } from "../k8s/apps/v1.ts";
import { ConfigMap, Secret } from "../k8s/core/v1.ts";
import { type ChildOptions, ChildOrder } from "./child-order.ts";
import { Children } from "./children.ts";
import type { Client, Desired, Stored } from "./client.ts";
import { interceptClient } from "./intercept-client.ts";
import { createClient, type LiveClient } from "./live-client.ts";
import { loadConfig } from "../config/load-config.ts";
import { eventually } from "../testing/eventually.ts";

let cluster: { readonly client: LiveClient; readonly create: () => Promise<Stored<Widget>> };

beforeAll(async () => {
  // Without a garbage collector, a child that is deleted in the foreground would remain.
  const server = await startTestCluster({ controllers: ["garbagecollector"], crds: [widgetDefinition] });
  const client = createClient(await loadConfig({ kubeconfig: server.kubeconfig, env: {} }));
  let serial = 0;
  const create = () =>
    client.create(Widget, { metadata: { namespace: "default", name: `w${serial++}` }, spec: {} });
  cluster = { client, create };
  return async () => {
    await client.close();
    await server.stop();
  };
});

const config = (data: { [key: string]: string } = {}): Desired<ConfigMap> => ({ metadata: {}, data });
const isOn = ({ data }: ConfigMap): boolean => data?.["on"] === "true";

/** Returns the names of the owner's ConfigMaps and Secrets, without the owner's. */
async function namesOf(owner: Stored<Widget>): Promise<string[]> {
  const { namespace, name } = owner.metadata;
  const objects = [
    ...(await cluster.client.list(ConfigMap, { namespace })),
    ...(await cluster.client.list(Secret, { namespace })),
  ] as KubernetesObject[];
  return objects
    .filter(({ metadata }) => metadata.ownerReferences?.some(({ uid }) => uid === owner.metadata.uid))
    .map(({ metadata }) => metadata.name!.slice(name.length + 1))
    .sort();
}

const key = (owner: Stored<Widget>, name: string) => ({
  namespace: owner.metadata.namespace,
  name: `${owner.metadata.name}-${name}`,
});

async function turnOn(owner: Stored<Widget>, name: string): Promise<void> {
  await cluster.client.patch(ConfigMap, key(owner, name), { merge: { data: { on: "true" } } });
}

test("a child is applied after others are ready, and its function sees them", async () => {
  const owner = await cluster.create();
  const pass = async (version: string) => {
    const children = new Children(cluster.client, owner);
    const first = children.add(ConfigMap, key(owner, "first"), config({ version }), { readyWhen: isOn });
    const second = children.add(ConfigMap, key(owner, "second"), () => config(first.object!.data), {
      after: first,
    });
    children.add(ConfigMap, key(owner, "third"), config({ version }), { after: [first, second] });
    await children.apply();
    return children;
  };
  const waiting = await pass("1");
  expect(await namesOf(owner)).toEqual(["first"]);
  expect(waiting.condition("Ready")).toMatchObject({
    status: "False",
    reason: "WaitingForChildren",
    message: `waits for ConfigMap ${owner.metadata.name}-first`,
    observedGeneration: 1,
  });
  await turnOn(owner, "first");
  expect((await pass("1")).condition("Ready")).toMatchObject({
    status: "True",
    reason: "ChildrenReady",
    message: "",
  });
  expect((await cluster.client.get(ConfigMap, key(owner, "second"))).data).toEqual({
    version: "1",
    on: "true",
  });

  // A child that waits again stays as it is.
  await cluster.client.patch(ConfigMap, key(owner, "first"), { merge: { data: { on: null } } });
  await pass("2");
  expect((await cluster.client.get(ConfigMap, key(owner, "first"))).data).toEqual({ version: "2" });
  expect((await cluster.client.get(ConfigMap, key(owner, "third"))).data).toEqual({ version: "1" });
});

test("a StatefulSet is ready when it is rolled out, and until then the condition counts its pods", async () => {
  const owner = await cluster.create();
  const labels = { app: owner.metadata.name };
  const servers: Desired<StatefulSet> = {
    metadata: { labels },
    spec: {
      replicas: 3,
      serviceName: "db",
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "db", image: "db" }] } },
    },
  };
  const pass = async () => {
    const children = new Children(cluster.client, owner);
    const db = children.add(StatefulSet, key(owner, "db"), servers);
    children.add(ConfigMap, key(owner, "web"), config(), { after: db });
    await children.apply();
    return children.condition("Ready").message;
  };
  await pass();
  const set = await cluster.client.get(StatefulSet, key(owner, "db"));
  const write = async (readyReplicas: number) =>
    cluster.client.subresource(StatefulSet, set, "status").patch({
      merge: { status: { replicas: 3, updatedReplicas: 3, readyReplicas, observedGeneration: 1 } },
    });
  await write(1);
  expect(await pass()).toBe(`waits for StatefulSet ${owner.metadata.name}-db: 1 of 3 ready`);
  expect(await namesOf(owner)).toEqual([]);
  await write(3);
  expect(await pass()).toBe("");
  expect(await namesOf(owner)).toEqual(["web"]);
});

test("a child that is not desired is deleted, and what comes after it waits until it is gone", async () => {
  const owner = await cluster.create();
  const pass = async (isOld: boolean) => {
    const children = new Children(cluster.client, owner);
    const old = children.add(ConfigMap, key(owner, "old"), isOld && config());
    children.add(ConfigMap, key(owner, "new"), !isOld && config(), { after: old });
    await children.apply();
    return children.condition("Ready").message;
  };
  await pass(true);
  const finalizers = ["example.com/hold"];
  await cluster.client.patch(ConfigMap, key(owner, "old"), { merge: { metadata: { finalizers } } });
  expect(await pass(false)).toBe(`waits for the deletion of ConfigMap ${owner.metadata.name}-old`);
  expect(await namesOf(owner)).toEqual(["old"]);
  await cluster.client.patch(ConfigMap, key(owner, "old"), { merge: { metadata: { finalizers: null } } });
  expect(await pass(false)).toBe("");
  expect(await namesOf(owner)).toEqual(["new"]);
});

test("a function that returns nothing deletes its child", async () => {
  const owner = await cluster.create();
  const pass = async (isWanted: boolean) => {
    const children = new Children(cluster.client, owner);
    const first = children.add(ConfigMap, key(owner, "first"), config({ on: String(isWanted) }));
    children.add(ConfigMap, key(owner, "second"), () => isOn(first.object!) && config(), { after: first });
    await children.apply();
    return namesOf(owner);
  };
  expect(await pass(true)).toEqual(["first", "second"]);
  expect(await pass(false)).toEqual(["first"]);
});

test("children that are no longer desired go in order, whichever were added first", async () => {
  const owner = await cluster.create();
  const pass = async (isWanted: boolean) => {
    const children = new Children(cluster.client, owner);
    const data = children.add(ConfigMap, key(owner, "data"), isWanted && config());
    const server = children.add(ConfigMap, key(owner, "server"), isWanted && config(), {
      deletedBefore: data,
    });
    children.add(ConfigMap, key(owner, "proxy"), isWanted && config(), { deletedBefore: [server] });
    await children.apply();
    return namesOf(owner);
  };
  await pass(true);
  const finalizers = ["example.com/hold"];
  await cluster.client.patch(ConfigMap, key(owner, "server"), { merge: { metadata: { finalizers } } });
  expect(await pass(false)).toContain("data");
  await eventually(async () => expect(await pass(false)).toEqual(["data", "server"]));
  await cluster.client.patch(ConfigMap, key(owner, "server"), { merge: { metadata: { finalizers: null } } });
  await eventually(async () => expect(await pass(false)).toEqual([]));
});

test("addEach() keeps the children of its list, and deletes those of removed names in the order of the lists", async () => {
  const owner = await cluster.create();
  const pass = async (...shards: string[]) => {
    const children = new Children(cluster.client, owner);
    const data = children.addEach(
      ConfigMap,
      shards.map((shard) => ({ metadata: key(owner, `${shard}-data`) })),
    );
    const servers = children.addEach(
      Secret,
      shards.map((shard) => ({ metadata: key(owner, `${shard}-server`) })),
      { deletedBefore: data },
    );
    children.add(ConfigMap, key(owner, "route"), config(), { after: servers });
    await children.apply();
    return namesOf(owner);
  };
  expect(await pass("a", "b")).toEqual(["a-data", "a-server", "b-data", "b-server", "route"]);
  const finalizers = ["example.com/hold"];
  await cluster.client.patch(Secret, key(owner, "a-server"), { merge: { metadata: { finalizers } } });
  expect(await pass("b")).toEqual(["a-data", "a-server", "b-data", "b-server", "route"]);
  await cluster.client.patch(Secret, key(owner, "a-server"), { merge: { metadata: { finalizers: null } } });
  await eventually(async () => expect(await pass("b")).toEqual(["b-data", "b-server", "route"]));
  await eventually(async () => expect(await pass()).toEqual(["route"]));
});

test("two lists may have one kind: what leaves them is deleted at once, and the rest in order", async () => {
  const owner = await cluster.create();
  const declareLists = (shards: readonly string[]) => {
    const children = new Children(cluster.client, owner);
    const data = children.addEach(
      ConfigMap,
      shards.map((shard) => ({ metadata: key(owner, `${shard}-data`) })),
    );
    children.addEach(
      ConfigMap,
      shards.map((shard) => ({ metadata: key(owner, `${shard}-server`) })),
      { deletedBefore: data },
    );
    return children;
  };
  await declareLists(["a", "b"]).apply();
  await eventually(async () => {
    await declareLists(["b"]).apply();
    expect(await namesOf(owner)).toEqual(["b-data", "b-server"]);
  });
  const finalizers = ["example.com/hold"];
  await cluster.client.patch(ConfigMap, key(owner, "b-server"), { merge: { metadata: { finalizers } } });
  await declareLists(["b"]).delete();
  expect(await namesOf(owner)).toEqual(["b-data", "b-server"]);
  await cluster.client.patch(ConfigMap, key(owner, "b-server"), {
    merge: { metadata: { finalizers: null } },
  });
  await eventually(async () => expect(await declareLists(["b"]).delete()).toBeUndefined());
});

test("a child that is not desired keeps its place in the order beside a list of its kind", async () => {
  const owner = await cluster.create();
  const pass = async (isWanted: boolean) => {
    const children = new Children(cluster.client, owner);
    const data = children.add(ConfigMap, key(owner, "data"), isWanted && config());
    children.add(Secret, key(owner, "server"), isWanted && { metadata: {} }, { deletedBefore: data });
    children.addEach(ConfigMap, [{ metadata: key(owner, "other") }]);
    await children.apply();
    return namesOf(owner);
  };
  await pass(true);
  const finalizers = ["example.com/hold"];
  await cluster.client.patch(Secret, key(owner, "server"), { merge: { metadata: { finalizers } } });
  expect(await pass(false)).toEqual(["data", "other", "server"]);
  await cluster.client.patch(Secret, key(owner, "server"), { merge: { metadata: { finalizers: null } } });
  await eventually(async () => expect(await pass(false)).toEqual(["other"]));
});

test("until a pass has come to a child, the condition says that it is awaited", async () => {
  const owner = await cluster.create();
  const dead = () => Promise.reject(new Error("dead"));
  const children = new Children(interceptClient(cluster.client, { apply: dead }), owner);
  children.add(ConfigMap, key(owner, "first"), config());
  await expect(children.apply()).rejects.toThrow("dead");
  const message = `waits for ConfigMap ${owner.metadata.name}-first`;
  expect(children.condition("Ready")).toMatchObject({ status: "False", message });
});

test("a condition names three rejections of many: its message may not be long", async () => {
  const owner = await cluster.create();
  const children = new Children(cluster.client, owner);
  const bad = Array.from({ length: 5 }, (_, at) => ({
    metadata: key(owner, `bad-${at}`),
    data: { "a b": "1" },
  }));
  children.addEach(ConfigMap, bad);
  await children.apply();
  const { message = "" } = children.condition("Ready");
  expect(message.match(/bad-\d/g)).toEqual(["bad-0", "bad-1", "bad-2"]);
  expect(message).toMatch(/; and 2 more$/);
});

test("ten thousand children that wait for as many take no longer than their requests", async () => {
  const order = new ChildOrder(
    {
      find: () => Promise.resolve(undefined),
      apply: (_, { name }) =>
        Promise.resolve({
          object: { apiVersion: "v1", kind: "ConfigMap", metadata: { name } } as Stored<ConfigMap>,
          isRejected: false,
        }),
      remove: () => Promise.resolve(undefined),
      listStrays: () => Promise.resolve([]),
    },
    "default",
  );
  const addMany = (prefix: string, options: ChildOptions<ConfigMap>) => {
    const children = Array.from({ length: 10_000 }, (_, at) =>
      order.add(ConfigMap, { namespace: "default", name: `${prefix}-${at}` }, config(), options),
    );
    return order.addGroup(ConfigMap, children, options);
  };
  const first = addMany("first", { readyWhen: ({ metadata }) => metadata.name !== "first-9999" });
  addMany("second", { after: first, deletedBefore: first });
  await order.apply();
  expect(order.pending()).toEqual(["ConfigMap first-9999"]);
  expect(await order.delete()).toBe(true);
});

test("a rejected child holds back what comes after it, and the condition has its reason", async () => {
  const owner = await cluster.create();
  const children = new Children(cluster.client, owner);
  const bad = children.add(ConfigMap, key(owner, "bad"), config({ "a b": "1" }));
  children.add(ConfigMap, key(owner, "next"), config(), { after: bad });
  children.add(ConfigMap, key(owner, "other"), config());
  await children.apply();
  expect(await namesOf(owner)).toEqual(["other"]);
  expect(children.condition("Ready")).toMatchObject({ status: "False", reason: "ConfigMapRejected" });
});

test("a child can't be added twice", async () => {
  const owner = await cluster.create();
  const children = new Children(cluster.client, owner);
  children.add(ConfigMap, "twice", config());
  expect(() => children.add(ConfigMap, "twice", config())).toThrow(
    'ConfigMap "default/twice" was added twice',
  );
});

test("wherever a process dies, the order holds, and the next one finishes", async () => {
  for (let survived = 0; ; survived++) {
    const owner = await cluster.create();
    let writes = 0;
    const dying = (call: never, next: (call: never) => Promise<unknown>) => {
      if (writes++ === survived) throw new Error("dead");
      return next(call);
    };
    const mortal = interceptClient(cluster.client, { apply: dying as never, delete: dying as never });
    const run = async (
      step: (client: Client) => Promise<unknown>,
      expected: readonly string[],
    ): Promise<void> => {
      await step(mortal).catch(() => {});
      await eventually(async () => {
        await checkOrder(owner);
        await step(cluster.client);
        return (await namesOf(owner)).join() === expected.join();
      });
    };
    await run((client) => declare(client, owner).apply(), ["data", "proxy", "server"]);
    await run((client) => declare(client, owner).delete(), []);
    expect(await declare(cluster.client, owner).delete()).toBeUndefined();
    if (writes <= survived) break;
  }
});

/** Each needs the one before: to begin, and to end. */
function declare(client: Client, owner: Stored<Widget>): Children {
  const children = new Children(client, owner);
  const data = children.add(ConfigMap, key(owner, "data"), config());
  const server = children.add(ConfigMap, key(owner, "server"), config(), {
    after: data,
    deletedBefore: data,
  });
  children.add(ConfigMap, key(owner, "proxy"), config(), { after: server, deletedBefore: server });
  return children;
}

/** No child is there without the one that it needs. */
async function checkOrder(owner: Stored<Widget>): Promise<void> {
  const names = await namesOf(owner);
  const needs: [string, string][] = [
    ["proxy", "server"],
    ["server", "data"],
  ];
  expect(needs.filter(([child, other]) => names.includes(child) && !names.includes(other))).toEqual([]);
}
