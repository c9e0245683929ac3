import { afterAll, beforeAll, expect, test } from "vitest";
import type { CustomResource, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { defineKind, ownerReferenceTo } from "@tsbuilder/apimachinery/meta";
import { FakeClock, settled } from "@tsbuilder/apimachinery/time";
import type { ClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import { startClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import type { ObjectCache } from "../cache/cache.ts";
import type { Desired, ObjectKey } from "../client/client.ts";
import { loadConfig } from "../config/load-config.ts";
import type { Manager } from "../manager/manager.ts";
import { createLogger } from "../log/logger.ts";
import { eventually } from "../testing/eventually.ts";
import { startTestManager } from "../testing/test-manager.ts";

interface Zone extends CustomResource<object> {}
const Zone = defineKind<Zone>(
  { group: "example.com", version: "v1" },
  { kind: "Zone", plural: "zones", scope: "Cluster" },
);
interface ConfigMap extends KubernetesObject {
  data?: { [key: string]: string };
}
const ConfigMap = defineKind<ConfigMap>(
  { group: "", version: "v1" },
  { kind: "ConfigMap", plural: "configmaps" },
);

const zones = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "zones.example.com" },
  spec: {
    group: "example.com",
    scope: "Cluster",
    names: { kind: "Zone", listKind: "ZoneList", plural: "zones", singular: "zone" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

let cluster: ClusterUnderTest;
beforeAll(async () => {
  cluster = await startClusterUnderTest(zones);
});
afterAll(() => cluster.stop());

test("owns() enqueues the controlling owner and the former one, everyOwner all owners; cluster-scoped owners have no namespace", async () => {
  const seen = { controller: new Set<string>(), every: new Set<string>() };
  const running = await startTestManager(cluster.kubeconfig!, (manager) => {
    const onlyChildren = { predicates: [() => false] };
    manager
      .controllerFor(Zone, onlyChildren)
      .named("controller")
      .owns(ConfigMap)
      .complete({ reconcile: ({ name, namespace }) => void seen.controller.add(`${namespace}/${name}`) });
    manager
      .controllerFor(Zone, onlyChildren)
      .named("every")
      .owns(ConfigMap, { everyOwner: true })
      .complete({ reconcile: ({ name }) => void seen.every.add(name) });
  });
  const { client } = running;
  const [a, b, c] = await Promise.all(
    ["a", "b", "c"].map((name) => client.create(Zone, { metadata: { name }, spec: {} })),
  );
  const child: Desired<ConfigMap> = {
    metadata: {
      name: "child",
      namespace: "default",
      ownerReferences: [
        ownerReferenceTo(a!),
        // The API version may differ; another group is another kind.
        { ...ownerReferenceTo(b!, { controller: false }), apiVersion: "example.com/v2" },
        { ...ownerReferenceTo(c!, { controller: false }), apiVersion: "elsewhere.com/v1" },
      ],
    },
  };
  const made = await client.create(ConfigMap, child);
  await eventually(() => seen.controller.has("undefined/a") && seen.every.size === 2);
  expect([...seen.controller]).toEqual(["undefined/a"]);
  expect([...seen.every].sort()).toEqual(["a", "b"]);

  seen.controller.clear();
  await client.patch(ConfigMap, made, ({ metadata }) => {
    metadata.ownerReferences = [ownerReferenceTo(c!)];
  });
  await eventually(() => seen.controller.size === 2);
  expect([...seen.controller].sort()).toEqual(["undefined/a", "undefined/c"]);
  await running.stop();
});

test("a process that waits for the lease fills its caches and queue but reconciles nothing", async () => {
  const election = {
    leaderElection: {
      id: "warm",
      namespace: "default",
      leaseDuration: "15s",
      renewDeadline: "10s",
      retryPeriod: "100ms",
    },
  } as const;
  const counts = [0, 0];
  const managers: Manager[] = [];
  const setup = (index: number) => (manager: Manager) => {
    managers.push(manager);
    manager
      .controllerFor(ConfigMap)
      .named("warm")
      .complete({ reconcile: () => void counts[index]!++ });
  };
  const leader = await startTestManager({ kubeconfig: cluster.kubeconfig!, ...election }, setup(0));
  const following = startTestManager({ kubeconfig: cluster.kubeconfig!, ...election }, setup(1));
  const { metadata } = await leader.client.create(ConfigMap, {
    metadata: { generateName: "warm-", namespace: "default" },
  });
  await eventually(() => counts[0]! > 0);
  await eventually(() => managers[1]!.cache.existing(ConfigMap)?.get(metadata as ObjectKey) !== undefined);
  await settled();
  expect(counts[1]).toBe(0);
  await leader.stop();
  const follower = await following;
  await eventually(() => counts[1]! > 0);
  await follower.stop();
});

test("the error names the RBAC permission that is missing at the start", async () => {
  const { kubeconfig } = cluster;
  const clock = new FakeClock();
  let cache: ObjectCache | undefined;
  const config = async () => ({
    ...(await loadConfig({ kubeconfig, env: {} })),
    impersonate: { user: "nobody" },
  });
  const start = startTestManager(
    {
      kubeconfig: cluster.kubeconfig!,
      config,
      clock,
      // Shorter than any delay before a retry, which moving the clock would turn into a timeout.
      controllers: { cacheSyncTimeout: "300ms" },
      logger: createLogger({ write() {} }),
    },
    (manager) => {
      manager.controllerFor(ConfigMap).complete({ reconcile() {} });
      ({ cache } = manager);
    },
  );
  start.catch(() => {});
  await eventually(() => cache!.existing(ConfigMap)?.stats.lastError !== undefined);
  await clock.advance(300);
  await expect(start).rejects.toThrow(
    /ConfigMap objects.*forbidden.*needs the verbs get, list and watch on configmaps/is,
  );
});
