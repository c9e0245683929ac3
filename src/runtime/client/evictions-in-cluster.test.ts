import { startTestCluster } from "@tsbuilder/cluster/testing";
import { expect, onTestFinished, test } from "vitest";
import type { ApiError } from "../errors/api-error.ts";
import { Deployment } from "../k8s/apps/v1.ts";
import { Pod } from "../k8s/core/v1.ts";
import { PodDisruptionBudget } from "../k8s/policy/v1.ts";
import { eventually, startTestManager } from "../testing/index.ts";

const labels = { app: "web" };
const namespace = "default";

/** Starts two ready pods, of which one at a time may go. */
async function start(unhealthyPodEvictionPolicy?: "AlwaysAllow") {
  // Without a kubelet, which would say that the pods are ready.
  const cluster = await startTestCluster({ controllers: ["deployment", "replicaset", "disruption"] });
  onTestFinished(() => cluster.stop());
  const { client, stop } = await startTestManager({ kubeconfig: cluster.kubeconfig }, () => {});
  onTestFinished(stop);
  await client.apply(Deployment, {
    metadata: { namespace, name: "web" },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "web", image: "web:1" }] } },
    },
  });
  await client.apply(PodDisruptionBudget, {
    metadata: { namespace, name: "web" },
    spec: { maxUnavailable: 1, selector: { matchLabels: labels }, unhealthyPodEvictionPolicy },
  });
  const live = client.with({ live: true });
  const budget = async () =>
    (await live.get(PodDisruptionBudget, { namespace, name: "web" })).status?.disruptionsAllowed;
  const list = () => live.list(Pod, { namespace, labels });
  await eventually(async () => expect(await list()).toHaveLength(2));
  const report = async (ready: "True" | "False") => {
    const status = { phase: "Running", conditions: [{ type: "Ready", status: ready }] };
    for (const pod of await list()) await live.subresource(Pod, pod, "status").patch({ merge: { status } });
    await eventually(async () => expect(await budget()).toBe(ready === "True" ? 1 : 0));
  };
  await report("True");
  const [first] = await list();
  const evict = (preconditions: object) =>
    client.subresource(Pod, first!, "eviction").create({ deleteOptions: { preconditions } });
  return { live, budget, report, evict, first: first! };
}

test("a pod is evicted as it was seen, although the eviction itself changes it", async () => {
  const { live, budget, evict, first } = await start();
  const { uid, resourceVersion } = first.metadata;
  await expect(evict({ uid, resourceVersion: "1" })).rejects.toMatchObject({ isConflict: true });
  expect(await budget()).toBe(1);
  await evict({ uid, resourceVersion });
  await eventually(async () => expect(await live.find(Pod, first.metadata)).toBeUndefined());
});

test("a pod with two budgets can't be evicted, whatever they allow", async () => {
  const { live, evict, first } = await start();
  await live.apply(PodDisruptionBudget, {
    metadata: { namespace, name: "other" },
    spec: { maxUnavailable: 2, selector: { matchLabels: labels } },
  });
  await expect(evict({})).rejects.toMatchObject({ status: 500, isInternalError: true });
  expect((await live.get(Pod, first.metadata)).metadata.deletionTimestamp).toBeUndefined();
});

test.each([
  ["may always go, if the budget says so", "AlwaysAllow", "Success"],
  ["waits by default, while too few others are ready", undefined, "TooManyRequests"],
] as const)("a pod that isn't ready %s", async (_, policy, expected) => {
  const { report, evict } = await start(policy);
  await report("False");
  const outcome = await evict({}).then(
    () => "Success",
    ({ reason }: ApiError) => reason,
  );
  expect(outcome).toBe(expected);
});
