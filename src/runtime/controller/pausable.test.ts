import { type Condition, type CustomResource, defineKind, setCondition } from "@tsbuilder/apimachinery/meta";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { expect, onTestFinished, test } from "vitest";
import { interceptClient } from "../client/intercept-client.ts";
import { createClient } from "../client/live-client.ts";
import { loadConfig } from "../config/load-config.ts";
import { ConfigMap } from "../k8s/core/v1.ts";
import { createLogger } from "../log/logger.ts";
import type { Manager } from "../manager/manager.ts";
import { moveClock } from "../testing/move-clock.ts";
import { startTestManager } from "../testing/test-manager.ts";
import { pausable } from "./controller-builder.ts";
import { generationChanged } from "./predicate.ts";

interface Shop extends CustomResource<{ size?: number }, { seen?: number; conditions?: Condition[] }> {}
const Shop = defineKind<Shop>({ group: "example.com", version: "v1" }, { kind: "Shop", plural: "shops" });
const openSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

/** A CRD whose status has the schema, or that has no status. */
const shops = (statusSchema: object | null) => ({
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "shops.example.com" },
  spec: {
    group: "example.com",
    scope: "Namespaced",
    names: { kind: "Shop", listKind: "ShopList", plural: "shops", singular: "shop" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        ...(statusSchema && { subresources: { status: {} } }),
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: { spec: openSchema, ...(statusSchema && { status: statusSchema }) },
          },
        },
      },
    ],
  },
});
const key = { namespace: "default", name: "shop" };
const annotation = "example.com/paused";

/** Runs a controller that reports the size it has seen, and has a finalizer; it ignores all but the spec. */
async function start(statusSchema: object | null = openSchema) {
  const clock = new FakeClock();
  const cluster = await startTestCluster({ clock, crds: [shops(statusSchema)] });
  onTestFinished(() => cluster.stop());
  const calls: string[] = [];
  const setup = (manager: Manager): void => {
    manager
      .controllerFor(Shop)
      .withPredicates(generationChanged)
      .pausable()
      .finalizer("example.com/shop", () => void calls.push("cleanup"))
      .complete({
        async reconcile(request) {
          const shop = await manager.client.find(Shop, request);
          if (shop) calls.push(`size ${shop.spec.size}`);
          return { requeueAfter: "1m" };
        },
      });
  };
  const { client, stop } = await startTestManager({ kubeconfig: cluster.kubeconfig, clock }, setup);
  onTestFinished(stop);
  const annotate = async (value: string | null) => {
    await client.patch(Shop, key, { merge: { metadata: { annotations: { [annotation]: value } } } });
    await moveClock(clock, 1000);
  };
  const conditionsOf = async () => (await client.get(Shop, key)).status?.conditions;
  return { clock, client, calls, annotate, conditionsOf };
}

test("a paused object is neither reconciled nor cleaned up, says so, and goes on where it was", async () => {
  const { clock, client, calls, annotate, conditionsOf } = await start();
  const annotations = { [annotation]: "true" };
  await client.create(Shop, { metadata: { ...key, annotations }, spec: { size: 1 } });
  await moveClock(clock, 600_000);
  expect(calls).toEqual([]);
  expect(await conditionsOf()).toMatchObject([
    {
      type: "Paused",
      status: "True",
      reason: "Annotated",
      message: `the annotation ${annotation} stops reconciles and cleanups`,
      observedGeneration: 1,
    },
  ]);

  // Predicates don't hold back what pauses and resumes.
  await annotate(null);
  expect(calls).toEqual(["size 1"]);
  expect(await conditionsOf()).toEqual([]);
  await annotate("true");
  await client.patch(Shop, key, { merge: { spec: { size: 2 } } });
  await moveClock(clock, 600_000);
  expect(calls).toEqual(["size 1"]);

  await client.delete(Shop, key);
  await moveClock(clock, 600_000);
  expect(calls).toEqual(["size 1"]);
  expect(await conditionsOf()).toMatchObject([{ type: "Paused", observedGeneration: 3 }]);
  await annotate("false");
  expect(calls).toEqual(["size 1", "cleanup"]);
  expect(await client.find(Shop, key)).toBeUndefined();
});

test.each([
  ["no status", null],
  ["a status without conditions", { type: "object", properties: {} }],
  ["a status with other required fields", { ...openSchema, required: ["seen"] }],
])("an object of a kind with %s is paused, too", async (_, statusSchema) => {
  const { clock, client, calls, annotate } = await start(statusSchema);
  await client.create(Shop, { metadata: { ...key, annotations: { [annotation]: "true" } }, spec: {} });
  await moveClock(clock, 600_000);
  expect(calls).toEqual([]);
  await annotate(null);
  expect(calls).toEqual(["size undefined"]);
});

test.each(["true", null])("an object that goes away while it is %s is no reason to warn", async (value) => {
  const cluster = await startTestCluster({ crds: [shops(openSchema)] });
  onTestFinished(() => cluster.stop());
  const client = createClient(await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} }));
  onTestFinished(() => client.close());
  const paused = { type: "Paused", status: "True", reason: "Annotated" } as const;
  const metadata = { ...key, annotations: { [annotation]: value ?? "false" } };
  const shop = await client.create(Shop, { metadata, spec: {} });
  if (value === null) await client.patchStatus(Shop, shop, { conditions: setCondition([], paused) });
  // Somebody deletes it between the read and the write of the condition.
  const deleting = interceptClient(client, {
    async patchStatus(call, next) {
      await client.delete(Shop, key);
      return next(call);
    },
  });
  const lines: string[] = [];
  const log = createLogger({ level: "info", write: (line) => void lines.push(line) });
  const context = { log, signal: new AbortController().signal, events: { normal() {}, warning() {} } };
  const inner = { reconcile: () => undefined };
  await pausable({ client: deleting, clock: new FakeClock() }, Shop, inner).reconcile(key, context);
  expect(await client.find(Shop, key)).toBeUndefined();
  expect(lines).toEqual([]);
});

test("a kind of the core group can't be paused", async () => {
  const cluster = await startTestCluster();
  onTestFinished(() => cluster.stop());
  const start = startTestManager(cluster.kubeconfig, (manager) => {
    manager.controllerFor(ConfigMap).pausable();
  });
  await expect(start).rejects.toThrow("the core group has no prefix");
});
