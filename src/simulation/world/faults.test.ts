import { isEqual } from "@tsbuilder/apimachinery/json";
import type { Manager } from "@tsbuilder/runtime";
import { ConfigMap } from "@tsbuilder/runtime/k8s/core/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { expect, test } from "vitest";
import {
  applyShop,
  atOnce,
  Shop,
  ShopReconciler,
  shopScenario,
  shopsThat,
} from "../../../e2e/support/simulation/simulated-shop.ts";
import type { Fault, Run, Scenario, Step } from "../contract/index.ts";
import { drawFaults } from "../explore/draw-faults.ts";
import { Random } from "@tsbuilder/apimachinery/sample";
import { resourceIn } from "./replica.ts";
import { simulate } from "./simulate.ts";

const one = atOnce({ ...shopScenario(), steps: [applyShop("a", { size: 1 })] });
const process = "shop-0";

/** A world whose operator writes while a shop is deleted. */
const finalized: Scenario = {
  ...shopScenario((manager) =>
    manager
      .controllerFor(Shop)
      .finalizer("example.com/done", async () => {})
      .complete(new ShopReconciler(manager)),
  ),
  steps: [applyShop("a", { size: 1 })],
};

const disturbedBy = (...faults: Fault[]): Promise<Run> => simulate({ ...one, faults });

/** Returns the changes by the process before the deletion phase, in which it may recreate objects that it does not know to be gone. */
const changesOf = ({ trace }: Run): string[] =>
  trace
    .slice(
      0,
      trace.findIndex(({ type }) => type === "phase"),
    )
    .flatMap((event) =>
      event.type === "change" && event.by === process ? [`${event.change} ${event.resource}`] : [],
    );

/** Returns the events until everything rested, without the fault itself. */
const pathOf = ({ trace }: Run): Run["trace"] =>
  trace
    .slice(
      0,
      trace.findIndex(({ type }) => type === "phase"),
    )
    .filter(({ type }) => type !== "fault");

test.each([
  ["before", 0],
  ["at", 1],
  ["after", 1],
] as const)(
  "a process that dies %s its first write leaves %d objects behind, and finishes later",
  async (when, left) => {
    const run = await disturbedBy({ fault: "crash", process, write: 1, when, down: 5000 });
    const died = run.trace.findIndex(({ type }) => type === "died");
    const before = run.trace
      .slice(0, died)
      .filter((event) => event.type === "change" && event.by === process);
    expect(before).toHaveLength(left);
    expect(run.state.list("Shop")[0]).toMatchObject({ status: { size: 1 } });
    expect(run.leftovers).toEqual([]);
  },
);

test("a process that starts again with a lagging view sees the world as it was", async () => {
  const fault = { fault: "crash", process, write: 1, when: "at", down: 100 } as const;
  const delayOf = ({ trace }: Run): number => {
    const at = trace.findLastIndex(({ type }) => type === "start");
    return trace.slice(at).find(({ type }) => type === "watch")!.at - trace[at]!.at;
  };
  expect(delayOf(await simulate({ ...one, faults: [fault] }))).toBeLessThan(1000);
  expect(delayOf(await simulate({ ...one, faults: [{ ...fault, lag: 20_000 }] }))).toBeGreaterThanOrEqual(
    20_000,
  );
});

test("a view may lag of one resource only", async () => {
  const fault = { fault: "crash", process, write: 1, when: "at", down: 100, lag: 20_000 } as const;
  const delaysOf = ({ trace }: Run): Map<string, number> => {
    const at = trace.findLastIndex(({ type }) => type === "start");
    const events = trace.slice(at).flatMap((event) => (event.type === "watch" ? [event] : []));
    // Of each, the last one is the first.
    return new Map(events.toReversed().map((event) => [resourceIn(event.path), event.at - trace[at]!.at]));
  };
  const edit = { fault: "edit-child", child: 0, at: 3000 } as const;
  const delays = delaysOf(await simulate({ ...one, faults: [{ ...fault, of: "shops" }, edit] }));
  expect(delays.get("shops")).toBeGreaterThanOrEqual(20_000);
  expect(delays.get("configmaps")).toBeLessThan(20_000);
  const held = { fault: "hold", process, at: 0, for: 5000, of: "configmaps" } as const;
  const first = ({ trace }: Run, resource: string): number =>
    trace.find((event) => event.type === "watch" && resourceIn(event.path) === resource)!.at;
  const run = await simulate({ ...one, faults: [held] });
  expect([first(run, "shops") < 5000, first(run, "configmaps") >= 5000]).toEqual([true, true]);
});

