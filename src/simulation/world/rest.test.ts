import type { Manager, NamespacedName, Result, Stored } from "@tsbuilder/runtime";
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

/** An operator whose reconcile of each shop ends with this. */
const timed = (
  work: (manager: Manager, shop: Stored<Shop>) => Promise<Result>,
  more: Partial<Scenario> = {},
): Scenario => ({
  ...shopScenario((manager) => {
    const reconcile = async (request: NamespacedName): Promise<Result> => {
      const shop = await manager.client.find(Shop, request);
      return shop && !shop.metadata.deletionTimestamp ? work(manager, shop) : undefined;
    };
    manager.controllerFor(Shop).owns(ConfigMap).complete({ reconcile });
  }),
  steps: [applyShop("a", { size: 1 })],
  ...more,
});

/** Writes a date into the child of a shop. Returns the milliseconds since the date that was there before. */
async function ageOf({ client }: Manager, { metadata }: Stored<Shop>): Promise<number> {
  const child = await client.find(ConfigMap, { namespace: "default", name: metadata.name });
  return Date.now() - Date.parse(child?.data?.["renewed"] ?? "2000-01-01");
}

async function renew({ client }: Manager, shop: Stored<Shop>): Promise<void> {
  const { name, namespace } = shop.metadata;
  const data = { renewed: new Date().toISOString() };
  await client.apply(ConfigMap, { metadata: { name, namespace }, data }, { owner: shop });
}

const day = 86_400_000;

/** Renews after so many milliseconds, and says when it is due. */
const renewing = (lifetime: number): Scenario =>
  timed(async (manager, shop) => {
    const age = await ageOf(manager, shop);
    if (age >= lifetime) await renew(manager, shop);
    return { requeueAfter: `${age >= lifetime ? lifetime : lifetime - age}ms` };
  });

const renewalsIn = async (scenario: Scenario): Promise<number> => {
  const { trace } = await simulate(scenario);
  return trace.filter((event) => event.type === "change" && event.resource === "configmaps").length;
};

test("an operator that waits for a minute and a half comes to its end", async () => {
  const waiting = timed(async ({ client }, shop) => {
    const { size = 0 } = shop.status ?? {};
    if (size < 5) await client.patchStatus(Shop, shop, { size: size + 1 });
    return size < 5 ? { requeueAfter: "90s" } : undefined;
  });
  expect(await verdictsOf(waiting)).toEqual([]);
  expect((await simulate(waiting)).state.list("Shop")).toMatchObject([{ status: { size: 5 } }]);
});

test.each([50_000, 3_600_000, day, 59 * day])(
  "a renewal after %d ms takes place, and is no loop",
  async (lifetime) => {
    expect(await verdictsOf(renewing(lifetime))).toEqual([]);
    expect(await renewalsIn(renewing(lifetime))).toBeGreaterThan(2);
  },
);

test("a renewal that an hourly look at a date decides takes place in time", async () => {
  const ages: number[] = [];
  const looking = timed(async (manager, shop) => {
    const age = await ageOf(manager, shop);
    if (age >= 60 * day) await renew(manager, shop);
    ages.push(age);
    return { requeueAfter: "1h" };
  });
  expect(await verdictsOf(looking)).toEqual([]);
  const due = ages.filter((age) => age >= 60 * day && age < 1000 * day);
  expect(due).toEqual([expect.any(Number)]);
  expect(due[0]).toBeLessThan(90 * day);
  expect(ages.length).toBeLessThan(150);
});

test("what an hourly look begins in the hundred days is done in time, however often it has begun before", async () => {
  const ordering = timed(async ({ client }, shop) => {
    const { size: done = 0, observedGeneration: begun = 0 } = shop.status ?? {};
    const now = Date.now();
    if (begun === 0) {
      if (now - done > day) await client.patchStatus(Shop, shop, { observedGeneration: now });
      return { requeueAfter: "1h" };
    }
    if (now - begun > 600_000) throw new Error("it took too long");
    if (now - begun > 180_000) await client.patchStatus(Shop, shop, { size: now, observedGeneration: 0 });
    return { requeueAfter: "30s" };
  });
  expect(await verdictsOf(ordering)).toEqual([]);
});

test("thirty changes of one object, a minute and a half after one another, come to their end", async () => {
  const stepping = timed(async ({ client }, shop) => {
    const { size = 0, observedGeneration: last = 0 } = shop.status ?? {};
    const left = last + 90_000 - Date.now();
    if (size === 30) return undefined;
    if (left > 0) return { requeueAfter: `${left}ms` };
    await client.patchStatus(Shop, shop, { size: size + 1, observedGeneration: Date.now() });
    return undefined;
  });
  expect(await verdictsOf(stepping)).toEqual([]);
  expect((await simulate(stepping)).state.list("Shop")).toMatchObject([{ status: { size: 30 } }]);
});

test("a renewal that nothing is due for is found", async () => {
  const forgetful = timed(async (manager, shop) => {
    if ((await ageOf(manager, shop)) >= 60 * day) await renew(manager, shop);
    return undefined;
  });
  expect(await verdictsOf(forgetful)).toEqual([
    "overdue: nothing happens for a hundred days, but after a restart shop-0 changes data.renewed of configmaps default/a",
  ]);
});

test("an error in what is done after minutes, or after weeks, is found", async () => {
  for (const wait of ["10m", "480h"] as const) {
    const throwing = timed(async (manager, shop) => {
      const age = await ageOf(manager, shop);
      if (age > 365 * day) await renew(manager, shop);
      else if (age > 100_000) throw new Error("nobody tried this");
      return { requeueAfter: wait };
    });
    expect((await verdictsOf(throwing)).join()).toContain("nobody tried this");
  }
});

