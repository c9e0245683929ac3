import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { FakeClock, formatTime } from "@tsbuilder/apimachinery/time";
import { clusterObjects } from "../../../registry/cluster-objects.ts";
import { type CronJob, cronJobs } from "./cron-job-controller.ts";
import { type Job, jobs } from "../job/job-progress.ts";
import { eventually } from "../../../../../e2e/support/eventually.ts";

let cluster: TestCluster;
let clock: FakeClock;
beforeEach(async () => {
  clock = new FakeClock(new Date("2030-01-01T00:00:30Z"));
  cluster = await startTestCluster({ controllers: ["cronjob", "garbagecollector"], clock });
});
afterEach(() => cluster.stop());

const tick = (spec: object = {}) => ({
  apiVersion: "batch/v1",
  kind: "CronJob",
  metadata: { name: "tick", namespace: "default" },
  spec: {
    schedule: "* * * * *",
    jobTemplate: {
      spec: {
        template: { spec: { restartPolicy: "Never", containers: [{ name: "tick", image: "tick:1" }] } },
      },
    },
    ...spec,
  },
});

const objects = () => clusterObjects(cluster.core);
const read = () => objects().get(cronJobs, "default", "tick") as CronJob;
const listJobs = () => objects().list(jobs, "default");
const minute = 60_000;

/** Lets the controller reconcile the CronJob before the clock advances. */
async function install(spec?: object): Promise<void> {
  await cluster.install(tick(spec));
  await new Promise((resolve) => setImmediate(resolve));
}

async function complete(job: Job): Promise<void> {
  const stamp = formatTime(clock.now());
  const conditions = ["SuccessCriteriaMet", "Complete"].map((type) => ({
    type,
    status: "True" as const,
    lastProbeTime: stamp,
    lastTransitionTime: stamp,
  }));
  const status = { startTime: stamp, completionTime: stamp, succeeded: 1, conditions };
  await objects().update("tester", { ...job, status }, "status");
}

describe("cronJobController()", () => {
  it("starts a Job at each scheduled time", async () => {
    await install();
    expect(listJobs()).toEqual([]);
    await clock.advance(minute);
    await eventually(() => expect(listJobs()).toHaveLength(1));
    expect(listJobs()[0]).toMatchObject({
      metadata: {
        name: `tick-${Date.parse("2030-01-01T00:01:00Z") / minute}`,
        annotations: { "batch.kubernetes.io/cronjob-scheduled-timestamp": "2030-01-01T00:01:00Z" },
        ownerReferences: [{ kind: "CronJob", name: "tick", controller: true }],
      },
    });
    await eventually(() =>
      expect(read().status).toMatchObject({
        lastScheduleTime: "2030-01-01T00:01:00Z",
        active: [{ kind: "Job", namespace: "default" }],
      }),
    );
  });

  it("starts nothing while suspended", async () => {
    await install({ suspend: true });
    await clock.advance(3 * minute);
    await new Promise((resolve) => setImmediate(resolve));
    expect(listJobs()).toEqual([]);
  });

  it.each([
    ["Allow", 2],
    ["Forbid", 1],
    ["Replace", 1],
  ])(
    "after two scheduled times with concurrencyPolicy %s, the number of Jobs is %i",
    async (concurrencyPolicy, count) => {
      await install({ concurrencyPolicy });
      await clock.advance(minute);
      await eventually(() => expect(read().status?.lastScheduleTime).toBe("2030-01-01T00:01:00Z"));
      const [first] = listJobs();
      await clock.advance(minute);
      await eventually(() => expect(listJobs()).toHaveLength(count));
      await eventually(() => {
        expect(listJobs().some(({ metadata }) => metadata.uid === first?.metadata.uid)).toBe(
          concurrencyPolicy !== "Replace",
        );
      });
    },
  );

  it("skips a time after startingDeadlineSeconds", async () => {
    await install({ suspend: true, startingDeadlineSeconds: 10 });
    await clock.advance(minute - 5000);
    await install({ suspend: false, startingDeadlineSeconds: 10 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(listJobs()).toEqual([]);
  });

  it("keeps finished Jobs up to the history limits", async () => {
    await install({ successfulJobsHistoryLimit: 1 });
    for (let count = 0; count < 3; count++) {
      const before = read().status?.lastScheduleTime;
      await clock.advance(minute);
      await eventually(() => expect(read().status?.lastScheduleTime).not.toBe(before));
      await complete(listJobs().find((job) => !job.status?.completionTime)!);
    }
    await eventually(() => expect(listJobs()).toHaveLength(1));
    await eventually(() => expect(read().status?.lastSuccessfulTime).toBe("2030-01-01T00:03:30Z"));
  });
});
