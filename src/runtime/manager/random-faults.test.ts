import * as fc from "fast-check";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import type { LeaseRecord, Removals } from "../../../e2e/support/runtime/broken-process.ts";
import { BrokenProcess, ConfigMap } from "../../../e2e/support/runtime/broken-process.ts";
import { realKubeconfig } from "../../../e2e/support/runtime/cluster-under-test.ts";
import { schedulesOf, type Step, type Traffic } from "../../../e2e/support/runtime/fault-schedule.ts";
import { Namespace, useWidgetCluster, Widget } from "../../../e2e/support/runtime/widget-cluster.ts";
import { loadConfig } from "../config/load-config.ts";
import { eventually } from "../testing/eventually.ts";
import { moveClock, type MoveOptions, moveClockUntil } from "../testing/move-clock.ts";

const cluster = useWidgetCluster();

/** Jitter is random; a schedule that is run again must see the same. */
let jitter = 1;
beforeEach(() => {
  vi.spyOn(Math, "random").mockImplementation(
    () => (jitter = (jitter * 16_807) % 2_147_483_647) / 2_147_483_647,
  );
});
afterEach(() => {
  vi.restoreAllMocks();
});

let serial = 0;

/** A server in another process works while this one is idle. */
const isOutside = process.env[realKubeconfig] !== undefined;

/** Longer than all time limits and delays in a row: 75 s for a silent watch, 65 s for an answer, 30 s between tries. */
const longEnough = 600_000;

/**
 * Runs two processes of an operator while their connections break as the schedule says, and heals everything in the end.
 * A right operator then reconciles the last state of every object, writes nothing without holding the lease, comes to
 * rest once everything is as desired, and loses no worker, socket or timer.
 */
async function runSchedule(steps: readonly Step[]): Promise<void> {
  jitter = 1;
  const namespace = `faults-${serial++}`;
  await cluster.client.create(Namespace, { metadata: { name: namespace } });
  const clock = new FakeClock();
  const lease: LeaseRecord = { holder: "", strangers: [] };
  const removals: Removals = new Map();
  const config = await loadConfig({ kubeconfig: cluster.kubeconfig, env: {} });
  const processes = await Promise.all(
    ["a", "b"].map((name) => BrokenProcess.create(name, config, { namespace, clock, lease, removals })),
  );
  try {
    await followSchedule(steps, processes, { namespace, clock, removals });
    expect(lease.strangers).toEqual([]);
  } catch (error) {
    // Nothing is left for the smaller schedules that are tried next.
    await stopAll(processes, clock).catch(() => {});
    throw error;
  }
  await stopAll(processes, clock);
  expect(clock.timers).toBe(0);
}

async function followSchedule(
  steps: readonly Step[],
  processes: readonly BrokenProcess[],
  { namespace, clock, removals }: { namespace: string; clock: FakeClock; removals: Removals },
): Promise<void> {
  const { client } = cluster;
  const options: MoveOptions = isOutside ? { isBusy: () => processes.some((one) => one.isWaiting) } : {};
  const move = (milliseconds: number): Promise<void> => moveClock(clock, milliseconds, options);
  const set = ({ name, size }: { readonly name: string; readonly size: number }): Promise<unknown> =>
    client.apply(Widget, { metadata: { namespace, name }, spec: { size } });
  const startAll = (): void => {
    for (const process of processes) process.start();
  };
  startAll();
  await move(0);
  for (const step of steps) {
    if (step.do === "set") await set(step);
    else if (step.do === "crowd")
      await Promise.all(
        Array.from({ length: step.count }, (_, at) => set({ name: `n${at}`, size: step.size })),
      );
    else if (step.do === "work") processes[step.who]!.work = step.milliseconds;
    else if (step.do === "delete") await client.delete(Widget, { namespace, name: step.name });
    else if (step.do === "wait") await move(step.milliseconds);
    else if (step.do === "suspend") {
      processes[step.who]!.suspend();
      await move(step.milliseconds);
      await set(step);
      await move(0);
      await processes[step.who]!.resume();
    } else if (step.do === "connections") processes[step.who]!.proxy.connections = step.to;
    else if (step.do === "break") processes[step.who]!.break(step);
    else if (step.do === "cut") processes[step.who]!.proxy.cut();
    else processes[step.who]!.stop();
    await move(0);
    startAll();
  }
  for (const process of processes) process.heal();
  const sumOfWrites = (): number => processes.reduce((sum, { writes }) => sum + writes, 0);
  // A process that takes the lease only now may write once more what the last one wrote, or be refused to: its cache may
  // be older, and a watch that fell silent is noticed after 75 seconds.
  for (let changes = 0, before = -1; before !== sumOfWrites(); changes++) {
    expect(changes).toBeLessThan(12);
    await moveClockUntil(
      clock,
      async () => {
        startAll();
        await collectGarbage(namespace, removals);
        expect(await listBehind(namespace)).toEqual([]);
        expect(processes.every(({ isIdle }) => isIdle)).toBe(true);
      },
      { timeout: longEnough, ...options },
    );
    before = sumOfWrites();
    await move(10_000);
  }
}

