import { type Clock, FakeClock, type Participant } from "@tsbuilder/apimachinery/time";
import { controllerNames } from "@tsbuilder/cluster";
import { startTestCluster } from "@tsbuilder/cluster/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { pods } from "../control-loop/api/core.ts";
import { daemonSets } from "../kinds/apps/daemon-set/daemon-set.ts";
import { deployments } from "../kinds/apps/deployment/deployment.ts";
import { statefulSets } from "../kinds/apps/stateful-set/stateful-set-controller.ts";
import { jobs } from "../kinds/batch/job/job-progress.ts";
import { clusterObjects } from "../registry/cluster-objects.ts";

/** How long the machine is busy with other things, once: longer than anything here takes. */
const pause = 6000;
/** All deadlines have passed long before, also after the pause. */
const seconds = 60;
/** The looks of a second that count as its last. */
const lastLooks = 8;

/** A clock on which time passes between two looks at it, as it does on a busy machine. */
class PausingClock implements Clock {
  readonly #fake = new FakeClock();
  readonly #pauseAt: number;
  #looks = 0;

  /** The pause comes before a look. Default: never. */
  constructor(pauseAt = Number.POSITIVE_INFINITY) {
    this.#pauseAt = pauseAt;
  }

  /** The number of looks until now. */
  get looks(): number {
    return this.#looks;
  }

  now(): number {
    this.#looks++;
    return this.#fake.now() + this.#paused();
  }

  monotonic(): number {
    return this.#fake.monotonic() + this.#paused();
  }

  setTimer(run: () => void, milliseconds: number): () => void {
    return this.#fake.setTimer(run, milliseconds);
  }

  join(participant: Participant): () => void {
    return this.#fake.join(participant);
  }

  advance(milliseconds: number): Promise<void> {
    return this.#fake.advance(milliseconds);
  }

  #paused(): number {
    return this.#looks >= this.#pauseAt ? pause : 0;
  }
}

const containers = [{ name: "web", image: "web:1" }];
const workload = (kind: string, spec: object = {}) => {
  const labels = { app: kind };
  return {
    apiVersion: "apps/v1",
    kind,
    metadata: { name: kind.toLowerCase(), namespace: "default" },
    spec: {
      minReadySeconds: 3,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
      ...spec,
    },
  };
};
const job = (name: string, spec: object) => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name, namespace: "default" },
  spec: { template: { spec: { restartPolicy: "Never", containers } }, ...spec },
});

test.each(await choosePauses())(
  "controllers miss nothing when the machine is busy for 6 s before look %i at the clock",
  async (pauseAt) => {
    const errors: unknown[] = [];
    const clock = new PausingClock(pauseAt);
    const cluster = await startWorkloads(clock, (error) => errors.push(error));
    const objects = clusterObjects(cluster.core);
    try {
      for (let second = 0; second < seconds; second++) await clock.advance(1000);
      const all = [...objects.list(deployments), ...objects.list(statefulSets)].map(
        ({ status }) => status?.availableReplicas,
      );
      expect([...all, objects.list(daemonSets)[0]!.status?.numberAvailable]).toEqual([3, 2, 1]);
      const ends = objects
        .list(jobs)
        .map(({ metadata, status }) => [
          metadata.name,
          status?.conditions?.findLast(({ status: is }) => is === "True")?.type,
        ]);
      expect(Object.fromEntries(ends)).toEqual({ done: "Complete", late: "Failed" });
      expect(objects.get(pods, "default", "late")).toMatchObject({ status: { reason: "DeadlineExceeded" } });
      expect(errors).toEqual([]);
    } finally {
      await cluster.stop();
    }
  },
);

/**
 * Chooses the looks before which the clock pauses: each second one of the last in a second, and others at equal
 * distances, as many as a property has cases; `.ci/run` tries all of them. A pause does harm only when nothing makes a
 * controller look again, so mostly before the cluster comes to rest. Where one did harm, it did so before two looks
 * in a row or more.
 */
async function choosePauses(): Promise<readonly number[]> {
  const { numRuns = 100 } = fc.readConfigureGlobal();
  const clock = new PausingClock();
  const cluster = await startWorkloads(clock);
  const last: number[] = [];
  for (let second = 0; second < seconds; second++) {
    const before = clock.looks;
    await clock.advance(1000);
    for (let look = clock.looks; look > Math.max(before, clock.looks - lastLooks); look -= 2) last.push(look);
  }
  await cluster.stop();
  const distance = Math.max(2, Math.ceil(clock.looks / Math.max(1, numRuns / 2 - last.length)));
  const others = Array.from({ length: Math.ceil(clock.looks / distance) }, (_, index) => index * distance);
  return [...new Set([...last, ...others])].toSorted((a, b) => a - b);
}

/** Starts a cluster with objects whose controllers wait for a time. */
async function startWorkloads(clock: PausingClock, onError?: (error: unknown) => void) {
  const cluster = await startTestCluster({
    clock,
    connectionClock: new FakeClock(),
    controllers: controllerNames,
    ...(onError && { onError }),
  });
  await cluster.install(
    workload("Deployment", { replicas: 3 }),
    workload("StatefulSet", { replicas: 2, serviceName: "web" }),
    workload("DaemonSet"),
    job("done", { completions: 4, parallelism: 2 }),
    job("late", {
      activeDeadlineSeconds: 5,
      template: {
        spec: { restartPolicy: "OnFailure", containers, schedulingGates: [{ name: "never" }] },
      },
    }),
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "late", namespace: "default" },
      spec: { containers, activeDeadlineSeconds: 4 },
    },
  );
  return cluster;
}
