import type { NamespacedName, Result } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, test } from "vitest";
import { applyShop, Shop, shopScenario, shopsThat } from "../../../e2e/support/simulation/simulated-shop.ts";
import type { Fault, Scenario } from "../contract/index.ts";
import { judgeTrace } from "../verdicts/judge.ts";
import { simulate } from "./simulate.ts";

const scenarioOf = (work: Parameters<typeof shopsThat>[0], more: Partial<Scenario> = {}): Scenario => ({
  ...shopScenario(shopsThat(work)),
  steps: [applyShop("a", { size: 1 })],
  ...more,
});

const verdictsOf = async (scenario: Scenario): Promise<string[]> =>
  judgeTrace(await simulate(scenario), scenario).map(({ class: name, message }) => `${name}: ${message}`);

const children = (count: number): Scenario =>
  scenarioOf(async ({ client }, shop) => {
    const { namespace, name } = shop.metadata;
    for (let at = 0; at < count; at++) {
      const metadata = { namespace, name: `${name}-${at}` };
      if (!(await client.find(ConfigMap, metadata)))
        await client.create(ConfigMap, { metadata }, { owner: shop });
    }
  });

test("changes of many objects are no loop of one, up to the limit of all", async () => {
  expect(await verdictsOf({ ...children(30), limits: { changesOfObject: 10 } })).toEqual([]);
  expect((await verdictsOf({ ...children(30), limits: { changes: 20 } })).join()).toContain("hot-loop");
});

test("one object that changes without end is a loop", async () => {
  const loop = scenarioOf(
    ({ client }, shop) => client.patchStatus(Shop, shop, { size: (shop.status?.size ?? 0) + 1 }),
    { limits: { changesOfObject: 100 } },
  );
  expect((await verdictsOf(loop)).join()).toContain(
    "hot-loop: shop-0 changes status.size of shops.sim.dev default/a",
  );
});

test("a process that works without end and writes nothing is named, with its last request", async () => {
  const hanging = scenarioOf(async ({ client }) => {
    await client.with({ live: true }).list(ConfigMap, { namespace: "default" });
    await new Promise(() => {});
  });
  expect(await verdictsOf(hanging)).toEqual([
    expect.stringMatching(/^hang: shop-0 works without end, .*GET .*\/configmaps/),
  ]);
});

test("a process that tries in vain, again and again, to write the same may rest", async () => {
  const stubborn = shopScenario((manager) => {
    const { client } = manager;
    const reconcile = async (request: NamespacedName): Promise<Result> => {
      if (!(await client.find(Shop, request))) return;
      const metadata = { namespace: "default", name: "Not valid" };
      await expect(client.create(ConfigMap, { metadata })).rejects.toThrow("Invalid");
      return { requeueAfter: "10s" };
    };
    manager.controllerFor(Shop).complete({ reconcile });
  });
  expect(await verdictsOf({ ...stubborn, steps: [applyShop("a", { size: 1 })] })).toEqual([]);
});

test("a process that can't start is an error, not a loop", async () => {
  const failing = shopScenario(() => {
    throw new Error("no setup");
  });
  expect((await verdictsOf(failing)).join()).toMatch(/^error: shop-0: the process ended: no setup/);
});

test("a user who waits until the operators rest waits for slow ones", async () => {
  const slow = scenarioOf(
    async ({ client }, shop) => {
      await new Promise((resolve) => setTimeout(resolve, 180_000));
      await client.patchStatus(Shop, shop, { size: shop.spec.size });
    },
    {
      steps: [applyShop("a", { size: 1 }), { do: "settle" }, applyShop("b", { size: 1 })],
    },
  );
  const { trace } = await simulate(slow);
  const order = trace.flatMap((event) =>
    event.type === "step"
      ? [event.text]
      : event.type === "change" && event.fields.includes("status")
        ? [event.key]
        : [],
  );
  expect(order.slice(0, 3)).toEqual([
    "apply Shop.sim.dev/v1 default/a",
    "default/a",
    "apply Shop.sim.dev/v1 default/b",
  ]);
});

test("what somebody changes just before all would rest is still to be seen by the operators", async () => {
  const one = { ...shopScenario(), steps: [applyShop("a", { size: 1 })] };
  const { trace } = await simulate(one);
  const rest = trace.find(({ type }) => type === "phase")!.at;
  const faults: Fault[] = [{ fault: "edit-child", child: 0, at: rest - 0.1 }];
  const { state } = await simulate({ ...one, faults });
  expect(state.list("ConfigMap")).toMatchObject([{ data: { size: "1" } }]);
});
