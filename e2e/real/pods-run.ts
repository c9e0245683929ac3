import type { Client } from "@tsbuilder/runtime";
import { Pod } from "@tsbuilder/runtime/k8s/core/v1";

/** Plays scheduler and kubelet on a control plane without nodes: every pod runs at once, and ends when it is deleted. */
export async function letPodsRun(client: Client, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const pods = await client.list(Pod, { live: true });
    for (const pod of pods) await settle(client, pod).catch(() => undefined);
    await new Promise((resolve) => {
      setTimeout(resolve, 200);
    });
  }
}

async function settle(client: Client, pod: Pod): Promise<void> {
  const { namespace, name = "" } = pod.metadata;
  if (pod.metadata.deletionTimestamp) {
    await client.delete(Pod, { namespace, name }, { gracePeriodSeconds: 0 });
    return;
  }
  if (pod.status?.phase === "Running") return;
  const time = `${new Date().toISOString().slice(0, 19)}Z`;
  const ready = { status: "True" as const, lastTransitionTime: time };
  await client.patchStatus(Pod, pod, {
    ...pod.status,
    phase: "Running",
    podIP: "10.1.0.1",
    podIPs: [{ ip: "10.1.0.1" }],
    startTime: time,
    conditions: ["PodScheduled", "Initialized", "ContainersReady", "Ready"].map((type) => ({
      ...ready,
      type,
    })),
    containerStatuses: (pod.spec?.containers ?? []).map((container) => ({
      name: container.name,
      image: container.image ?? "",
      imageID: "",
      ready: true,
      started: true,
      restartCount: 0,
      state: { running: { startedAt: time } },
    })),
  });
}
