import { findController } from "@tsbuilder/apimachinery/meta";
import type { Job } from "./jobs.ts";
import { type Pod, pods } from "../../../../control-loop/api/core.ts";
import { createPod } from "../../../../control-loop/pods/create-pod.ts";
import type { ReportingContext } from "../../../../control-loop/record-event.ts";
import { jobPod, nameLabel } from "./job-pod.ts";
import { isTracked } from "./job-progress.ts";
import { releasePods } from "./job-tracking.ts";
import type { nextPods } from "./next-pods.ts";

export function podsOf({ objects }: ReportingContext, { metadata }: Job): Pod[] {
  return objects.list(pods, metadata.namespace).filter((pod) => findController(pod)?.uid === metadata.uid);
}

/** Pods whose Job is gone or no longer owns them are never counted, so their finalizer is removed. */
export async function releaseOrphans(
  { objects, user }: ReportingContext,
  key: string,
  job: Job | undefined,
): Promise<void> {
  const slash = key.indexOf("/");
  const [namespace, name] = [key.slice(0, slash), key.slice(slash + 1)];
  const orphans = objects
    .list(pods, namespace)
    .filter((pod) => isTracked(pod) && pod.metadata.labels?.[nameLabel] === name)
    .filter((pod) => !job || findController(pod)?.uid !== job.metadata.uid);
  await releasePods(objects, user, orphans);
}

export async function scale(
  context: ReportingContext,
  job: Job,
  { create, surplus }: ReturnType<typeof nextPods>,
): Promise<void> {
  const { objects, report, user } = context;
  for (const { index, failures } of create) {
    const pod = await createPod(objects, user, jobPod(job, index, failures), (refusal) =>
      report(job, "Warning", "FailedCreate", `Error creating: ${refusal}`),
    );
    await report(job, "Normal", "SuccessfulCreate", `Created pod: ${pod.metadata.name}`);
  }
  await releasePods(objects, user, surplus);
  await end(context, job, surplus);
}

export async function end(
  { objects, report, user }: ReportingContext,
  job: Job,
  active: readonly Pod[],
): Promise<void> {
  for (const { metadata } of active) {
    const pod = objects.get(pods, metadata.namespace, metadata.name!);
    if (!pod) continue;
    await objects.delete(user, pod, { uid: metadata.uid });
    await report(job, "Normal", "SuccessfulDelete", `Deleted pod: ${metadata.name}`);
  }
}
