import type { DurationLike, Manager, Stored } from "@tsbuilder/runtime";
import { Deployment, StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import type { Pod } from "@tsbuilder/runtime/k8s/core/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { expect, test } from "vitest";
import { applyShop, Shop, shopScenario } from "../../../e2e/support/simulation/simulated-shop.ts";
import type { Fault, Run, Scenario, Step } from "../contract/index.ts";
import { drawFaults } from "../explore/draw-faults.ts";
import { examineScenario, explore } from "../explore/explore.ts";
import { Random } from "@tsbuilder/apimachinery/sample";
import { simulate } from "./simulate.ts";

/** Decides the size that a shop's status says, from its Deployment and the size that it said before; undefined leaves it. */
type Decide = (deployment: Stored<Deployment>, before: number) => number | undefined;

const readyPods: Decide = ({ status }) => status?.readyReplicas ?? 0;

/** Options of an operator that keeps a Deployment for each shop. */
interface Keeping {
  readonly decide?: Decide;
  /** Lets no pod be evicted. */
  readonly budget?: boolean;
  /** How often it looks, without being told. */
  readonly polls?: DurationLike;
}

const keepDeployments =
  ({ decide = readyPods, budget = false, polls }: Keeping) =>
  (manager: Manager): void => {
    const { client } = manager;
    manager
      .controllerFor(Shop)
      .owns(Deployment)
      .complete({
        async reconcile(metadata) {
          const shop = await client.find(Shop, metadata);
          if (!shop || shop.metadata.deletionTimestamp) return undefined;
          const { size: replicas, colour = "red" } = shop.spec;
          const labels = { shop: metadata.name };
          const selector = { matchLabels: labels };
          const containers = [{ name: "shop", image: `shop:${colour}` }];
          const spec = { replicas, selector, template: { metadata: { labels }, spec: { containers } } };
          const deployment = await client.apply(Deployment, { metadata, spec }, { owner: shop, force: true });
          const all = { selector, minAvailable: replicas };
          if (budget) await client.apply(PodDisruptionBudget, { metadata, spec: all }, { owner: shop });
          const size = decide(deployment, shop.status?.size ?? 0);
          if (size !== undefined) await client.patchStatus(Shop, shop, { size });
          return polls ? { requeueAfter: polls } : undefined;
        },
      });
  };

const controllers = ["deployment", "replicaset", "disruption", "scheduler", "node", "kubelet"] as const;

const scenarioOf = (options: Keeping = {}, faults: Fault[] = []): Scenario => ({
  ...shopScenario(keepDeployments(options)),
  controllers,
  steps: [
    applyShop("a", { size: 2 }),
    { ...applyShop("a", { size: 2, colour: "blue" }), after: 40_000 } as Step,
  ],
  faults,
});

/** Returns the times of the changes until everything rested that match. */
const timesOf = ({ trace }: Run, resource: string, change: string, field = ""): number[] =>
  trace
    .slice(
      0,
      trace.findIndex(({ type }) => type === "phase"),
    )
    .flatMap((event) =>
      event.type === "change" &&
      event.resource === resource &&
      event.change === change &&
      (field === "" || event.fields.includes(field))
        ? [event.at]
        : [],
    );

const podsIn = ({ state }: Run) => state.list("Pod") as readonly Pod[];

test("pods are scheduled, run, are ready and end one after the other, each in its time, and as before with the same seed", async () => {
  const run = await simulate(scenarioOf());
  const [created, bound, started] = [
    timesOf(run, "pods", "ADDED")[0]!,
    timesOf(run, "pods", "MODIFIED", "spec.nodeName")[0]!,
    timesOf(run, "pods", "MODIFIED", "status.phase")[0]!,
  ];
  const ready = timesOf(run, "shops.sim.dev", "MODIFIED", "status.size").at(0)!;
  const deleted = timesOf(run, "pods", "MODIFIED", "metadata.deletionTimestamp")[0]!;
  const gone = timesOf(run, "pods", "DELETED")[0]!;
  expect(bound).toBeGreaterThanOrEqual(created);
  expect(started).toBeGreaterThan(bound);
  expect(ready).toBeLessThan(started + 10_000);
  expect(gone).toBeGreaterThan(deleted);
  expect(podsIn(run).map(({ status }) => status?.phase)).toEqual(["Running", "Running"]);
  expect((await simulate(scenarioOf())).trace).toEqual(run.trace);
  expect((await simulate({ ...scenarioOf(), seed: 2 })).trace).not.toEqual(run.trace);
});

test.each([
  ["crash", { exitCode: 1, reason: "Error" }],
  ["oom", { exitCode: 137, reason: "OOMKilled" }],
] as const)("a pod that ends with %s starts again, and isn't ready for a while", async (how, terminated) => {
  const run = await simulate(scenarioOf({}, [{ fault: "pod", pod: 3, how, at: 110_000, for: 15_000 }]));
  const statuses = podsIn(run).flatMap(({ status }) => status?.containerStatuses ?? []);
  expect(statuses.map(({ restartCount }) => restartCount).toSorted((a, b) => a - b)).toEqual([0, 1]);
  expect(statuses.find(({ restartCount }) => restartCount === 1)).toMatchObject({
    ready: true,
    lastState: { terminated },
  });
  const [away, back] = timesOf(run, "shops.sim.dev", "MODIFIED", "status.size").slice(-2) as [number, number];
  expect(Math.round((back - away) / 1000)).toBe(15);
});

test("a pod whose probes fail isn't ready for a while", async () => {
  const run = await simulate(
    scenarioOf({}, [{ fault: "pod", pod: 3, how: "unready", at: 110_000, for: 12_000 }]),
  );
  const [away, back] = timesOf(run, "shops.sim.dev", "MODIFIED", "status.size").slice(-2) as [number, number];
  expect(Math.round(away / 1000)).toBe(110);
  expect(Math.round(back / 1000)).toBe(122);
});

test("an eviction is granted, and the pod replaced", async () => {
  const run = await simulate(
    scenarioOf({}, [{ fault: "pod", pod: 3, how: "evict", at: 110_000, for: 20_000 }]),
  );
  expect(timesOf(run, "pods", "ADDED").filter((at) => at >= 110_000)).toEqual([110_000]);
  expect(podsIn(run)).toHaveLength(2);
});

test("an eviction that a disruption budget forbids is refused", async () => {
  const fault = { fault: "pod", pod: 3, how: "evict", at: 110_000, for: 20_000 } as const;
  const run = await simulate(scenarioOf({ budget: true }, [fault]));
  expect(run.trace).toContainEqual(expect.objectContaining({ type: "fault" }));
  expect(timesOf(run, "pods", "ADDED").filter((at) => at >= 110_000)).toEqual([]);
});

test("the pods of a node that goes away for long are evicted, and start anew once it is back", async () => {
  const run = await simulate(scenarioOf({}, [{ fault: "node", at: 110_000, for: 400_000 }]));
  const created = timesOf(run, "pods", "ADDED").filter((at) => at >= 110_000);
  expect(created.length).toBe(2);
  expect(Math.min(...created)).toBeGreaterThanOrEqual(409_000);
  const sizes = timesOf(run, "shops.sim.dev", "MODIFIED", "status.size").filter((at) => at >= 110_000);
  expect(Math.round(sizes[0]! / 1000)).toBe(110);
  expect(sizes.at(-1)).toBeGreaterThan(510_000);
  expect(podsIn(run).map(({ status }) => status?.phase)).toEqual(["Running", "Running"]);
});

test("a fault strikes nothing where there is no such pod, and no node", async () => {
  const faults = [
    { fault: "pod", pod: 99, how: "crash", at: 100, for: 1000 },
    { fault: "node", at: 100, for: 1000 },
  ] as const;
  const { trace } = await simulate({ ...shopScenario(), steps: [applyShop("a", { size: 1 })], faults });
  expect(trace.filter(({ type }) => type === "fault")).toEqual([]);
});

test("faults of pods and nodes are drawn where there are pods", async () => {
  const drawnFor = (run: Run): Set<string> =>
    new Set(
      Array.from({ length: 200 }, (_, seed) => drawFaults(new Random(seed), run))
        .flat()
        .map((fault) => (fault.fault === "pod" ? fault.how : fault.fault)),
    );
  const withPods = drawnFor(await simulate(scenarioOf()));
  expect(["crash", "oom", "unready", "evict", "node"].filter((kind) => !withPods.has(kind))).toEqual([]);
  const withoutPods = drawnFor(await simulate({ ...shopScenario(), steps: [applyShop("a", { size: 1 })] }));
  expect(["oom", "unready", "evict", "node"].filter((kind) => withoutPods.has(kind))).toEqual([]);
});

/** Lets each shop have an image that doesn't exist, then one that does. */
const mended: readonly Step[] = [
  applyShop("a", { size: 2, colour: "1.999" }),
  { ...applyShop("a", { size: 2, colour: "2.0" }), after: 100_000 } as Step,
];

test("the pods of an image that doesn't exist never run, until the user mends it", async () => {
  const run = await simulate({ ...scenarioOf(), steps: mended });
  const started = timesOf(run, "pods", "MODIFIED", "status.phase");
  expect(started.length).toBe(2);
  expect(Math.min(...started)).toBeGreaterThan(100_000);
  expect(timesOf(run, "pods", "MODIFIED", "status.containerStatuses")[0]).toBeLessThan(10_000);
  expect(podsIn(run).map(({ spec }) => spec?.containers[0]?.image)).toEqual(["shop:2.0", "shop:2.0"]);
});

test("a StatefulSet, which waits for such a pod for ever, gets the image in the end", async () => {
  const setup = (manager: Manager): void => {
    manager
      .controllerFor(Shop)
      .owns(StatefulSet)
      .complete({
        async reconcile(metadata) {
          const shop = await manager.client.find(Shop, metadata);
          if (!shop || shop.metadata.deletionTimestamp) return;
          const labels = { shop: metadata.name };
          const containers = [{ name: "shop", image: `shop:${shop.spec.colour}` }];
          const template = { metadata: { labels }, spec: { containers } };
          const spec = {
            replicas: shop.spec.size,
            serviceName: "shop",
            selector: { matchLabels: labels },
            template,
          };
          await manager.client.apply(StatefulSet, { metadata, spec }, { owner: shop });
        },
      });
  };
  const run = await simulate({
    ...shopScenario(setup),
    controllers: ["statefulset", "scheduler", "node", "kubelet"],
    steps: mended,
  });
  const [waiting = 0] = timesOf(run, "pods", "MODIFIED", "status.containerStatuses");
  const [started = 0] = timesOf(run, "pods", "MODIFIED", "status.podIP");
  expect(waiting).toBeLessThan(10_000);
  expect(started).toBeGreaterThan(300_000);
  expect(podsIn(run).map(({ status }) => status?.phase)).toEqual(["Running", "Running"]);
  expect(podsIn(run).map(({ spec }) => spec?.containers[0]?.image)).toEqual(["shop:2.0", "shop:2.0"]);
});

test("nothing rests before a node is back, although operators that look from time to time have done so for long", async () => {
  const scenario = scenarioOf({ polls: "1m" });
  const { trace } = await simulate(scenario);
  const at = trace.find(({ type }) => type === "phase")!.at;
  const { state } = await simulate({ ...scenario, faults: [{ fault: "node", at, for: 400_000 }] });
  expect(state.list("Shop")).toMatchObject([{ status: { size: 2 } }]);
});

test("an operator that follows its pods is right, whatever happens to them", async () => {
  const { failure } = await explore(scenarioOf(), { seeds: 4 });
  expect(failure?.story).toBeUndefined();
});

test("an operator that takes a pod for lost that isn't ready for a while is found", async () => {
  const fault = { fault: "pod", pod: 3, how: "unready", at: 110_000, for: 5000 } as const;
  const decide: Decide = ({ status }, before) => {
    const ready = status?.readyReplicas ?? 0;
    return (before === 0 ? ready === 2 : ready < before) ? ready : undefined;
  };
  const failure = await examineScenario(scenarioOf({ decide }, [fault]));
  expect(failure?.verdict.message).toBe("Shop.sim.dev/v1 default/a: status.size is 1, not 2");
  expect(failure?.verdict.class).toBe("drift");
});

test("an operator may give up what isn't ready in time because its node is away", async () => {
  const outage = { fault: "node", at: 200_000, for: 400_000 } as const;
  const deciding = (decide: Decide): Scenario => ({
    ...scenarioOf({ decide, polls: "30s" }, [outage]),
    steps: [applyShop("a", { size: 2 })],
  });
  const trying = deciding(({ metadata, status }, before) => {
    if (before !== 0) return undefined;
    const available = status?.conditions?.find(({ type }) => type === "Available");
    const since = Date.parse(available?.lastTransitionTime ?? metadata.creationTimestamp);
    if (available?.status !== "True") return Date.now() - since >= 120_000 ? -1 : undefined;
    return Date.now() - Date.parse(metadata.creationTimestamp) >= 600_000 ? 1 : undefined;
  });
  expect((await simulate(trying)).state.list("Shop")).toMatchObject([{ status: { size: -1 } }]);
  expect((await examineScenario(trying))?.story).toBeUndefined();
  // Who takes for lost what has been ready doesn't give up: slow pods make no difference.
  const losing = deciding(({ status }, before) => {
    if (status?.readyReplicas === 2) return before || 1;
    return before === 0 ? undefined : -1;
  });
  expect((await examineScenario(losing))?.verdict.class).toBe("drift");
});
