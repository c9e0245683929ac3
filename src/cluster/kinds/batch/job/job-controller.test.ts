import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startTestCluster, type TestCluster } from "@tsbuilder/cluster/testing";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { clusterObjects } from "../../../registry/cluster-objects.ts";
import { type Job, jobs } from "./job-progress.ts";
import { type Pod, pods } from "../../../control-loop/api/core.ts";
import { eventually } from "../../../../../e2e/support/eventually.ts";

let cluster: TestCluster;
const clock = new FakeClock();
beforeEach(async () => {
  cluster = await startTestCluster({ controllers: ["job", "garbagecollector"], clock });
});
afterEach(() => cluster.stop());

const work = (spec: object = {}) => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name: "work", namespace: "default" },
  spec: {
    template: { spec: { restartPolicy: "Never", containers: [{ name: "work", image: "work:1" }] } },
    ...spec,
  },
});

/** A Job whose pods have a node, so that they terminate gracefully. */
const onNode = (spec: object) => {
  const { template } = work().spec;
  return work({ ...spec, template: { spec: { ...template.spec, nodeName: "node" } } });
};

const objects = () => clusterObjects(cluster.core);
const read = () => objects().get(jobs, "default", "work") as Job;
const running = () =>
  objects()
    .list(pods, "default")
    .filter(({ status }) => !status?.phase || status.phase === "Pending");
const conditions = () => (read().status?.conditions ?? []).map(({ type, reason }) => `${type}: ${reason}`);

/** Finishes pods as a kubelet would. */
async function end(phase: "Succeeded" | "Failed", ended: readonly Pod[]): Promise<void> {
  for (const pod of ended)
    await objects().update("tester", { ...pod, status: { ...pod.status, phase } }, "status");
}

