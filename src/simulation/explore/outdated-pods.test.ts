import { type Manager, type Stored } from "@tsbuilder/runtime";
import { Deployment, StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { ConfigMap, Pod } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, test } from "vitest";
import { applyShop, Shop, shopScenario } from "../../../e2e/support/simulation/simulated-shop.ts";
import type { Scenario, Step } from "../contract/index.ts";
import { examineScenario } from "./explore.ts";

const controllers = ["deployment", "replicaset", "statefulset", "scheduler", "node", "kubelet"] as const;

const scenarioOf = (
  work: (manager: Manager, shop: Stored<Shop>) => Promise<unknown>,
  steps: readonly Step[] = [
    applyShop("a", { size: 1 }),
    { ...applyShop("a", { size: 2 }), after: 60_000 } as Step,
  ],
): Scenario => ({
  ...shopScenario((manager) => {
    manager
      .controllerFor(Shop)
      .owns(ConfigMap)
      .owns(Deployment)
      .owns(StatefulSet)
      .watches(Pod, ({ metadata: { namespace, labels } }) => [{ namespace, name: labels?.["shop"] ?? "" }])
      .complete({
        async reconcile(request) {
          const shop = await manager.client.find(Shop, request);
          if (shop && !shop.metadata.deletionTimestamp) await work(manager, shop);
        },
      });
  }),
  controllers,
  steps,
});

const labelsOf = ({ metadata: { name } }: Stored<Shop>) => ({ shop: name });

/** Keeps pods that read the size of their shop when they start, and follow it if the template has it, too. */
const readers =
  (isInTemplate: boolean) =>
  async ({ client }: Manager, shop: Stored<Shop>): Promise<void> => {
    const { namespace, name } = shop.metadata;
    const size = String(shop.spec.size);
    const labels = labelsOf(shop);
    await client.apply(ConfigMap, { metadata: { namespace, name }, data: { SIZE: size } }, { owner: shop });
    const template = {
      metadata: { labels, ...(isInTemplate && { annotations: { size } }) },
      spec: { containers: [{ name: "app", image: "app:1", envFrom: [{ configMapRef: { name } }] }] },
    };
    const spec = { selector: { matchLabels: labels }, template };
    await client.apply(Deployment, { metadata: { namespace, name }, spec }, { owner: shop });
  };

test("pods that nobody restarts keep the variables of before", async () => {
  const found = await examineScenario(scenarioOf(readers(false)));
  expect(found?.verdict).toMatchObject({
    class: "history",
    message: 'Deployment.apps/v1 default/a: pods.env.SIZE is "outdated", not "up to date"',
  });
  expect(await examineScenario(scenarioOf(readers(true)))).toBeUndefined();
});

test("a ConfigMap that is as it was before needs no restart", async () => {
  const steps = [1, 2, 1].map((size) => ({ ...applyShop("a", { size }), after: 700 }) as Step);
  expect(await examineScenario(scenarioOf(readers(true), steps))).toBeUndefined();
});

/** Keeps servers whose pods the operator replaces itself, if it does. */
const servers =
  (isReplacing: boolean) =>
  async ({ client }: Manager, shop: Stored<Shop>): Promise<void> => {
    const { namespace, name } = shop.metadata;
    const labels = labelsOf(shop);
    const container = { name: "app", image: `app:${shop.spec.size}` };
    const spec = {
      replicas: 2,
      serviceName: name,
      updateStrategy: { type: "OnDelete" as const },
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    };
    const set = await client.apply(StatefulSet, { metadata: { namespace, name }, spec }, { owner: shop });
    if (!isReplacing || set.status?.observedGeneration !== set.metadata.generation) return;
    for (const pod of await client.list(Pod, { namespace, labels }))
      if (pod.metadata.labels?.["controller-revision-hash"] !== set.status?.updateRevision)
        await client.delete(Pod, pod, { preconditions: { uid: pod.metadata.uid } });
  };

test("pods of a former template, which an operator must replace itself, are found", async () => {
  const found = await examineScenario(scenarioOf(servers(false)));
  expect(found?.verdict).toMatchObject({
    class: "history",
    message: 'StatefulSet.apps/v1 default/a: pods.template is "outdated", not "up to date"',
  });
  expect(await examineScenario(scenarioOf(servers(true)))).toBeUndefined();
});

test("users who ask for OnDelete replace pods themselves", async () => {
  const steps = [1, 2].map(
    (size) => ({ ...applyShop("a", { size, colour: "OnDelete" }), after: 60_000 }) as Step,
  );
  expect(await examineScenario(scenarioOf(servers(false), steps))).toBeUndefined();
});
