import type { Manager } from "@tsbuilder/runtime";
import { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import { Event } from "@tsbuilder/runtime/k8s/events/v1";
import { expect, test } from "vitest";
import { applyShop, Shop, shopScenario } from "../../../e2e/support/simulation/simulated-shop.ts";
import type { Run, Scenario, SimulatedOperator } from "../contract/index.ts";
import { simulate } from "./simulate.ts";

/** Makes a pod for each shop, and says in the status how many Events there are, unless it reads none. */
function countEvents(manager: Manager, reads = true): void {
  const { client } = manager;
  manager.controllerFor(Shop).complete({
    async reconcile(metadata) {
      const shop = await client.find(Shop, metadata);
      if (!shop) return;
      const spec = { containers: [{ name: "shop", image: "shop:1" }] };
      const pod = await client.apply(Pod, { metadata, spec }, { owner: shop });
      if (pod.status?.phase !== "Running") return { requeueAfter: "1s" };
      const events = reads ? await client.list(Event, { live: true }) : [];
      await client.patchStatus(Shop, shop, { size: events.length });
    },
  });
}

const read = ["get", "list", "watch"];
const rules = [
  { apiGroups: ["sim.dev"], resources: ["*"], verbs: ["*"] },
  { apiGroups: [""], resources: ["pods"], verbs: ["*"] },
];

const scenarioWith = (operator: Partial<SimulatedOperator>): Scenario => ({
  ...shopScenario(),
  operators: [{ name: "shop", setup: (manager) => countEvents(manager), ...operator }],
  controllers: ["scheduler", "node", "kubelet"],
  steps: [applyShop("a", { size: 1 })],
});

test.each<Partial<SimulatedOperator>>([
  {},
  { rules: [...rules, { apiGroups: ["events.k8s.io"], resources: ["events"], verbs: read }] },
])("the cluster's controllers write Events for operators that may read them", async (operator) => {
  const { state } = await simulate(scenarioWith(operator));
  expect(state.list("Shop")).toMatchObject([{ status: { size: 1 } }]);
});

test("they write none if nobody may", async () => {
  const setup = (manager: Manager): void => countEvents(manager, false);
  const [all, few] = [
    await simulate(scenarioWith({ setup })),
    await simulate(scenarioWith({ setup, rules })),
  ];
  const changesIn = ({ trace }: Run): Run["trace"] =>
    trace
      .slice(
        0,
        trace.findIndex(({ type }) => type === "phase"),
      )
      .filter(({ type }) => type === "change");
  expect(changesIn(few)).toEqual(changesIn(all));
  expect(few.controllerWrites).toBeLessThan(all.controllerWrites);
});

test("a node renews its lease only for operators that may read leases", async () => {
  const setup = (manager: Manager): void => countEvents(manager, false);
  const writesWithin = async (
    milliseconds: number,
    operator: Partial<SimulatedOperator>,
  ): Promise<number> => {
    const steps = [applyShop("a", { size: 1 }), { ...applyShop("b", { size: 1 }), after: milliseconds }];
    return (await simulate({ ...scenarioWith({ setup, ...operator }), steps })).controllerWrites;
  };
  const leases = { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: read };
  expect(await writesWithin(600_000, { rules })).toBe(await writesWithin(60_000, { rules }));
  const reading = { rules: [...rules, leases] };
  expect(await writesWithin(600_000, reading)).toBeGreaterThan((await writesWithin(60_000, reading)) + 50);
});
