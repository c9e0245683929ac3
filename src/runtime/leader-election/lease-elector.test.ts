import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import type { ClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import { startClusterUnderTest } from "../../../e2e/support/runtime/cluster-under-test.ts";
import { createClient } from "../client/live-client.ts";
import { loadConfig } from "../config/load-config.ts";
import { type Clock, FakeClock, formatMicroTime } from "@tsbuilder/apimachinery/time";
import { createLogger } from "../log/logger.ts";
import { Manager } from "../manager/manager.ts";
import { eventually } from "../testing/eventually.ts";
import { moveClock, moveClockUntil } from "../testing/move-clock.ts";
import { LeaseElector } from "./lease-elector.ts";
import { electionTiming } from "./lease-options.ts";
import { Lease } from "../k8s/coordination/v1.ts";

let cluster: ClusterUnderTest;
beforeAll(async () => {
  cluster = await startClusterUnderTest();
});
afterAll(() => cluster.stop());

const quick = { leaseDuration: "1500ms", renewDeadline: "1s", retryPeriod: "100ms" } as const;
const config = () => loadConfig({ kubeconfig: cluster.kubeconfig, env: {} });
let requests = 0;
const client = createClient(config, {
  fieldManager: "test",
  interceptors: [
    async (request, next) => {
      requests++;
      return next(request).finally(() => requests--);
    },
  ],
});
/** The server may be another process, whose answers this event loop can't see coming. */
const onServer = { isBusy: () => requests > 0 };
afterAll(() => client.close());

function makeElector(name: string, identity: string, clock: Clock) {
  const losses: Error[] = [];
  const elector = new LeaseElector({
    client,
    name,
    namespace: async () => "default",
    identity,
    timing: electionTiming({ id: name, ...quick }),
    releaseOnCancel: true,
    clock,
    log: createLogger({ write() {} }),
    events: { normal() {}, warning() {} },
  });
  elector.onLost = (error) => void losses.push(error);
  onTestFinished(() => elector.release());
  return { elector, losses };
}

const never = new AbortController().signal;
const leaseOf = (name: string) => client.get(Lease, { namespace: "default", name });

describe("LeaseElector", () => {
  test("once the lease is released, writes of this process are rejected", async () => {
    const { elector } = makeElector("given-away", "me", new FakeClock());
    elector.assertFresh();
    await elector.acquire(never);
    elector.assertFresh();
    await elector.release();
    expect(() => elector.assertFresh()).toThrow("the lease given-away was released");
  });

  test("of two processes with one identity, the one that finds the other's renewal stops leading, and names the identity", async () => {
    const clock = new FakeClock();
    const one = makeElector("twins", "pod-0", clock);
    await one.elector.acquire(never);
    await moveClock(clock, 30, onServer);
    const other = makeElector("twins", "pod-0", clock);
    await other.elector.acquire(never);
    await moveClock(clock, 100, onServer);
    expect(one.losses.map(({ message }) => message)).toEqual([
      'leader election lost: another process renews the lease as "pod-0", too: give each process an identity of its own, or omit leaderElection.identity',
    ]);
    await moveClock(clock, 5000, onServer);
    expect(other.losses).toEqual([]);
    expect(other.elector.isLeading).toBe(true);
    expect(one.elector.isLeading).toBe(false);
  });

  test.each([
    ["was restored with an earlier renewal", (earlier: string) => earlier],
    ["lost its time", () => null],
    ["has a time from before any election", () => "0001-01-01T00:00:00.000000Z"],
  ])("a leader whose lease %s renews it again", async (how, rewritten) => {
    const name = `rewritten-${how.replaceAll(" ", "-")}`;
    const clock = new FakeClock();
    const { elector, losses } = makeElector(name, "me", clock);
    await elector.acquire(never);
    const earlier = (await leaseOf(name)).spec!.renewTime!;
    await moveClock(clock, 200, onServer);
    expect((await leaseOf(name)).spec!.renewTime).not.toBe(earlier);
    await client.patch(Lease, await leaseOf(name), { merge: { spec: { renewTime: rewritten(earlier) } } });
    await moveClock(clock, 200, onServer);
    expect(losses).toEqual([]);
    expect(elector.isLeading).toBe(true);
    expect((await leaseOf(name)).spec).toMatchObject({
      holderIdentity: "me",
      renewTime: formatMicroTime(clock.now()),
      leaseTransitions: 0,
    });
  });

  test("a process that stops keeps the lease that another one of the same identity has renewed", async () => {
    const clock = new FakeClock();
    const one = makeElector("stopping-twin", "pod-0", clock).elector;
    await one.acquire(never);
    await moveClock(clock, 30, onServer);
    const other = makeElector("stopping-twin", "pod-0", clock);
    await other.elector.acquire(never);
    const { spec } = await leaseOf("stopping-twin");
    await one.release();
    expect((await leaseOf("stopping-twin")).spec).toEqual(spec);
    expect(other.elector.isLeading).toBe(true);
  });

  test("the record is the same as client-go's: holder, whole seconds, times with six digits, transitions", async () => {
    const clock = new FakeClock();
    const { elector } = makeElector("record", "me", clock);
    await elector.acquire(never);
    const { spec } = await leaseOf("record");
    const microTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
    expect(spec).toEqual({
      holderIdentity: "me",
      leaseDurationSeconds: 2,
      acquireTime: expect.stringMatching(microTime) as string,
      renewTime: expect.stringMatching(microTime) as string,
      leaseTransitions: 0,
    });
    await moveClock(clock, 100, onServer);
    const renewed = (await leaseOf("record")).spec;
    expect(renewed).toEqual({ ...spec, renewTime: formatMicroTime(clock.now()) });
  });

  test("a second elector leads as soon as the first released the lease", async () => {
    const clock = new FakeClock();
    const first = makeElector("handover", "first", clock).elector;
    const second = makeElector("handover", "second", clock).elector;
    await first.acquire(never);
    const waiting = second.acquire(never);
    await moveClock(clock, 10_000, onServer);
    expect([first.isLeading, second.isLeading]).toEqual([true, false]);
    await first.release();
    expect((await leaseOf("handover")).spec).toMatchObject({ leaseDurationSeconds: 1 });
    await moveClockUntil(clock, () => second.isLeading, onServer);
    await waiting;
    expect((await leaseOf("handover")).spec).toMatchObject({ holderIdentity: "second", leaseTransitions: 1 });
  });

  test("a lease that is no longer renewed is taken over, whatever times it contains", async () => {
    await client.create(Lease, {
      metadata: { name: "stale", namespace: "default" },
      spec: {
        holderIdentity: "dead",
        leaseDurationSeconds: 1,
        // The dead holder's clock was wrong: its times must not count.
        renewTime: "2099-01-01T00:00:00.000000Z",
        acquireTime: "2099-01-01T00:00:00.000000Z",
        leaseTransitions: 4,
      },
    });
    const clock = new FakeClock();
    const { elector } = makeElector("stale", "heir", clock);
    const acquired = elector.acquire(never);
    await moveClock(clock, 999, onServer);
    expect(elector.isLeading).toBe(false);
    await moveClock(clock, 250, onServer);
    await acquired;
    expect((await leaseOf("stale")).spec).toMatchObject({ holderIdentity: "heir", leaseTransitions: 5 });
  });

  test("a holder that finds another name in the lease stops at once", async () => {
    const clock = new FakeClock();
    const { elector, losses } = makeElector("stolen", "victim", clock);
    await elector.acquire(never);
    const lease = await leaseOf("stolen");
    await client.patch(Lease, lease, { merge: { spec: { holderIdentity: "thief" } } });
    await moveClock(clock, 100, onServer);
    expect(losses[0]?.message).toBe("leader election lost to thief");
    expect(() => elector.assertFresh()).toThrow(/ran out/);
    expect(elector.isLeading).toBe(false);
  });

  test("a stall that outlasts the lease is detected before the next write, even if no timer could fire", async () => {
    let offset = 0;
    const still = new FakeClock();
    const clock: Clock = {
      now: () => still.now(),
      monotonic: () => still.monotonic() + offset,
      setTimer: (run, milliseconds) => still.setTimer(run, milliseconds),
    };
    const { elector, losses } = makeElector("stalled", "sleeper", clock);
    elector.assertFresh();
    await elector.acquire(never);
    elector.assertFresh();
    offset = 2000;
    expect(() => elector.assertFresh()).toThrow(/ran out/);
    expect(losses).toHaveLength(1);
    expect(() => elector.assertFresh()).toThrow(/ran out/);
  });

  test("an election with invalid timing is rejected", () => {
    expect(() => electionTiming({ id: "x", leaseDuration: "10s", renewDeadline: "10s" })).toThrow(
      /longer than/,
    );
    expect(() => electionTiming({ id: "x", renewDeadline: "2s" })).toThrow(/retryPeriod/);
  });
});

test("an API outage longer than the renew deadline ends the manager at once", async () => {
  const own = await startTestCluster();
  const clock = new FakeClock();
  const manager = new Manager({
    name: "outage",
    clock,
    config: () => loadConfig({ kubeconfig: own.kubeconfig, env: {} }),
    logger: createLogger({ write() {} }),
    leaderElection: { id: "outage", namespace: "default", ...quick },
  });
  let isRunning = false;
  manager.add({
    name: "stubborn",
    start: () => {
      isRunning = true;
      return new Promise(() => {});
    },
  });
  const end = manager.start();
  await eventually(() => isRunning);
  await own.stop();
  let isOver = false;
  end.catch(() => (isOver = true));
  const since = clock.monotonic();
  await moveClockUntil(clock, () => isOver);
  expect(clock.monotonic() - since).toBeLessThan(1500);
  // No grace period for a runnable that ignores its signal: another process may already lead.
  await expect(end).rejects.toThrow(/could not be renewed in time/);
});

test("two processes: one leads, the other takes over when it is killed, and releases the lease when it ends", async () => {
  const folder = await mkdtemp(join(tmpdir(), "tsbuilder-election-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const kubeconfig = join(folder, "kubeconfig");
  const source = cluster.kubeconfig;
  await writeFile(kubeconfig, typeof source === "string" ? await readFile(source) : JSON.stringify(source));
  const code = `
    import { Manager } from "@tsbuilder/runtime";
    const manager = Manager.fromArgs({
      name: "twin",
      leaderElectionId: "twins",
      // Without a script's name in it, the list begins with the flags.
      argv: process.argv.slice(1),
      leaderElection: { retryPeriod: "100ms", identity: process.env.IDENTITY },
    });
    manager.add({ name: "teller", start: () => console.log("leading") });
    console.log("started");
    await manager.start();
    console.log("stopped");
  `;
  const startProcess = (identity: string) => {
    const child = spawn(
      process.execPath,
      [
        "--conditions=@tsbuilder/source",
        "--import",
        "tsx",
        "--input-type=module",
        "-e",
        code,
        "--",
        `--kubeconfig=${kubeconfig}`,
        "--leader-elect",
        "--leader-election-namespace=default",
        "--health-probe-bind-address=0",
      ],
      { env: { ...process.env, IDENTITY: identity }, stdio: ["ignore", "pipe", "pipe"] },
    );
    const lines: string[] = [];
    createInterface(child.stdout).on("line", (line) => lines.push(line));
    createInterface(child.stderr).on("line", (line) => lines.push(line));
    onTestFinished(() => void child.kill("SIGKILL"));
    return { child, lines };
  };
  const holder = async () =>
    (await client.find(Lease, { namespace: "default", name: "twins" }))?.spec?.holderIdentity;
  const first = startProcess("first");
  await eventually(() => first.lines.includes("leading"));
  const second = startProcess("second");
  await eventually(() => second.lines.some((line) => line.includes("Another process leads")));
  expect(second.lines).not.toContain("leading");

  first.child.kill("SIGKILL");
  await once(first.child, "exit");
  // Avoids waiting for fifteen seconds: what counts is the time since the lease was seen to change.
  await client.patch(
    Lease,
    { namespace: "default", name: "twins" },
    { merge: { spec: { leaseDurationSeconds: 1 } } },
  );
  await eventually(() => second.lines.includes("leading"));
  expect(await holder()).toBe("second");

  second.child.kill("SIGTERM");
  await eventually(() => second.lines.includes("stopped"));
  expect(await holder()).toBeFalsy();
});
