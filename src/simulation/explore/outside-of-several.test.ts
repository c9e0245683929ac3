import type { KubernetesObject, Manager, Stored } from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { PersistentVolumeClaim, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, test } from "vitest";
import { applyShop, Shop, shopScenario } from "../../../e2e/support/simulation/simulated-shop.ts";
import { external, type Fault, type Scenario, type Step } from "../contract/index.ts";
import { examineScenario, type Failure } from "./explore.ts";

/** A store of texts by keys, which are listed and deleted by their beginning. */
const store = external({
  state: () => new Map<string, string>(),
  async handle(request, texts) {
    const key = new URL(request.url).pathname;
    const known = [...texts.keys()].filter((one) => one.startsWith(key));
    if (request.method === "PUT") texts.set(key, await request.text());
    if (request.method === "DELETE") for (const one of known) texts.delete(one);
    return new Response(texts.get(key), { status: known.length > 0 || request.method === "PUT" ? 200 : 404 });
  },
});

interface Keeping {
  readonly keep: (manager: Manager, shop: Stored<Shop>) => Promise<unknown>;
  readonly clean: (manager: Manager, shop: Stored<Shop>) => Promise<unknown>;
}

const scenarioOf = ({ keep, clean }: Keeping, more: Partial<Scenario> = {}): Scenario => ({
  ...shopScenario((manager) => {
    manager
      .controllerFor(Shop)
      .owns(Secret)
      .finalizer("example.com/outside", async (shop) => void (await clean(manager, shop)))
      .complete({
        async reconcile(request) {
          const shop = await manager.client.find(Shop, request, { live: true });
          if (shop && !shop.metadata.deletionTimestamp) await keep(manager, shop);
        },
      });
  }),
  external: { store },
  steps: [applyShop("web", { size: 1 }), applyShop("web-1", { size: 1 })],
  ...more,
});

/** The text of no failure. */
const right = /^right$/;

const textOf = (failure: Failure | undefined): string =>
  failure ? `${failure.verdict.class}: ${failure.verdict.message}` : "right";

const call = async (method: string, key: string, body?: string): Promise<Response> =>
  fetch(`http://store${key}`, { method, ...(body !== undefined && { body }) });

test.each([
  [
    "a deletion that takes what is there for another object",
    "",
    /^collision: the deletion of Shop.* default\/web took .*which is there for Shop.* default\/web-1$/,
  ],
  ["one that takes only what was there for this one", "/", right],
])("%s", async (_, end, told) => {
  const keyOf = ({ metadata: { namespace, name } }: Stored<Shop>): string => `/${namespace}/${name}`;
  const keeping: Keeping = {
    keep: async ({ client }, shop) => {
      if (shop.status?.size === shop.spec.size) return;
      await call("PUT", `${keyOf(shop)}/text`, "text");
      await client.patchStatus(Shop, shop, { size: shop.spec.size });
    },
    clean: (_manager, shop) => call("DELETE", `${keyOf(shop)}${end}`),
  };
  // What a run leaves outside may differ, and must still not be taken.
  const found = await examineScenario(
    scenarioOf(keeping, { mayDiffer: ({ apiVersion }) => apiVersion === "external" }),
  );
  expect(textOf(found)).toMatch(told);
});

test.each([
  [
    "a password that is random must be the same wherever it is",
    false,
    /^drift: .*as value of entry.external store\//,
  ],
  ["an operator that tells it again is right", true, right],
])("%s", async (_, isTold, told) => {
  const keeping: Keeping = {
    keep: async ({ client }, shop) => {
      const { namespace, name, uid } = shop.metadata;
      const key = { namespace, name };
      const held = (await client.find(Secret, key, { live: true }))?.data?.["password"];
      const password = held ?? Buffer.from(crypto.randomUUID()).toString("base64");
      if (!held) await client.create(Secret, { metadata: key, data: { password } }, { owner: shop });
      const isKnown = !isTold && (await call("GET", `/${uid}`)).ok;
      if (!isKnown) await call("PUT", `/${uid}`, Buffer.from(password, "base64").toString());
    },
    clean: (_manager, { metadata: { uid } }) => call("DELETE", `/${uid}`),
  };
  const faults: Fault[] = [{ fault: "delete-child", child: 0, at: 20_000 }];
  const found = await examineScenario(
    scenarioOf(keeping, { faults, steps: [applyShop("web", { size: 1 })] }),
  );
  expect(textOf(found)).toMatch(told);
});