test("an operator that tries again for two minutes until it is let in is right", async () => {
  const start = Date.UTC(2030, 0, 1);
  const refused = timed(
    async ({ client }, shop) => {
      if (Date.now() - start < 120_000) throw new Error("429: try again");
      await client.patchStatus(Shop, shop, { size: shop.spec.size });
      return undefined;
    },
    { faults: [{ fault: "cut", process: "shop-0", at: 0, for: 100 }] },
  );
  expect((await simulate(refused)).state.list("Shop")).toMatchObject([{ status: { size: 1 } }]);
});

test("renewals every five seconds are a loop; every half minute, they are not", async () => {
  const loop = { ...renewing(5000), limits: { changesOfObject: 50 } };
  expect((await verdictsOf(loop)).join()).toContain("hot-loop: shop-0 changes data.renewed");
  expect(await verdictsOf(renewing(30_000))).toEqual([]);
});

test("several processes with a lease may renew every half minute, too", async () => {
  const elected = renewing(30_000);
  const operators = elected.operators.map((operator) => ({ ...operator, replicas: 2 }));
  expect(await verdictsOf({ ...elected, operators })).toEqual([]);
});

/** Waits until a shop is so many seconds old, and looks again after this time, or when it is due. */
const waitingFor = (seconds: number, period?: `${number}s`): Scenario =>
  timed(async ({ client }, shop) => {
    const left = seconds * 1000 + Date.parse(shop.metadata.creationTimestamp) - Date.now();
    if (left > 0) return { requeueAfter: period ?? `${left}ms` };
    if (shop.status?.size !== 1) await client.patchStatus(Shop, shop, { size: 1 });
    return undefined;
  });

test.each([
  [70, "5s"],
  [200, "2s"],
  [1500, "9s"],
] as const)(
  "what takes %d s belongs to the outcome if an operator looks every %s, too",
  async (seconds, period) => {
    const scenario = waitingFor(seconds, period);
    expect(await verdictsOf(scenario)).toEqual([]);
    expect((await simulate(scenario)).state.list("Shop")).toMatchObject([{ status: { size: 1 } }]);
  },
);

test("an operator that looks every five seconds for ever comes to its end, after the hundred days", async () => {
  const polling = timed(async () => ({ requeueAfter: "5s" }));
  expect(await verdictsOf(polling)).toEqual([]);
  expect((await simulate(polling)).duration).toBeGreaterThan(100 * day);
});

test.each([80, 200, 500])("several processes with a lease may wait for %d s", async (seconds) => {
  const waiting = waitingFor(seconds);
  const scenario = {
    ...waiting,
    operators: waiting.operators.map((operator) => ({ ...operator, replicas: 2 })),
  };
  expect(await verdictsOf(scenario)).toEqual([]);
  expect((await simulate(scenario)).state.list("Shop")).toMatchObject([{ status: { size: 1 } }]);
});

test("an object an hour under a name that was never used before is no loop", async () => {
  const letters = (): string =>
    Array.from({ length: 8 }, () => "bcdfghjklmnp"[Math.floor(Math.random() * 12)]).join("");
  const backingUp = timed(async ({ client }, shop) => {
    const left = (shop.status?.size ?? 0) + 3_600_000 - Date.now();
    if (left > 0) return { requeueAfter: `${left}ms` };
    const [former, ...others] = await client.with({ live: true }).list(ConfigMap, { namespace: "default" });
    if (former && others.length > 2) await client.delete(ConfigMap, former);
    await client.create(ConfigMap, { metadata: { namespace: "default", name: letters() } }, { owner: shop });
    await client.patchStatus(Shop, shop, { size: Date.now() });
    return { requeueAfter: "1h" };
  });
  expect(await verdictsOf(backingUp)).toEqual([]);
});

test("what takes minutes belongs to the outcome if a loop beside the reconciles asks several times a second, too", async () => {
  const start = Date.UTC(2030, 0, 1);
  const asking = shopScenario((manager) => {
    manager.controllerFor(Shop).complete({ reconcile: async () => {} });
    manager.add({
      name: "asking",
      async start() {
        for (;;) {
          await new Promise((resolve) => setTimeout(resolve, 300));
          const shops = await manager.client.with({ live: true }).list(Shop);
          for (const shop of shops)
            if (shop.status?.size !== 1 && Date.now() - start > 180_000)
              await manager.client.patchStatus(Shop, shop, { size: 1 });
        }
      },
    });
  });
  const scenario = { ...asking, steps: [applyShop("a", { size: 1 })] };
  expect(await verdictsOf(scenario)).toEqual([]);
  expect((await simulate(scenario)).state.list("Shop")).toMatchObject([{ status: { size: 1 } }]);
});

test("a ticking timer doesn't hide what is due in weeks", async () => {
  const both = timed(async (manager, shop) => {
    const age = await ageOf(manager, shop);
    if (age >= 30 * day) await renew(manager, shop);
    return { requeueAfter: `${age >= 30 * day ? 30 * day : 30 * day - age}ms` };
  });
  const [operator] = both.operators;
  const setup = (manager: Manager): unknown => {
    setInterval(() => {}, 15_000);
    return operator!.setup(manager);
  };
  expect(await renewalsIn({ ...both, operators: [{ ...operator!, setup: setup as never }] })).toBeGreaterThan(
    2,
  );
});