test.each<Fault>([
  { fault: "refuse", process, request: 1, with: "error", done: false },
  { fault: "refuse", process, request: 2, with: "time-out", done: true },
  { fault: "refuse", process, request: 2, with: "reset", done: true },
  { fault: "refuse", process, request: 3, with: "conflict", done: false },
  { fault: "refuse", process, request: 2, with: "too-many", done: false },
  { fault: "refuse", process, requests: "PATCH ConfigMap", at: 0, for: 5000, with: "error", done: false },
  {
    fault: "refuse",
    process,
    requests: "PATCH Shop/status",
    at: 0,
    for: 5000,
    with: "conflict",
    done: false,
  },
  { fault: "hold", process, at: 0, for: 5000 },
  { fault: "break", process, at: 2000, for: 1000 },
  { fault: "expire", process, at: 0, for: 3000 },
  { fault: "cut", process, at: 40, for: 20_000 },
  { fault: "suspend", process, at: 40, for: 20_000 },
  { fault: "clock", process, at: 40, for: 5000, by: 3_600_000 },
  { fault: "delete-child", child: 0, at: 3000 },
  { fault: "edit-child", child: 0, at: 3000 },
  { fault: "recreate-child", child: 0, at: 3000 },
])("a right operator is right after %o", async (fault) => {
  const [run, plain] = await Promise.all([disturbedBy(fault), simulate(one)]);
  // This operator looks at no date.
  expect(isEqual(pathOf(run), pathOf(plain))).toBe(fault.fault === "clock");
  expect(run.state.list("ConfigMap")).toMatchObject([{ data: { size: "1" } }]);
  expect(run.state.list("Shop")[0]).toMatchObject({ status: { size: 1 } });
  expect(run.leftovers).toEqual([]);
  expect(changesOf(run).filter((change) => change === "ADDED configmaps").length).toBe(
    fault.fault === "delete-child" ? 2 : 1,
  );
});

test("all requests of a kind fail for a while, and no others", async () => {
  const requests = "PATCH ConfigMap";
  const run = await disturbedBy({
    fault: "refuse",
    process,
    requests,
    at: 0,
    for: 5000,
    with: "error",
    done: false,
  });
  const failed = run.trace.filter((event) => event.type === "request" && event.status === 500);
  expect(failed.length).toBeGreaterThan(2);
  expect(new Set(failed.map((event) => event.type === "request" && event.kind))).toEqual(new Set([requests]));
  expect(Math.max(...failed.map(({ at }) => at))).toBeLessThanOrEqual(5000);
});

test("a fault of the deletion counts from its beginning", async () => {
  const inDeletion = { in: "deletion", process } as const;
  const run = await simulate({
    ...finalized,
    faults: [
      { ...inDeletion, fault: "crash", write: 1, when: "before", down: 500 },
      { ...inDeletion, fault: "hold", at: 3, for: 1000 },
    ],
  });
  const begin = run.trace.findIndex(({ type }) => type === "phase");
  const struck = run.trace.flatMap((event, at) =>
    event.type === "fault" ? [{ ...event, isLate: at > begin }] : [],
  );
  expect(struck.map(({ text, isLate }) => [text, isLate])).toEqual([
    ["in the deletion, events for shop-0 are held for 1000 ms", true],
    ["in the deletion, shop-0 dies before the server gets its write 1, and starts again after 500 ms", true],
  ]);
  expect(struck[0]!.at - run.trace[begin]!.at).toBe(3);
  expect(run.leftovers).toEqual([]);
});

test("a fault of the hundred days strikes there", async () => {
  const { trace } = await disturbedBy({ fault: "break", process, at: 86_400_000, for: 1000, in: "months" });
  const phases = trace.filter(({ type }) => type === "phase" || type === "fault");
  expect(phases.map((event) => (event.type === "phase" ? event.phase : event.type))).toEqual([
    "steps",
    "fault",
    "months",
    "late restart",
    "deletion",
  ]);
});

test("a process whose watches broke can't watch for a while", async () => {
  const steps: Scenario["steps"] = [
    applyShop("a", { size: 1 }),
    { ...applyShop("a", { size: 2 }), after: 10_000 } as Step,
  ];
  const run = await simulate({ ...one, steps, faults: [{ fault: "break", process, at: 5000, for: 20_000 }] });
  const seen = run.trace.filter(({ type, at }) => type === "watch" && at > 5000);
  expect(seen[0]!.at).toBeGreaterThanOrEqual(25_000);
  expect(run.state.list("ConfigMap")).toMatchObject([{ data: { size: "2" } }]);
});

