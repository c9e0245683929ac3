import { findController } from "@tsbuilder/apimachinery/meta";
import { type Job, jobs } from "./jobs.ts";
import { type Pod, pods } from "../../../../control-loop/api/core.ts";
import { claimDependents } from "../../../../control-loop/claim-dependents.ts";
import { createPod } from "../../../../control-loop/pods/create-pod.ts";
import type { ReportingContext } from "../../../../control-loop/record-event.ts";
import { finishedCondition } from "./job-conditions.ts";
import {
  failureCountAnnotation,
  indexAnnotation,
  isIndexed,
  isTracked,
  trackingFinalizer,
} from "./job-progress.ts";
import { releasePods } from "./job-tracking.ts";
import type { nextPods } from "./next-pods.ts";
import { newPod } from "../../../../control-loop/pods/new-pod.ts";

export function podsOf({ objects }: ReportingContext, { metadata }: Job): Pod[] {
  return objects.list(pods, metadata.namespace).filter((pod) => findController(pod)?.uid === metadata.uid);
}

/** Lists the pods of a Job, after adopting and releasing some by its selector. */
export function claimPods({ objects, user }: ReportingContext, job: Job): Promise<Pod[]> {
  return claimDependents(objects, user, job, pods, trackingFinalizer);
}

/** Pods that no unfinished Job owns are never counted, so their finalizer is removed. */
export async function releaseOrphans({ objects, user }: ReportingContext, namespace: string): Promise<void> {
  const orphans = objects.list(pods, namespace).filter((pod) => {
    if (!isTracked(pod)) return false;
    const controller = findController(pod);
    if (!controller) return true;
    if (controller.kind !== "Job" || controller.apiVersion !== "batch/v1") return false;
    const job = objects.get(jobs, namespace, controller.name);
    return job?.metadata.uid !== controller.uid || finishedCondition(job) !== undefined;
  });
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

/**
 * Builds a pod of a Job. A pod of an indexed Job has its index in name, annotation, label and environment,
 * and with backoffLimitPerIndex also how often the index has failed.
 */
function jobPod(job: Job, index: number, failures: number | undefined): Pod {
  const pod = podOf(job, index, failures);
  const finalizers = [...(pod.metadata.finalizers ?? []), trackingFinalizer];
  return { ...pod, metadata: { ...pod.metadata, finalizers } };
}

function podOf(job: Job, index: number, failures: number | undefined): Pod {
  const { name } = job.metadata;
  const { template } = job.spec;
  if (!isIndexed(job)) return newPod(job, template, { generateName: `${name}-` });
  const generateName = `${name}-${index}-`;
  const pod = newPod(job, template, { generateName }, { [indexAnnotation]: String(index) });
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      annotations: {
        ...pod.metadata.annotations,
        [indexAnnotation]: String(index),
        ...(failures === undefined ? {} : { [failureCountAnnotation]: String(failures) }),
      },
    },
    spec: { ...pod.spec, hostname: `${name}-${index}`, containers: pod.spec.containers.map(withIndex) },
  };

  function withIndex(container: Pod["spec"]["containers"][number]) {
    return {
      ...container,
      env: [...(container.env ?? []), { name: "JOB_COMPLETION_INDEX", value: String(index) }],
    };
  }
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
