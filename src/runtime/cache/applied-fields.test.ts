import { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import type { ClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import { startClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import { createCachedClient } from "./cached-client.ts";
import type { Client, Desired } from "../client/client.ts";
import { createClient, type LiveClient } from "../client/live-client.ts";
import { loadConfig } from "../config/load-config.ts";
import { eventually } from "../testing/eventually.ts";
import type { CacheOptions } from "./cache.ts";
import { createCache } from "./create-cache.ts";

let cluster: ClusterUnderTest;
let person: LiveClient;

beforeAll(async () => {
  cluster = await startClusterUnderTest();
  person = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig }), { fieldManager: "person" });
});

afterAll(async () => {
  await person.close();
  await cluster.stop();
});

/** A process that has just started: an empty apply memory, but all Deployments in its cache. */
async function coldStart(options: CacheOptions = {}): Promise<{ client: Client; writes: () => number }> {
  let writes = 0;
  const config = await loadConfig({ kubeconfig: cluster.kubeconfig });
  const fieldManager = "operator";
  const live = createClient(config, {
    fieldManager,
    onRequest: ({ method }) => void (writes += method === "GET" ? 0 : 1),
  });
  const cache = createCache(live, { fieldManager, ...options });
  const informer = cache.informer(Deployment);
  cache.start();
  await informer.synced();
  onTestFinished(async () => {
    await cache.stop();
    await live.close();
  });
  return { client: createCachedClient(live, cache), writes: () => writes };
}

type Container = { name: string; image: string; [field: string]: unknown };

function desired(name: string, container: Partial<Container> = {}): Desired<Deployment> {
  const labels = { app: name };
  const env = ["A", "B"].map((variable) => ({ name: variable, value: "1" }));
  const ports = [80, 81].map((port) => ({ name: `p${port}`, containerPort: port, protocol: "TCP" as const }));
  const containers = [{ name: "web", image: "nginx", env, ports, ...container }];
  return {
    metadata: { name, namespace: "default", labels },
    spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers } } },
  };
}

test("apply sends nothing after a cold start if an earlier process applied the same", async () => {
  const earlier = await coldStart();
  await earlier.client.apply(Deployment, desired("same"));
  const { client, writes } = await coldStart();
  for (let round = 0; round < 3; round++) await client.apply(Deployment, desired("same"));
  expect(writes()).toBe(0);
});

test("apply sends nothing after a cold start if a list is empty", async () => {
  const earlier = await coldStart();
  await earlier.client.apply(Deployment, desired("empty", { env: [], ports: [] }));
  const { client, writes } = await coldStart();
  await client.apply(Deployment, desired("empty", { env: [], ports: [] }));
  expect(writes()).toBe(0);
});

test.each<[string, CacheOptions]>([
  ["", {}],
  [
    " that a transform hides",
    { transform: ({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }) },
  ],
])(
  "apply empties a list again that somebody filled%s, in the same process and after a cold start",
  async (_, options) => {
    const earlier = await coldStart(options);
    const later = await coldStart(options);
    const name = `filled-${"transform" in options}`;
    const key = { name, namespace: "default" };
    const args = async () => (await person.get(Deployment, key)).spec?.template.spec?.containers[0]?.args;
    await earlier.client.apply(Deployment, desired(name, { args: [] }));
    for (const { client } of [earlier, later]) {
      const json = [{ op: "add" as const, path: "/spec/template/spec/containers/0/args", value: ["--open"] }];
      const { metadata } = await person.patch(Deployment, key, { json });
      await eventually(async () => {
        expect((await client.get(Deployment, key)).metadata.resourceVersion).toBe(metadata.resourceVersion);
      });
      await client.apply(Deployment, desired(name, { args: [] }));
      expect(await args()).toBeUndefined();
    }
  },
);

test("apply sends nothing after a cold start if others set fields of their own", async () => {
  const earlier = await coldStart();
  const made = await earlier.client.apply(Deployment, desired("shared"));
  await person.patch(Deployment, made, (draft) => {
    draft.metadata.annotations = { note: "mine" };
    draft.spec!.template.spec!.containers.unshift({ name: "sidecar", image: "other" });
    draft.spec!.template.spec!.containers[1]!.env!.unshift({ name: "theirs", value: "1" });
  });
  const { client, writes } = await coldStart();
  const { spec } = await client.apply(Deployment, desired("shared"));
  expect(writes()).toBe(0);
  expect(spec?.template.spec?.containers).toHaveLength(2);
});

