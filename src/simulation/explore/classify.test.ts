import type { Manager, Stored } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { expect, test } from "vitest";
import { runOf } from "../../../e2e/support/simulation/simulated-run.ts";
import { applyShop, Shop, shopScenario, shopsThat } from "../../../e2e/support/simulation/simulated-shop.ts";
import type { Fault, MistakeClass, Step, TraceEvent } from "../contract/index.ts";
import { classify } from "./classify.ts";
import type { Finding } from "./examine.ts";
import { examineScenario, explore } from "./explore.ts";

const process = "shop-0";
const during = { process, at: 1000, for: 1000 };

/** Names a difference that is left when a scenario has only these faults. */
function classOf(
  faults: readonly Fault[],
  trace: readonly TraceEvent[] = [],
  steps = shopScenario().steps ?? [],
  found: Pick<Finding, "class" | "message"> = { class: "differs", message: "" },
): Promise<MistakeClass> {
  const scenario = { ...shopScenario(), steps, faults };
  const run = runOf(trace);
  return classify({
    ...found,
    lines: [],
    objects: [],
    scenario,
    run,
    compared: undefined,
    reference: undefined,
    differences: [],
  });
}

test.each([
  ["interrupted", { fault: "crash", process, write: 1, when: "at", down: 10 }],
  ["stale-view", { fault: "crash", process, write: 1, when: "at", down: 10, lag: 10 }],
  ["unretried", { fault: "refuse", process, request: 1, with: "time-out", done: false }],
  ["lost-answer", { fault: "refuse", process, request: 1, with: "time-out", done: true }],
  ["unretried", { fault: "call", process, call: 1, with: "error", done: false }],
  ["lost-answer", { fault: "call", process, call: 1, with: "error", done: true }],
  ["stale-view", { fault: "call", process, call: 1, with: "slow", done: true }],
  ["missed-event", { fault: "hold", ...during }],
  ["missed-event", { fault: "break", ...during }],
  ["missed-event", { fault: "expire", ...during }],
  ["unretried", { fault: "cut", ...during }],
  ["handover", { fault: "lease", ...during }],
  ["suspended", { fault: "suspend", ...during }],
  ["wrong-clock", { fault: "clock", ...during, by: 3_600_000 }],
  ["drift", { fault: "recreate-child", child: 0, at: 1000 }],
  ["unretried", { fault: "webhook", operator: "shop", at: 1000, for: 1000 }],
  ["stale-view", { fault: "webhook", operator: "shop", at: 1000, for: 1000, delay: 10 }],
  ["upgrade", { fault: "upgrade", operator: "shop", at: 1000 }],
  ["rollback", { fault: "rollback", operator: "shop", at: 1000, for: 1000 }],
] as const)("the class names the fault that was there: %s", async (name, fault: Fault) => {
  expect(await classOf([fault])).toBe(name);
});

test("an operator that tries again and fails for ever was interrupted; one that gives up never retried", async () => {
  const error = "deleting a was answered with 404";
  const log = { type: "log", process, level: "error", message: "Reconciler error", error } as const;
  const fault = { fault: "refuse", process, request: 1, with: "error", done: false } as const;
  const failing = (trace: readonly TraceEvent[]): Promise<MistakeClass> =>
    classOf([fault], trace, undefined, { class: "error", message: `${process}: Reconciler error: ${error}` });
  expect(await failing([{ ...log, at: 10 }])).toBe("unretried");
  expect(
    await failing([
      { ...log, at: 10 },
      { ...log, at: 20 },
    ]),
  ).toBe("interrupted");
});

test("two objects of one kind collide, an object and a Secret that it names don't", async () => {
  const secret = { apiVersion: "v1", kind: "Secret", metadata: { namespace: "default", name: "alpha" } };
  const [one, other] = [applyShop("a", { size: 1 }), applyShop("b", { size: 1 })];
  expect(await classOf([], [], [one, other])).toBe("collision");
  expect(await classOf([], [], [one, { do: "apply", object: secret }])).toBe("history");
});

test("a process that writes while its events are late acts on an old view", async () => {
  const write = (at: number, by: string): TraceEvent => ({
    at,
    type: "change",
    by,
    change: "ADDED",
    resource: "configmaps",
    key: "default/a",
    uid: "1",
    fields: [],
    owners: [undefined, undefined],
  });
  const hold: Fault = { fault: "hold", ...during };
  expect(await classOf([hold], [write(1500, process)])).toBe("stale-view");
  expect(await classOf([hold], [write(2500, process), write(1500, "user")])).toBe("missed-event");
});

