import type { KubernetesObject, Manager } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import type { Scenario, Step } from "@tsbuilder/simulation";
import {
  applyShop,
  setupShops,
  Shop,
  shopScenario,
  shopsThat,
} from "../../../support/simulation/simulated-shop.ts";
import { sharedApplies } from "../../../support/simulation/own-parts/apply-memory.ts";
import { servedCertificates } from "../../../support/simulation/own-parts/certificates.ts";
import { severalClusters } from "../../../support/simulation/own-parts/clusters.ts";
import { queuedSteps } from "../../../support/simulation/own-parts/queue.ts";
import { workloads } from "../../../support/simulation/own-parts/workloads.ts";
import { autoscaledApps } from "./autoscaled-apps.ts";

/** A spec that no operator can satisfy, as a user would set it by mistake. */
const strange = (name: string, spec: Shop["spec"], after?: number): Step => ({
  ...(applyShop(name, spec) as Step & { readonly do: "apply" }),
  strange: true,
  ...(after !== undefined && { after }),
});

const deleted = (name: string): Step => ({
  do: "delete",
  target: { apiVersion: "sim.dev/v1", kind: "Shop", namespace: "default", name },
});

/** Has no value for shops without a colour. */
function setupIndexed(manager: Manager): void {
  setupShops(manager);
  manager.cache.addIndex(Shop, "colour", ({ spec }) => [spec.colour!.toUpperCase()]);
}

class UnreadableError extends Error {
  override get message(): string {
    throw new TypeError("this error has no message");
  }
}

/** The shop's data is in the ConfigMap, of which its caches keep nothing. */
const withoutData = {
  cache: {
    kinds: [
      [
        ConfigMap,
        {
          transform: ({ apiVersion, kind, metadata }: KubernetesObject) => ({ apiVersion, kind, metadata }),
        },
      ] as const,
    ],
  },
};

/** Two operators that want the same field, and don't force it. */
const polite = (name: string) => ({
  name,
  setup: shopsThat(({ client }, shop) => {
    const { namespace, name: named } = shop.metadata;
    const desired = { metadata: { namespace, name: named }, data: { by: name } };
    return client.apply(ConfigMap, desired, { owner: shop, force: false });
  }),
});

/** Messages are shops in a namespace of their own: whoever takes one deletes it, and looks after the shop of its name. */
function setupQueue(manager: Manager): void {
  const { client } = manager;
  manager
    .controllerFor(Shop)
    .watchesSource({
      name: "queue",
      async start(enqueue, { signal }) {
        const live = client.with({ live: true });
        for (const message of await live.list(Shop, { namespace: "queue", signal })) {
          await client.delete(Shop, message);
          enqueue({ namespace: "default", name: message.metadata.name });
        }
      },
    })
    .complete({
      async reconcile(request) {
        const shop = await client.find(Shop, request);
        if (shop) await client.patchStatus(Shop, shop, { observedGeneration: shop.metadata.generation! });
      },
    });
}

const queue = ["a", "b"].map((name) => ({
  apiVersion: Shop.apiVersion,
  kind: Shop.kind,
  metadata: { namespace: "queue", name },
  spec: { size: 1 },
}));

/** Its write is to be repeated when it stands still, for longer than its lease. */
const suspendedLeader = [
  { fault: "refuse", process: "shop-0", request: 2, with: "too-many", done: false },
  { fault: "suspend", process: "shop-0", at: 500, for: 40_000 },
] as const;

/** For a while, nothing that the controllers of the cluster write arrives. */
const failingWrites = Array.from(
  { length: 6 },
  (_, at) =>
    ({ fault: "refuse", process: "controllers", request: 41 + at, with: "error", done: false }) as const,
);

/** The scenarios that explore the fixes of the runtime and the templates. */
export const scenarios = {
  "throwing index": {
    ...shopScenario(setupIndexed),
    steps: [
      applyShop("a", { size: 1, colour: "red" }),
      strange("b", { size: 2 }, 1000),
      applyShop("c", { size: 2, colour: "blue" }),
      strange("a", { size: 5 }, 1000),
    ],
  },
  "error that can't be read": {
    ...shopScenario(
      shopsThat(({ client }, shop) => {
        const { namespace, name } = shop.metadata;
        if (shop.spec.size === 0) throw new UnreadableError();
        const data = { size: String(shop.spec.size) };
        return client.apply(ConfigMap, { metadata: { namespace, name }, data }, { owner: shop });
      }),
    ),
    steps: [strange("a", { size: 0 }), applyShop("a", { size: 1 }), deleted("a")],
  },
  "autoscaling on, off and on": autoscaledApps,
  "hidden data": {
    ...shopScenario(),
    operators: [{ name: "shop", setup: setupShops, manager: withoutData }],
    steps: [applyShop("a", { size: 1 })],
    faults: [{ fault: "edit-child", child: 0, at: 20_000 }],
  },
  "conflict of managers": {
    ...shopScenario(),
    operators: [polite("first"), polite("second")],
    steps: [applyShop("a", { size: 1 })],
  },
  queue: {
    ...shopScenario(),
    operators: [{ name: "shop", setup: setupQueue, replicas: 2 }],
    objects: [{ apiVersion: "v1", kind: "Namespace", metadata: { name: "queue" } }, ...queue],
    steps: [applyShop("a", { size: 1 }), applyShop("b", { size: 1 })],
  },
  "leader that stands still": {
    ...shopScenario(),
    operators: [{ name: "shop", setup: setupShops, replicas: 2 }],
    steps: [applyShop("a", { size: 1 }), { ...applyShop("a", { size: 2 }), after: 25_000 } as Step],
    faults: suspendedLeader,
  },
  "several clusters": severalClusters,
  "served certificates": servedCertificates,
  "shared applies": sharedApplies,
  "queued steps": queuedSteps,
  "failing writes": { ...workloads, faults: failingWrites },
} satisfies { readonly [name: string]: Scenario };
