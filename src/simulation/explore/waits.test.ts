import {
  generationChanged,
  type Manager,
  type NamespacedName,
  type Result,
  type Stored,
} from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, test } from "vitest";
import { runOf } from "../../../e2e/support/simulation/simulated-run.ts";
import { applyShop, Shop, shopScenario } from "../../../e2e/support/simulation/simulated-shop.ts";
import { external, type Scenario } from "../contract/index.ts";
import { isOutcomeOfAnOrder } from "./examine.ts";
import { simulate } from "../world/simulate.ts";
import { examineScenario, explore } from "./explore.ts";

// Right operators, whose outcomes come with time.

/** An operator whose reconcile of each shop ends with this. */
function timed(work: (manager: Manager, shop: Stored<Shop>) => Promise<Result>): Scenario {
  return {
    ...shopScenario((manager) => {
      const reconcile = async (request: NamespacedName): Promise<Result> => {
        const shop = await manager.client.find(Shop, request);
        return shop && !shop.metadata.deletionTimestamp ? work(manager, shop) : undefined;
      };
      manager.controllerFor(Shop).owns(ConfigMap).complete({ reconcile });
    }),
    steps: [applyShop("a", { size: 1 })],
  };
}

/** Orders take three minutes. */
const orders = external({
  state: () => new Map<string, number>(),
  handle({ method, url }, placed) {
    const name = url.split("/").at(-1)!;
    if (method === "PUT" && !placed.has(name)) placed.set(name, Date.now());
    return Response.json({ isDone: Date.now() - placed.get(name)! >= 180_000 });
  },
  leftover: () => [],
});

test("an operator that asks every five seconds for what takes minutes passes", async () => {
  const ordering = timed(async ({ client }, shop) => {
    if (shop.status?.size === 1) return undefined;
    const answer = await fetch(`http://orders/${shop.metadata.name}`, { method: "PUT" });
    const { isDone } = (await answer.json()) as { readonly isDone: boolean };
    if (!isDone) return { requeueAfter: "5s" };
    await client.patchStatus(Shop, shop, { size: 1 });
    return undefined;
  });
  const scenario: Scenario = {
    ...ordering,
    external: { orders },
    mayDiffer: ({ metadata }) => metadata.namespace === "orders",
  };
  const { runs, failure } = await explore(scenario, { seeds: 6 });
  expect(failure?.story).toBeUndefined();
  expect(runs).toBe(6);
});

test("an operator that numbers its renewals passes", async () => {
  const period = 600_000;
  const renewing = timed(async ({ client }, shop) => {
    const { name, namespace } = shop.metadata;
    const { data = {} } = (await client.find(ConfigMap, { namespace: "default", name })) ?? {};
    const left = Number(data["renewed"] ?? 0) + period - Date.now();
    if (left > 0) return { requeueAfter: `${left}ms` };
    const next = { renewed: String(Date.now()), serial: String(Number(data["serial"] ?? 0) + 1) };
    await client.apply(ConfigMap, { metadata: { name, namespace }, data: next }, { owner: shop });
    return undefined;
  });
  const { runs, failure } = await explore(renewing, { seeds: 6, shrinks: 0 });
  expect(failure?.story).toBeUndefined();
  expect(runs).toBe(6);
});

test("an operator that tries ten minutes later what failed in the hundred days passes", async () => {
  const period = 5 * 86_400_000;
  const renewing = timed(async ({ client }, shop) => {
    const left = (shop.status?.size ?? 0) + period - Date.now();
    if (left > 0) return { requeueAfter: `${left}ms` };
    try {
      await fetch("http://authority/order", { method: "PUT" });
      await fetch("http://authority/installation", { method: "PUT" });
    } catch {
      return { requeueAfter: "10m" };
    }
    await client.patchStatus(Shop, shop, { size: Date.now() });
    return { requeueAfter: `${period}ms` };
  });
  const authority = external({
    state: () => new Map<string, number>(),
    handle({ url }, made) {
      made.set(url, Date.now());
      return new Response("");
    },
    leftover: () => [],
  });
  const call = { fault: "call", process: "shop-0", with: "time-out", done: false, in: "months" } as const;
  // The hundred days end after the fourth renewal, whose last call fails.
  const faults = [{ ...call, call: 8 }];
  const failure = await examineScenario({ ...renewing, external: { authority }, faults });
  expect(failure?.story).toBeUndefined();
});