test("what failed and was done later has been retried: the outcome depends on something else", async () => {
  const request = {
    type: "request",
    process,
    method: "PATCH",
    path: "/shops/a",
    kind: "PATCH Shop",
  } as const;
  const failed: TraceEvent = { ...request, at: 1500, body: "1", status: 500 };
  const done: TraceEvent = { ...failed, at: 2500, status: 200 };
  const refusal = { fault: "refuse", requests: "PATCH Shop", with: "error", done: false, ...during } as const;
  const steps = [applyShop("a", { size: 1 })];
  expect(await classOf([refusal], [failed], steps)).toBe("unretried");
  expect(await classOf([refusal], [failed, { ...done, body: "2" }], steps)).toBe("unretried");
  expect(await classOf([refusal], [failed, done], steps)).toBe("history");
  expect(await classOf([refusal], [failed, done, { ...failed, at: 3000 }], steps)).toBe("unretried");
  const call: TraceEvent = {
    type: "call",
    process,
    to: "dns",
    text: "PUT a",
    isChange: true,
    at: 1500,
    status: 429,
  };
  const cut: Fault = { fault: "cut", ...during };
  expect(await classOf([cut], [call], steps)).toBe("unretried");
  expect(await classOf([cut], [call, { ...call, status: 200 }], steps)).toBe("history");
});

test("a child that was put right has not drifted, though something else is wrong since", async () => {
  const edited: Fault = { fault: "edit-child", child: 0, at: 30_000 };
  const classFound = async (isMended: boolean): Promise<string | undefined> => {
    const setup = (manager: Manager): void =>
      void manager
        .controllerFor(Shop)
        .owns(ConfigMap)
        .complete({
          async reconcile({ namespace, name }) {
            const shop = await manager.client.find(Shop, { namespace, name });
            if (!shop) return;
            const map = await manager.client.find(ConfigMap, { namespace, name });
            const isStrange = map !== undefined && map.data?.["size"] !== "1";
            if (!map || isMended)
              await manager.client.apply(
                ConfigMap,
                { metadata: { namespace, name }, data: { size: "1" } },
                { owner: shop, force: true },
              );
            await manager.client.patchStatus(Shop, shop, { size: isStrange ? 2 : (shop.status?.size ?? 1) });
          },
        });
    const steps = [applyShop("a", { size: 1 })];
    return (await examineScenario({ ...shopScenario(setup), steps, faults: [edited] }))?.verdict.class;
  };
  expect([await classFound(true), await classFound(false)]).toEqual(["history", "drift"]);
});

test("what a restart finds to do was missed, is due by then, or is done at each start", async () => {
  const classFound = async (
    setup: (manager: Manager) => void,
    steps: readonly Step[] = [applyShop("a", { size: 1 })],
  ): Promise<string | undefined> => (await examineScenario({ ...shopScenario(setup), steps }))?.verdict.class;

  const settings = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { namespace: "default", name: "settings" },
  };
  const unwatched = (manager: Manager): void => {
    // Something is always due: rest, and with it the restart, comes an hour after all changes.
    setInterval(() => {}, 600_000).unref();
    manager.controllerFor(Shop).complete({
      async reconcile(request) {
        const shop = await manager.client.find(Shop, request);
        if (!shop) return;
        const found = await manager.client.find(ConfigMap, { namespace: "default", name: "settings" });
        await manager.client.patchStatus(Shop, shop, { size: found ? 1 : 0 });
      },
    });
  };
  const comesLater = [
    applyShop("a", { size: 1 }),
    { do: "settle" },
    { do: "apply", object: settings },
  ] as const;
  expect(await classFound(unwatched, comesLater)).toBe("missed-event");

  const unpolled = shopsThat(async ({ client }, shop) => {
    const isReady = Date.now() - Date.parse(shop.metadata.creationTimestamp) > 8000;
    await client.patchStatus(Shop, shop, { size: isReady ? 1 : 0 });
  });
  expect(await classFound(unpolled)).toBe("overdue");
  // Time passes until the second one is there, but the first waits for nothing else.
  expect(
    (
      await explore(
        {
          ...shopScenario(unpolled),
          steps: [applyShop("a", { size: 1 }), { ...applyShop("b", { size: 1 }), after: 60_000 } as Step],
        },
        { seeds: 1 },
      )
    ).failure?.verdict.class,
  ).toBe("overdue");

  const atEachStart = (manager: Manager): void => {
    const started = new Set<string>();
    const setUp = shopsThat(async ({ client }, shop) => {
      if (started.has(shop.metadata.uid)) return;
      started.add(shop.metadata.uid);
      await client.patchStatus(Shop, shop, { size: (shop.status?.size ?? 0) + 1 });
    });
    setUp(manager);
  };
  expect(await classFound(atEachStart)).toBe("hot-loop");
});

