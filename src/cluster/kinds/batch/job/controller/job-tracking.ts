import type { Pod } from "../../../../control-loop/api/core.ts";
import { pods } from "../../../../control-loop/api/core.ts";
import type { ClusterObjects } from "../../../../contract/cluster-objects.ts";
import { isTracked, trackingFinalizer } from "./job-progress.ts";

/** Removes the tracking finalizer from pods that their Job has counted or will never count. */
export async function releasePods(
  objects: ClusterObjects,
  user: string,
  counted: readonly Pod[],
): Promise<void> {
  for (const { metadata } of counted) {
    const pod = objects.get(pods, metadata.namespace, metadata.name!);
    if (!pod || pod.metadata.uid !== metadata.uid || !isTracked(pod)) continue;
    const finalizers = pod.metadata.finalizers!.filter((finalizer) => finalizer !== trackingFinalizer);
    await objects.update(user, { ...pod, metadata: { ...pod.metadata, finalizers } });
  }
}