/** Keeps servers with a volume each. */
function keepServers({ client }: Manager, shop: Stored<Shop>) {
  const { namespace, name } = shop.metadata;
  const labels = { shop: name };
  const claim = {
    metadata: { name: "data", labels },
    spec: { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Gi" } } },
  };
  const spec = {
    replicas: shop.spec.size,
    serviceName: name,
    podManagementPolicy: "Parallel" as const,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ name: "app", image: "app:1" }] } },
    volumeClaimTemplates: [claim],
  };
  return client.apply(StatefulSet, { metadata: { namespace, name }, spec }, { owner: shop });
}

const controllers = ["statefulset", "persistentvolume", "scheduler", "node", "kubelet"] as const;

test.each([
  [
    "an error of a cleanup that is swallowed leaves what the cluster made",
    true,
    /^unretried: after the deletion, PersistentVolumeClaim.v1 default\/data-web-0 is left$/,
  ],
  ["one that is thrown doesn't", false, right],
])("%s", async (_, isSwallowed, told) => {
  const keeping: Keeping = {
    keep: keepServers,
    clean: async ({ client }, { metadata: { namespace, name } }) => {
      const claims = await client.list(PersistentVolumeClaim, { namespace, labels: { shop: name } });
      for (const claim of claims)
        await client.delete(PersistentVolumeClaim, claim).catch((error: unknown) => {
          if (!isSwallowed) throw error;
        });
    },
  };
  const requests = "DELETE PersistentVolumeClaim";
  const faults: Fault[] = [
    {
      fault: "refuse",
      process: "shop-0",
      requests,
      with: "error",
      done: false,
      in: "deletion",
      at: 0,
      for: 5000,
    },
  ];
  const steps = [applyShop("web", { size: 1 })];
  const found = await examineScenario(scenarioOf(keeping, { faults, steps, controllers }));
  expect(textOf(found)).toMatch(told);
});

test.each([
  [
    "an operator that deletes volumes by an old size loses data",
    false,
    /^stale-view: .*data-web-1 was deleted, although users never asked/,
  ],
  ["one that asks the server for the size doesn't", true, right],
])("%s", async (_, isCareful, told) => {
  const scaling = (manager: Manager): void => {
    const { client } = manager;
    manager
      .controllerFor(Shop)
      .owns(StatefulSet)
      .complete({
        async reconcile(request) {
          const shop = await client.find(Shop, request, { live: isCareful });
          if (!shop || shop.metadata.deletionTimestamp) return;
          const { status, metadata } = await keepServers(manager, shop);
          if (status?.observedGeneration !== metadata.generation || (status?.replicas ?? 0) > shop.spec.size)
            return;
          const { namespace } = request;
          for (const claim of await client.list(PersistentVolumeClaim, {
            namespace,
            labels: { shop: request.name },
          }))
            if (Number(claim.metadata.name.split("-").at(-1)) >= shop.spec.size)
              await client.delete(PersistentVolumeClaim, claim, {
                preconditions: { uid: claim.metadata.uid },
              });
        },
      });
  };
  const steps = [applyShop("web", { size: 1 }), { ...applyShop("web", { size: 2 }), after: 60_000 } as Step];
  const view = { down: 3000, lag: 20_000, of: "shops" };
  const faults: Fault[] = [{ fault: "crash", process: "shop-0", write: 2, when: "after", ...view }];
  const mayStay = ({ kind }: KubernetesObject): boolean => kind === "PersistentVolumeClaim";
  const found = await examineScenario({ ...shopScenario(scaling), steps, faults, controllers, mayStay });
  expect(textOf(found)).toMatch(told);
});