test("an operator that tries again what failed when everybody else had come to rest passes", async () => {
  const polling = timed(async ({ client }, shop) => {
    const { ok } = await fetch("http://weather/");
    const [colour, size] = [ok ? "sunny" : "unknown", shop.spec.size];
    const { namespace, name } = shop.metadata;
    await client.apply(ConfigMap, { metadata: { namespace, name }, data: { colour } }, { owner: shop });
    await client.patchStatus(Shop, shop, { size });
    if (!ok) throw new Error("the weather is unknown");
    return { requeueAfter: "598s" };
  });
  const weather = external({ state: () => ({}), handle: () => new Response("") });
  const call = {
    fault: "call",
    process: "shop-0",
    calls: "GET weather",
    with: "error",
    done: false,
  } as const;
  // An hour after the last change, whatever is still to come is left alone.
  const faults = [{ ...call, at: 3_580_000, for: 60_000 }];
  const failure = await examineScenario({ ...polling, external: { weather }, faults });
  expect(failure?.story).toBeUndefined();
});

test("an operator whose next step is due just when everybody else has come to rest passes", async () => {
  // Each reconcile takes a step, but the first two come an hour after one another; nothing else wakes the operator.
  const stepping = (manager: Manager): void =>
    void manager.controllerFor(Shop, { predicates: [generationChanged] }).complete({
      async reconcile(request) {
        const shop = await manager.client.find(Shop, request);
        if (!shop || shop.metadata.deletionTimestamp) return undefined;
        const { size = 0 } = shop.status ?? {};
        const left = Date.parse(shop.metadata.creationTimestamp) + 3_595_000 - Date.now();
        if (size === 1 && left > 0) return { requeueAfter: `${left}ms` };
        if (size < 3) await manager.client.patchStatus(Shop, shop, { size: size + 1 });
        return size < 3 ? { requeueAfter: "30s" } : undefined;
      },
    });
  const scenario = { ...shopScenario(stepping), steps: [applyShop("a", { size: 1 })] };
  // The restart comes in between.
  expect((await simulate(scenario)).state.list("Shop")).toMatchObject([{ status: { size: 2 } }]);
  expect((await examineScenario(scenario))?.story).toBeUndefined();
});

test("a rollout that pauses for an hour at each of four steps passes", async () => {
  const rolling = timed(async ({ client }, shop) => {
    const { size } = shop.spec;
    const { namespace, name } = shop.metadata;
    const map = await client.find(ConfigMap, { namespace, name });
    const { stable = String(size), step = "0" } = map?.data ?? {};
    if (map && Number(stable) === size) return undefined;
    const left = Number(map?.metadata.annotations?.["since"] ?? 0) + 3_600_000 - Date.now();
    if (left > 0) return { requeueAfter: `${left}ms` };
    const data =
      step === "4" ? { stable: String(size), step: "0" } : { stable, step: String(Number(step) + 1) };
    const metadata = { namespace, name, annotations: { since: String(Date.now()) } };
    await client.apply(ConfigMap, { metadata, data }, { owner: shop });
    return { requeueAfter: "1h" };
  });
  const steps = [applyShop("a", { size: 1 }), { ...applyShop("a", { size: 5 }), after: 1000 }];
  expect((await examineScenario({ ...rolling, steps }))?.story).toBeUndefined();
});

test("what is tried, given up and tried again has no end that could differ", async () => {
  const trying = timed(async ({ client }, shop) => {
    const { name, namespace } = shop.metadata;
    const map = await client.find(ConfigMap, { namespace: "default", name });
    const since = Number(map?.metadata.annotations?.["since"] ?? 0);
    const left = since + 60_000 - Date.now();
    if (left > 0) return { requeueAfter: `${left}ms` };
    const data = { image: map?.data?.["image"] === "new" ? "old" : "new" };
    const metadata = { name, namespace, annotations: { since: String(Date.now()) } };
    await client.apply(ConfigMap, { metadata, data }, { owner: shop });
    return { requeueAfter: "1m" };
  });
  const { runs, failure } = await explore(trying, { seeds: 8, shrinks: 0 });
  expect(failure?.story).toBeUndefined();
  expect(runs).toBe(8);
});

test("of many objects, no order is tried", async () => {
  const steps = ["a", "b", "c", "d", "e", "f", "g"].map((name) => applyShop(name, { size: 1 }));
  expect(await isOutcomeOfAnOrder({ ...shopScenario(), steps }, runOf([]))).toBe(false);
});