test.each<[string, Partial<Container>]>([
  ["a value that differs", { image: "nginx:2" }],
  ["an item less", { env: [{ name: "A", value: "1" }] }],
  ["an item more", { args: ["-v"] }],
  ["a field less", { ports: undefined }],
])("apply sends %s after a cold start, once", async (what, container) => {
  const name = what.replaceAll(" ", "-");
  const earlier = await coldStart();
  await earlier.client.apply(Deployment, desired(name));
  const { client, writes } = await coldStart();
  for (let round = 0; round < 3; round++) await client.apply(Deployment, desired(name, container));
  expect(writes()).toBe(1);
  const again = await coldStart();
  const { spec } = await again.client.apply(Deployment, desired(name, container));
  expect(again.writes()).toBe(0);
  expect(spec?.template.spec?.containers[0]).toMatchObject(JSON.parse(JSON.stringify(container)) as object);
});

test("apply restores after a cold start what another client took over in the meantime", async () => {
  const earlier = await coldStart();
  const made = await earlier.client.apply(Deployment, desired("taken"));
  await person.patch(Deployment, made, (draft) => {
    draft.spec!.template.spec!.containers[0]!.image = "theirs";
  });
  const { client, writes } = await coldStart();
  const { spec } = await client.apply(Deployment, desired("taken"));
  expect(spec?.template.spec?.containers[0]?.image).toBe("nginx");
  expect(writes()).toBe(1);
});

test("apply is sent once after a cold start if the server normalizes a value", async () => {
  const container = { resources: { requests: { cpu: "0.5" } } };
  const earlier = await coldStart();
  await earlier.client.apply(Deployment, desired("quantity", container));
  const { client, writes } = await coldStart();
  for (let round = 0; round < 3; round++) await client.apply(Deployment, desired("quantity", container));
  expect(writes()).toBe(1);
});

test("another field manager's applies don't count as ours", async () => {
  await person.apply(Deployment, desired("foreign"), { fieldManager: "kubectl" });
  const { client, writes } = await coldStart();
  await client.apply(Deployment, desired("foreign"));
  expect(writes()).toBe(1);
});

test("apply notices that another manager took a field in between, even where its value is the same again", async () => {
  const { client, writes } = await coldStart();
  const name = "scaled";
  const withReplicas = (replicas: number): Desired<Deployment> => {
    const { metadata, spec } = desired(name);
    return { metadata, spec: { ...spec!, replicas } };
  };
  /** A conflict between an operator that sets `replicas` and an autoscaler. */
  const handOver = () => {
    const { namespace } = desired(name).metadata;
    const spec = { replicas: 5, selector: desired(name).spec!.selector } as Desired<Deployment>["spec"];
    return client.apply(Deployment, { metadata: { name, namespace }, spec }, { fieldManager: "handover" });
  };
  const turnOn = async () => {
    await handOver();
    return await client.apply(Deployment, desired(name));
  };

  await client.apply(Deployment, withReplicas(5));
  expect((await turnOn()).spec?.replicas).toBe(5);
  const seven = { kind: "Deployment", metadata: { name, namespace: "default" }, spec: { replicas: 7 } };
  await person.apply(Deployment, seven as Desired<Deployment>, { fieldManager: "autoscaler" });
  await eventually(async () => {
    const { spec } = await client.get(Deployment, { name, namespace: "default" });
    expect(spec?.replicas).toBe(7);
  });
  expect((await client.apply(Deployment, withReplicas(5))).spec?.replicas).toBe(5);
  expect((await turnOn()).spec?.replicas).toBe(5);
  const { metadata } = await person.get(Deployment, { name, namespace: "default" });
  const owners = metadata.managedFields?.filter(({ fieldsV1 }) =>
    JSON.stringify(fieldsV1).includes("f:replicas"),
  );
  expect(owners?.map(({ manager }) => manager)).toContain("handover");
  const before = writes();
  for (let round = 0; round < 3; round++) await turnOn();
  expect(writes()).toBe(before);
});

test("apply restores a field that a transform hides, if another process of the same field manager changed it", async () => {
  const { client, writes } = await coldStart({
    transform: ({ apiVersion, kind, metadata }) => ({ apiVersion, kind, metadata }),
  });
  const name = "hidden";
  await client.apply(Deployment, desired(name));
  const { metadata } = await person.apply(Deployment, desired(name, { image: "older" }), {
    fieldManager: "operator",
  });
  await eventually(async () => {
    const cached = await client.get(Deployment, { name, namespace: "default" });
    expect(cached.metadata.resourceVersion).toBe(metadata.resourceVersion);
  });
  for (let round = 0; round < 3; round++) await client.apply(Deployment, desired(name));
  expect(writes()).toBe(2);
  const { spec } = await person.get(Deployment, { name, namespace: "default" });
  expect(spec?.template.spec?.containers[0]?.image).toBe("nginx");
});