async function stopAll(processes: readonly BrokenProcess[], clock: FakeClock): Promise<void> {
  for (const process of processes) {
    process.heal();
    process.stop();
  }
  await moveClockUntil(clock, () => processes.every(({ isRunning }) => !isRunning));
  await moveClock(clock, 0);
  // The kernel decides when the proxies learn of it.
  await eventually(() => expect(processes.map(({ proxy }) => proxy.open)).toEqual([0, 0]));
  await Promise.all(processes.map(({ proxy }) => proxy.close()));
}

/** A sentence for each object that is not as desired. */
async function listBehind(namespace: string): Promise<string[]> {
  const [widgets, maps] = await Promise.all([
    cluster.client.list(Widget, { namespace }),
    cluster.client.list(ConfigMap, { namespace }),
  ]);
  const sizes = new Map(maps.map(({ metadata, data }) => [metadata.name, data?.["size"]]));
  const wanted = new Map(widgets.map(({ metadata, spec }) => [metadata.name, String(spec.size)]));
  return [
    ...widgets.flatMap(({ metadata: { name, deletionTimestamp }, spec, status }) => {
      if (deletionTimestamp) return [`${name} is still being deleted`];
      return status?.ready === spec.size ? [] : [`${name} has status ${status?.ready}, not ${spec.size}`];
    }),
    ...[...wanted].flatMap(([name, size]) =>
      sizes.get(name) === size ? [] : [`ConfigMap ${name} has ${sizes.get(name)}, not ${size}`],
    ),
    ...[...sizes.keys()].flatMap((name) => (wanted.has(name) ? [] : [`ConfigMap ${name} is left over`])),
  ];
}

/**
 * Deletes ConfigMaps as the garbage collector would, which does not run here: those that were written for a Widget that
 * was gone already, by a process that had just taken the lease, with an older cache. One that a cleanup should have
 * deleted has an older revision, and stays.
 */
async function collectGarbage(namespace: string, removals: Removals): Promise<void> {
  const { client } = cluster;
  const [widgets, maps] = await Promise.all([
    client.list(Widget, { namespace }),
    client.list(ConfigMap, { namespace }),
  ]);
  const owners = new Set<string | undefined>(widgets.map(({ metadata }) => metadata.uid));
  for (const map of maps) {
    const { name, ownerReferences, resourceVersion } = map.metadata;
    const isOrphan = !owners.has(ownerReferences?.[0]?.uid);
    if (isOrphan && Number(resourceVersion) > (removals.get(name) ?? Infinity))
      await client.delete(ConfigMap, map);
  }
}

/** Schedules that have found a defect, of the runtime, a mutant or the model. */
const found: { readonly [traffic in Traffic]?: [readonly Step[]][] } = {
  watch: [
    [
      // A process whose watch had fallen silent took the lease, and was refused its writes until it noticed.
      [
        { do: "wait", milliseconds: 48_849 },
        { do: "break", who: 1, traffic: "watch", times: 1, fault: { type: "freeze", after: 712 } },
        { do: "wait", milliseconds: 26_151 },
        { do: "set", name: "a", size: 0 },
        { do: "set", name: "a", size: 2 },
        { do: "suspend", who: 0, milliseconds: 10_200, name: "a", size: 2 },
      ],
    ],
    [
      // A process whose cache did not know yet that a Widget was gone took the lease, and wrote its ConfigMap again.
      [
        { do: "break", who: 0, traffic: "watch", times: 4, fault: { type: "reset", after: 246 } },
        { do: "suspend", who: 0, milliseconds: 10_000, name: "b", size: 0 },
        { do: "break", who: 0, traffic: "watch", times: 1, fault: { type: "answer", status: 200, body: "" } },
        { do: "wait", milliseconds: 11_305 },
        { do: "connections", who: 0, to: "pass" },
        { do: "delete", name: "b" },
        { do: "break", who: 0, traffic: "watch", times: 1, fault: { type: "swallow" } },
        { do: "suspend", who: 1, milliseconds: 10_000, name: "a", size: 0 },
      ],
    ],
  ],
  write: [
    [
      // The answer to a write arrived while the process was suspended.
      [
        { do: "set", name: "a", size: 0 },
        {
          do: "break",
          who: 0,
          traffic: "write",
          times: 1,
          fault: { type: "slow", milliseconds: 1 },
        },
        { do: "set", name: "a", size: 1 },
        { do: "suspend", who: 0, milliseconds: 19_481, name: "a", size: 0 },
      ],
    ],
  ],
  lease: [
    [
      // A process that was suspended for longer than its lease lasts hears of a change first.
      [0, 1].map((who) => ({ do: "suspend", who, milliseconds: 25_000, name: "a", size: who + 1 }) as const),
    ],
    [
      // The lease was acquired at a fraction of a millisecond, which no Event could be named after.
      [
        { do: "break", who: 0, traffic: "lease", times: 8, fault: { type: "answer", status: 504 } },
        { do: "wait", milliseconds: 30_000 },
        { do: "set", name: "a", size: 4 },
      ],
    ],
  ],
};

test.each<Traffic>(["watch", "read", "write", "lease"])(
  "two processes converge after any faults, most of them of a %s, and only the holder of the lease writes",
  async (traffic) => {
    const { numRuns = 100 } = fc.readConfigureGlobal();
    const examples = found[traffic] ?? [];
    await fc.assert(fc.asyncProperty(schedulesOf(traffic), runSchedule), {
      // Each runs two managers for minutes of moved time.
      numRuns: Math.ceil(numRuns / 14) + examples.length,
      examples,
    });
  },
);