test("a fault that only moves what happens is not the cause", async () => {
  // What is written at first stays, and every third time it is wrong.
  const lucky = shopsThat(async ({ client }, shop) => {
    const { namespace, name } = shop.metadata;
    const isUnlucky = Math.floor(Date.now() / 10) % 3 === 0;
    if (!(await client.find(ConfigMap, { namespace, name }, { live: true })))
      await client.apply(
        ConfigMap,
        { metadata: { namespace, name }, data: { size: isUnlucky ? "0" : "1" } },
        { owner: shop, force: true },
      );
  });
  const steps = [{ ...applyShop("a", { size: 1 }), after: 5000 } as Step];
  const { failure } = await explore({ ...shopScenario(lucky), steps }, { seeds: 200 });
  expect(failure?.scenario.faults ?? []).toEqual([]);
  expect(failure?.verdict.class).toBe("history");
  expect((await examineScenario(failure!.scenario))?.story).toBe(failure!.story);
});

/** Makes a ConfigMap for each shop once, and calls it by something. */
const once = (nameOf: (shop: Shop) => string, setUp = shopsThat): ((manager: Manager) => void) =>
  setUp(async ({ client }, shop) => {
    const metadata = { namespace: shop.metadata.namespace, name: nameOf(shop) };
    const other = await client.find(ConfigMap, metadata, { live: true });
    const isOwn = other?.metadata.ownerReferences?.[0]?.uid === shop.metadata.uid;
    if (other && !isOwn) return;
    await client.apply(ConfigMap, { metadata, data: {} }, { owner: shop, force: true });
  });

test("a clock that is wrong is no process that died", async () => {
  const setup = shopsThat(async ({ client }, shop) => {
    const isNew = Date.now() - Date.parse(shop.metadata.creationTimestamp) < 600_000;
    const { namespace, name } = shop.metadata;
    if (isNew)
      await client.apply(
        ConfigMap,
        { metadata: { namespace, name }, data: {} },
        { owner: shop, force: true },
      );
  });
  const scenario = { ...shopScenario(setup), steps: [applyShop("a", { size: 1 })] };
  const clock: Fault = { fault: "clock", process, at: 0, for: 20_000, by: 3_600_000 };
  const failure = await examineScenario({ ...scenario, faults: [clock] });
  expect(failure?.verdict.class).toBe("wrong-clock");
  expect(failure?.story).not.toMatch(/\bdied\b|interrupted/);
});

test("the mildest fault that shows a mistake gives it its class", async () => {
  const shopsOnce =
    (work: (client: Manager["client"], shop: Stored<Shop>) => Promise<unknown>) => (manager: Manager) =>
      void manager.controllerFor(Shop).complete({
        async reconcile(request) {
          const shop = await manager.client.find(Shop, request);
          if (shop && !shop.metadata.deletionTimestamp && !shop.status) await work(manager.client, shop);
        },
      });
  const faults: Fault[] = [{ fault: "refuse", process, request: 1, with: "error", done: true }];
  const classFound = async (setup: (manager: Manager) => void): Promise<string | undefined> => {
    const scenario = { ...shopScenario(setup), steps: [applyShop("a", { size: 1 })], faults };
    return (await explore(scenario, { seeds: 1 })).failure?.verdict.class;
  };
  const made = (metadata: object) => ({ metadata, data: {} });
  // What a failure leaves undone stays undone, whether or not the request was carried out.
  const swallowed = shopsOnce(async (client, shop) => {
    try {
      for (const name of ["one", "two"])
        await client.apply(ConfigMap, made({ namespace: "default", name }), { owner: shop, force: true });
    } catch {
      // Nobody hears of it.
    }
    await client.patchStatus(Shop, shop, { size: 1 });
  });
  expect(await classFound(swallowed)).toBe("unretried");
  const doubled = shopsOnce(async (client, shop) => {
    await client.create(ConfigMap, made({ namespace: "default", generateName: "x-" }), { owner: shop });
    await client.patchStatus(Shop, shop, { size: 1 });
  });
  expect(await classFound(doubled)).toBe("lost-answer");
});

test("of objects that name the same thing, the first gets it: that is their order, and no collision", async () => {
  // Both want it in the end, but b had it while a wanted another one.
  const steps = [
    applyShop("a", { size: 1, colour: "blue" }),
    { do: "settle" },
    applyShop("b", { size: 1, colour: "red" }),
    { do: "settle" },
    applyShop("a", { size: 1, colour: "red" }),
  ] as const;
  const named = { ...shopScenario(once(({ spec }) => spec.colour!)), steps };
  const isKept = { mayStay: () => true };
  const { failure } = await explore({ ...named, ...isKept }, { seeds: 1, shrinks: 0 });
  expect(failure?.verdict.class).toBe("order");
  // Here a name that is cut is shared by objects that name nothing in common.
  const cut = { ...shopScenario(once(() => "cut")), steps };
  expect((await explore({ ...cut, ...isKept }, { seeds: 1 })).failure?.verdict.class).not.toBe("order");
});