test("somebody overwrites a number that the operator set in a spec, and the operator sets it again", async () => {
  const setup = (manager: Manager): void =>
    void manager
      .controllerFor(Shop)
      .owns(PodDisruptionBudget)
      .complete({
        async reconcile({ namespace, name }) {
          const shop = await manager.client.find(Shop, { namespace, name });
          const spec = { maxUnavailable: shop?.spec.size ?? 0, selector: { matchLabels: { name } } };
          const options = { owner: shop!, force: true };
          if (shop)
            await manager.client.apply(PodDisruptionBudget, { metadata: { namespace, name }, spec }, options);
        },
      });
  const { trace, state } = await simulate({
    ...shopScenario(setup),
    steps: [applyShop("a", { size: 1 })],
    faults: [{ fault: "edit-child", child: 0, at: 3000 }],
  });
  const budgets = trace.flatMap((event) =>
    event.type === "change" && event.resource === "poddisruptionbudgets.policy"
      ? [[event.by, event.fields]]
      : [],
  );
  expect(budgets.slice(0, 3)).toEqual([
    [process, []],
    ["user", ["spec.maxUnavailable"]],
    [process, ["spec.maxUnavailable"]],
  ]);
  expect(state.list("PodDisruptionBudget")).toMatchObject([{ spec: { maxUnavailable: 1 } }]);
});

test("a request that times out is told of without a status, when its client stops waiting", async () => {
  const faults: Fault[] = [{ fault: "refuse", process, request: 2, with: "time-out", done: true }];
  const { trace } = await simulate({ ...one, faults });
  const [began] = trace.filter(({ type }) => type === "fault");
  const unanswered = trace.filter((event) => event.type === "request" && event.status === 0);
  expect(unanswered).toMatchObject([{ process, method: "PATCH", at: began!.at + 65_000 }]);
});

test("somebody's edit that changes nothing is no fault", async () => {
  const bare = shopsThat(async ({ client }, { metadata: { namespace, name } }) => {
    await client.apply(ConfigMap, { metadata: { namespace, name } }, { force: true });
  });
  const faultsOf = async (scenario: Scenario): Promise<number> =>
    (await simulate(scenario)).trace.filter(({ type }) => type === "fault").length;
  const faults: Fault[] = [{ fault: "edit-child", child: 0, at: 3000 }];
  expect(await faultsOf({ ...one, faults })).toBe(1);
  expect(await faultsOf({ ...one, operators: [{ name: "shop", setup: bare }], faults })).toBe(0);
});

test("nobody's hands are on what has outlived its object on purpose", async () => {
  const keep = shopsThat(async ({ client }, { metadata: { namespace, name }, spec: { size } }) => {
    const metadata = { namespace, name: `${name}-data` };
    await client.apply(ConfigMap, { metadata, data: { size: String(size) } }, { force: true });
  });
  const mayStay: Scenario["mayStay"] = ({ kind }) => kind === "ConfigMap";
  const kept = { ...one, operators: [{ name: "shop", setup: keep }], mayStay };
  const [create] = one.steps!;
  const target = { apiVersion: "sim.dev/v1", kind: "Shop", namespace: "default", name: "a" };
  const steps: Step[] = [create!, { do: "delete", target, after: 2000 }];
  const faultsOf = async (scenario: Scenario): Promise<number> =>
    (await simulate(scenario)).trace.filter(({ type }) => type === "fault").length;
  for (const fault of ["edit-child", "delete-child"] as const) {
    const faults: Fault[] = [{ fault, child: 0, at: 4000 }];
    expect(await faultsOf({ ...kept, faults })).toBe(1);
    expect(await faultsOf({ ...kept, steps, faults })).toBe(0);
    expect(await faultsOf({ ...kept, mayStay: () => false, steps, faults })).toBe(1);
  }
});