describe("jobController()", () => {
  it("runs pods until enough have succeeded", async () => {
    await cluster.install(work({ completions: 3, parallelism: 2 }));
    await eventually(() => expect(read().status).toMatchObject({ active: 2 }));
    await end("Succeeded", running());
    await eventually(() => expect(read().status).toMatchObject({ active: 1, succeeded: 2 }));
    await end("Succeeded", running());
    await eventually(() =>
      expect(conditions()).toEqual([
        "SuccessCriteriaMet: CompletionsReached",
        "Complete: CompletionsReached",
      ]),
    );
    expect(read().status).toMatchObject({ succeeded: 3, completionTime: expect.any(String) as string });
  });

  it("backs off after each failure, and fails after backoffLimit", async () => {
    await cluster.install(work({ backoffLimit: 2 }));
    await eventually(() => expect(running()).toHaveLength(1));
    await end("Failed", running());
    await eventually(() => expect(read().status).toMatchObject({ failed: 1 }));
    await clock.advance(8_000);
    expect(read().status).not.toHaveProperty("active");
    await clock.advance(2_000);
    await eventually(() => expect(read().status).toMatchObject({ active: 1, failed: 1 }));
    await end("Failed", running());
    await eventually(() => expect(read().status).toMatchObject({ failed: 2 }));
    await clock.advance(18_000);
    expect(read().status).not.toHaveProperty("active");
    await clock.advance(2_000);
    await eventually(() => expect(read().status).toMatchObject({ active: 1, failed: 2 }));
    await end("Failed", running());
    await eventually(() =>
      expect(conditions()).toEqual(["FailureTarget: BackoffLimitExceeded", "Failed: BackoffLimitExceeded"]),
    );
  });

  it("fails a Job that exceeds its deadline", async () => {
    await cluster.install(work({ activeDeadlineSeconds: 60 }));
    await eventually(() => expect(read().status).toMatchObject({ active: 1 }));
    await clock.advance(60_000);
    await eventually(() => expect(conditions()).toContain("Failed: DeadlineExceeded"));
    await eventually(() =>
      expect(running().filter(({ metadata }) => !metadata.deletionTimestamp)).toEqual([]),
    );
  });

  it("announces its failure while its pods terminate, and has failed afterwards", async () => {
    await cluster.install(onNode({ activeDeadlineSeconds: 60 }));
    await eventually(() => expect(read().status).toMatchObject({ active: 1 }));
    await clock.advance(60_000);
    await eventually(() => expect(conditions()).toEqual(["FailureTarget: DeadlineExceeded"]));
    await eventually(() => expect(read().status).toMatchObject({ terminating: 1, failed: 1 }));
    const [pod] = objects().list(pods, "default");
    expect(pod!.metadata.finalizers ?? []).toEqual([]);
    await objects().delete("kubelet", pod!, { gracePeriodSeconds: 0 });
    await eventually(() =>
      expect(conditions()).toEqual(["FailureTarget: DeadlineExceeded", "Failed: DeadlineExceeded"]),
    );
    expect(read().status).toMatchObject({ terminating: 0, failed: 1 });
  });

  it("announces its success while other pods terminate, and is complete afterwards", async () => {
    const successPolicy = { rules: [{ succeededIndexes: "0" }] };
    const indexed = { completions: 2, parallelism: 2, completionMode: "Indexed", successPolicy };
    await cluster.install(onNode(indexed));
    await eventually(() => expect(running()).toHaveLength(2));
    const [first, second] = running().toSorted((a, b) => a.metadata.name!.localeCompare(b.metadata.name!));
    await end("Succeeded", [first!]);
    await eventually(() => expect(conditions()).toEqual(["SuccessCriteriaMet: SuccessPolicy"]));
    await eventually(() => expect(read().status).toMatchObject({ succeeded: 1, terminating: 1 }));
    expect(read().status).not.toHaveProperty("completionTime");
    const terminating = objects().get(pods, "default", second!.metadata.name!)!;
    await objects().delete("kubelet", terminating, { gracePeriodSeconds: 0 });
    await eventually(() =>
      expect(conditions()).toEqual(["SuccessCriteriaMet: SuccessPolicy", "Complete: SuccessPolicy"]),
    );
    expect(read().status).toMatchObject({ succeeded: 1, completionTime: expect.any(String) as string });
  });

  it("adopts a pod that its selector matches, and releases one that it doesn't match any more", async () => {
    const labels = { app: "work" };
    const { spec } = work().spec.template;
    const template = { metadata: { labels }, spec };
    await cluster.install({ apiVersion: "v1", kind: "Pod", metadata: { name: "stray", labels }, spec });
    await cluster.install(work({ manualSelector: true, selector: { matchLabels: labels }, template }));
    const stray = () => objects().get(pods, "default", "stray")!;
    await eventually(() => expect(read().status).toMatchObject({ active: 1 }));
    expect(stray().metadata).toMatchObject({
      ownerReferences: [{ kind: "Job", name: "work", controller: true }],
      finalizers: ["batch.kubernetes.io/job-tracking"],
    });
    expect(running()).toHaveLength(1);
    await objects().update("tester", { ...stray(), metadata: { ...stray().metadata, labels: {} } });
    await eventually(() => expect(running()).toHaveLength(2));
    expect(stray().metadata.finalizers ?? []).toEqual([]);
    expect(stray().metadata.ownerReferences ?? []).toEqual([]);
  });

  it("removes the finalizer of a pod without a Job and without labels", async () => {
    const metadata = { name: "lost", finalizers: ["batch.kubernetes.io/job-tracking"] };
    await cluster.install({ apiVersion: "v1", kind: "Pod", metadata, spec: work().spec.template.spec });
    await eventually(() =>
      expect(objects().get(pods, "default", "lost")!.metadata.finalizers ?? []).toEqual([]),
    );
  });

  it("leaves a Job to the controller that it names", async () => {
    await cluster.install(work({ managedBy: "example.com/other" }));
    await cluster.install({ ...work(), metadata: { name: "own", namespace: "default" } });
    await eventually(() => expect(running()).toHaveLength(1));
    expect(running()[0]!.metadata.generateName).toBe("own-");
    expect(read().status ?? {}).toEqual({});
  });

  it("creates a pod for each index", async () => {
    await cluster.install(work({ completions: 3, parallelism: 3, completionMode: "Indexed" }));
    await eventually(() => expect(running()).toHaveLength(3));
    const index = (pod: Pod) => pod.metadata.annotations?.["batch.kubernetes.io/job-completion-index"];
    expect(
      running()
        .map(index)
        .sort((a, b) => a!.localeCompare(b!)),
    ).toEqual(["0", "1", "2"]);
    await end(
      "Succeeded",
      running().filter((pod) => index(pod) !== "1"),
    );
    await eventually(() => expect(read().status).toMatchObject({ completedIndexes: "0,2", succeeded: 2 }));
    await end("Failed", running());
    await eventually(() => expect(read().status).toMatchObject({ failed: 1 }));
    await clock.advance(10_000);
    await eventually(() => expect(running().map(index)).toEqual(["1"]));
  });

  it("creates no pods for a suspended Job", async () => {
    await cluster.install(work({ suspend: true }));
    await eventually(() => expect(conditions()).toEqual(["Suspended: JobSuspended"]));
    expect(running()).toEqual([]);
    await objects().update("tester", { ...read(), spec: { ...read().spec, suspend: false } });
    await eventually(() => expect(conditions()).toEqual(["Suspended: JobResumed"]));
    await eventually(() => expect(running()).toHaveLength(1));
  });

  it("deletes a finished Job after ttlSecondsAfterFinished", async () => {
    await cluster.install(work({ ttlSecondsAfterFinished: 10 }));
    await eventually(() => expect(running()).toHaveLength(1));
    await end("Succeeded", running());
    await eventually(() => expect(conditions()).toContain("Complete: CompletionsReached"));
    await clock.advance(10_000);
    await eventually(() => expect(read()).toBeUndefined());
  });

  it("removes the finalizer of pods whose Job is gone or no longer owns them", async () => {
    await cluster.install(work({ parallelism: 2, completions: 2 }));
    await eventually(() => expect(running()).toHaveLength(2));
    await objects().delete("tester", read(), { propagationPolicy: "Orphan" });
    await eventually(() => expect(read()).toBeUndefined());
    await eventually(() =>
      expect(running().map(({ metadata }) => metadata.finalizers)).toEqual([undefined, undefined]),
    );
    for (const pod of running()) await objects().delete("tester", pod);
    await eventually(() => expect(running()).toEqual([]));
  });
});
