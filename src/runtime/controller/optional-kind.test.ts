import { defineKind } from "@tsbuilder/apimachinery/meta";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { expect, onTestFinished, test } from "vitest";
import { Children } from "../client/children.ts";
import { ConfigMap } from "../k8s/core/v1.ts";
import { createLogger } from "../log/logger.ts";
import { eventually } from "../testing/eventually.ts";
import { moveClock, moveClockUntil } from "../testing/move-clock.ts";
import { startTestManager } from "../testing/test-manager.ts";

const CustomResourceDefinition = defineKind(
  { group: "apiextensions.k8s.io", version: "v1" },
  { kind: "CustomResourceDefinition", plural: "customresourcedefinitions", scope: "Cluster" },
);
const Monitor = defineKind({ group: "example.com", version: "v1" }, { kind: "Monitor", plural: "monitors" });
const monitors = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "monitors.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Monitor", listKind: "MonitorList", plural: "monitors", singular: "monitor" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
};
const key = { namespace: "default", name: "app" };

/** Runs a controller of ConfigMaps that gives each of ours a Monitor, which the cluster may not serve. */
async function start(crds: object[]) {
  const clock = new FakeClock();
  const cluster = await startTestCluster({ clock, crds, controllers: ["garbagecollector"] });
  onTestFinished(() => cluster.stop());
  const reasons: string[] = [];
  const lines: string[] = [];
  const { client, manager, stop } = await startTestManager(
    {
      kubeconfig: cluster.kubeconfig,
      clock,
      logger: createLogger({ level: "warn", write: (line) => void lines.push(line), clock }),
    },
    (started) => {
      started
        .controllerFor(ConfigMap)
        .owns(Monitor, { optional: true })
        .complete({
          async reconcile(request) {
            const owner = await started.client.find(ConfigMap, request);
            if (owner?.metadata.namespace !== "default") return;
            const children = new Children(started.client, owner, { clock });
            await children.set(Monitor, owner.metadata.name, { metadata: {} });
            reasons.splice(0, reasons.length, ...children.rejections.map(({ reason }) => reason));
            return children.result(undefined);
          },
        });
    },
  );
  onTestFinished(stop);
  await client.create(ConfigMap, { metadata: key });
  return { clock, cluster, client, manager, reasons, lines };
}

test("a kind that the cluster doesn't serve keeps no manager from starting, and has no objects", async () => {
  const { manager, reasons, lines, clock } = await start([]);
  await eventually(() => expect(reasons).toEqual(["KindMissing"]));
  expect(await manager.cache.list(Monitor)).toEqual([]);
  expect(await manager.client.find(Monitor, key)).toBeUndefined();
  expect(manager.cache.informer(Monitor)).toMatchObject({ hasSynced: true, stats: { relists: 0 } });
  await moveClock(clock, 600_000);
  expect(manager.cache.informer(Monitor).stats).toMatchObject({ relists: 0, watchErrors: 0 });
  expect(lines).toEqual([]);
});

test("it is watched when its CRD appears, and has no objects any more when the CRD is deleted", async () => {
  const { clock, cluster, client, manager, reasons } = await start([]);
  await eventually(() => expect(reasons).toEqual(["KindMissing"]));
  await cluster.installCRDs(monitors);
  await moveClockUntil(clock, async () => expect(await client.find(Monitor, key)).toBeDefined());
  await moveClockUntil(clock, async () => expect(await manager.cache.find(Monitor, key)).toBeDefined());
  // Its events cause reconciles.
  await client.delete(Monitor, key);
  await eventually(async () => expect(await client.find(Monitor, key)).toBeDefined());

  await client.delete(CustomResourceDefinition, { name: monitors.metadata.name });
  await moveClockUntil(clock, async () => expect(await manager.cache.find(Monitor, key)).toBeUndefined());
  await moveClockUntil(clock, () => expect(reasons).toEqual(["KindMissing"]));
  await cluster.installCRDs(monitors);
  await moveClockUntil(clock, async () => expect(await manager.cache.find(Monitor, key)).toBeDefined());
});