test("a machine's date stays wrong when a process of it starts again", async () => {
  const dates: number[] = [];
  const look = shopsThat(async ({ client }, { metadata, spec: { size } }) => {
    dates.push(Date.now());
    const { namespace, name } = metadata;
    await client.apply(
      ConfigMap,
      { metadata: { namespace, name }, data: { size: `${size}` } },
      { force: true },
    );
  });
  await simulate({
    ...shopScenario(look),
    steps: [applyShop("a", { size: 1 }), { ...applyShop("a", { size: 2 }), after: 10_000 } as Step],
    faults: [
      { fault: "clock", process, at: 5000, by: 3_600_000, for: 60_000 },
      { fault: "crash", process, write: 2, when: "before", down: 500 },
    ],
  });
  const start = Date.UTC(2030, 0, 1);
  const [before, ...after] = dates.map((date) => Math.floor((date - start) / 3_600_000));
  expect(before).toBe(0);
  expect(after.length).toBeGreaterThan(1);
  expect(new Set(after)).toEqual(new Set([1]));
});

test("another process takes over when the leader dies", async () => {
  const operators = one.operators.map((operator) => ({ ...operator, replicas: 2 }));
  const leadersOf = ({ trace }: Run): string[] =>
    trace.flatMap((event) => (event.type === "leads" ? [event.process] : []));
  const [leader] = leadersOf(await simulate({ ...one, operators }));
  const crash: Fault = { fault: "crash", process: leader!, write: 2, when: "before", down: 60_000 };
  const run = await simulate({ ...one, operators, faults: [crash] });
  expect(new Set(leadersOf(run)).size).toBe(2);
  expect(run.state.list("Shop")[0]).toMatchObject({ status: { size: 1 } });
});

test("another process takes over when the leader can't renew its Lease, and the former one stops writing", async () => {
  const operators = one.operators.map((operator) => ({ ...operator, replicas: 2 }));
  const steps = [...(one.steps ?? []), { ...applyShop("a", { size: 2 }), after: 60_000 } as Step];
  const scenario: Scenario = { ...one, operators, steps };
  const plain = await simulate(scenario);
  const leader = plain.trace.find(({ type }) => type === "leads") as { readonly process: string };
  const lease: Fault = { fault: "lease", process: leader.process, at: 3000, for: 90_000 };
  const run = await simulate({ ...scenario, faults: [lease] });
  const writers = run.trace.flatMap((event) =>
    event.type === "change" && event.at > 40_000 && event.resource === "configmaps" ? [event.by] : [],
  );
  expect(writers[0]).not.toBe(leader.process);
  expect(run.trace.filter(({ type }) => type === "fault")).toHaveLength(1);
  expect(run.state.list("ConfigMap")).toMatchObject([{ data: { size: "2" } }]);
});

test("disturbed runs are the same when they are run again", async () => {
  const scenario = shopScenario();
  const plain = await simulate(scenario);
  for (let seed = 0; seed < 12; seed++) {
    const disturbed = { ...scenario, seed, faults: drawFaults(new Random(seed), plain) };
    const [first, second] = [await simulate(disturbed), await simulate(disturbed)];
    expect(JSON.stringify(second.trace)).toBe(JSON.stringify(first.trace));
  }
});

test("somebody who creates a child again gives it another uid, its owner, and the managers of its fields", async () => {
  const [run, plain] = await Promise.all([
    disturbedBy({ fault: "recreate-child", child: 0, at: 3000 }),
    simulate(one),
  ]);
  const uidOf = ({ state }: Run): string | undefined => state.list("ConfigMap")[0]?.metadata.uid;
  expect(uidOf(run)).not.toBe(uidOf(plain));
  const managersOf = ({ state }: Run) =>
    state.list("ConfigMap")[0]?.metadata.managedFields?.map(({ manager }) => manager);
  expect(managersOf(run)).toEqual(managersOf(plain));
  expect(run.trace).toContainEqual(
    expect.objectContaining({ type: "change", by: "user", change: "ADDED", resource: "configmaps" }),
  );
});

test("an operator is its former release until it is upgraded", async () => {
  const former = shopsThat(({ client }, { metadata: { namespace, name } }) =>
    client.apply(ConfigMap, { metadata: { namespace, name: `${name}-former` } }, { force: true }),
  );
  const [operator] = one.operators;
  const upgraded = { ...one, operators: [{ ...operator!, former: { setup: former } }] };
  const namesAfter = async (scenario: Scenario): Promise<unknown[]> =>
    (await simulate(scenario)).state.list("ConfigMap").map(({ metadata }) => metadata.name);
  expect(await namesAfter(upgraded)).toEqual(["a"]);
  // Longer than everything rests: the former release's outcome is not the end.
  for (const at of [1000, 200_000])
    expect(await namesAfter({ ...upgraded, faults: [{ fault: "upgrade", operator: "shop", at }] })).toEqual([
      "a",
      "a-former",
    ]);
});
