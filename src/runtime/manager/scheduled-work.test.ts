import { FakeClock } from "@tsbuilder/apimachinery/time";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import { expect, onTestFinished, test } from "vitest";
import type { CallbackError } from "../callbacks/callbacks.ts";
import { TerminalError } from "../errors/api-error.ts";
import { createLogger } from "../log/logger.ts";
import { currentScope } from "../scope/scope.ts";
import { moveClock } from "../testing/move-clock.ts";
import { startTestManager } from "../testing/test-manager.ts";
import { type ScheduledWork, scheduledRunnable } from "./scheduled-work.ts";

const hour = 3_600_000;

/** Starts scheduled work at midnight of 1 January; records the hours at which it runs. */
function start(when: { every: "1h" } | { cron: string }, run: ScheduledWork["run"] = () => {}) {
  const clock = new FakeClock(Date.UTC(2030, 0, 1));
  const abort = new AbortController();
  const hours: number[] = [];
  const errors: CallbackError[] = [];
  const work: ScheduledWork = {
    name: "report",
    ...when,
    run(context) {
      hours.push((clock.now() - Date.UTC(2030, 0, 1)) / hour);
      return run(context);
    },
  };
  const runnable = scheduledRunnable(work, clock, (error) => void errors.push(error));
  const log = createLogger({ write() {} });
  const { signal } = abort;
  const ended = Promise.resolve(runnable.start({ signal, deadline: signal, log }));
  return { clock, hours, errors, abort, ended, runnable };
}

test("work with `every` runs at the start and again after each run, and stops with its signal", async () => {
  const { clock, hours, abort, ended, runnable } = start({ every: "1h" });
  await clock.advance(2.5 * hour);
  expect(hours).toEqual([0, 1, 2]);
  abort.abort();
  await ended;
  await clock.advance(9 * hour);
  expect(hours).toHaveLength(3);
  expect(clock.timers).toBe(0);
  expect(runnable).toMatchObject({ name: 'scheduled work "report"', needLeaderElection: undefined });
});

test("work with `every` doesn't notice that the computer's clock is set", async () => {
  class SettableClock extends FakeClock {
    offset = 0;
    override now(): number {
      return super.now() + this.offset;
    }
  }
  const clock = new SettableClock();
  const abort = new AbortController();
  let runs = 0;
  const work: ScheduledWork = { name: "report", every: "1h", run: () => void runs++ };
  const log = createLogger({ write() {} });
  const { signal } = abort;
  const ended = Promise.resolve(
    scheduledRunnable(work, clock, () => {}).start({ signal, deadline: signal, log }),
  );
  await clock.advance(hour / 2);
  clock.offset = -24 * hour;
  await clock.advance(hour / 2);
  expect(runs).toBe(2);
  clock.offset = 24 * hour;
  await clock.advance(hour - 1);
  expect(runs).toBe(2);
  abort.abort();
  await ended;
});

test("work with a cron expression runs at its times in UTC, even if one is a month ahead", async () => {
  const { clock, hours, abort, ended } = start({ cron: "0 3 1 * *" });
  await clock.advance(31 * 24 * hour + 3 * hour);
  expect(hours).toEqual([3, 31 * 24 + 3]);
  abort.abort();
  await ended;
});

test("a run that fails is reported, and the next one comes; one that takes long is not run twice", async () => {
  let count = 0;
  let finish = () => {};
  const { clock, hours, errors, abort, ended } = start({ every: "1h" }, () => {
    if (++count === 1) throw new Error("no idea");
    return new Promise((resolve) => (finish = resolve));
  });
  await clock.advance(3 * hour);
  expect(hours).toEqual([0, 1]);
  finish();
  await clock.advance(hour);
  expect(hours).toEqual([0, 1, 4]);
  expect(errors.map(({ callback, message }) => [callback, message])).toEqual([
    ["schedule", 'the scheduled work "report" failed: no idea'],
    ["schedule", 'the scheduled work "report" failed: it still runs after 300 s'],
  ]);
  abort.abort();
  finish();
  await ended;
});

test("a run has a scope: log fields, and a signal for client calls", async () => {
  const scopes: unknown[] = [];
  const { abort, ended } = start({ every: "1h" }, ({ signal }) => {
    const scope = currentScope();
    scopes.push(scope?.logFields?.(), scope?.calls?.signal === signal);
  });
  abort.abort();
  await ended;
  expect(scopes).toEqual([{ schedule: "report" }, true]);
});

test("of two managers, the one that holds the lease runs the work, and the other one takes over", async () => {
  const clock = new FakeClock();
  const cluster = await startTestCluster({ clock });
  onTestFinished(() => cluster.stop());
  const counts = [0, 0];
  const begin = (index: number) =>
    startTestManager(
      { kubeconfig: cluster.kubeconfig, clock, leaderElection: { id: "report", namespace: "default" } },
      (manager) => manager.schedule({ name: "report", every: "10s", run: () => void counts[index]!++ }),
    );
  const leader = await begin(0);
  const waiting = begin(1);
  await moveClock(clock, 25_000);
  expect(counts).toEqual([3, 0]);
  await leader.stop();
  await moveClock(clock, 5000);
  const follower = await waiting;
  expect(counts).toEqual([3, 1]);
  await follower.stop();
});

test.for([
  [{ every: "0s" }, 'every of scheduled work "x" is "0s": it must be positive'],
  [{ every: "often" }, "which is not a duration"],
  [{ cron: "at noon" }, 'cron of scheduled work "x": "at noon" is not a schedule'],
  [{}, "needs either every or cron"],
  [{ every: "1h", cron: "@daily" }, "needs either every or cron"],
] as const)("invalid times are rejected at once: %o", ([when, message]) => {
  const make = () =>
    scheduledRunnable(
      { name: "x", run() {}, ...when } as unknown as ScheduledWork,
      new FakeClock(),
      () => {},
    );
  expect(make).toThrow(message);
  expect(make).toThrow(TerminalError);
});
