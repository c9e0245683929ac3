import type { Job } from "./jobs.ts";
import type { Pod } from "../../../../control-loop/api/core.ts";
import { newPod } from "../../../../control-loop/pods/new-pod.ts";
import { failureCountAnnotation, indexAnnotation, isIndexed, trackingFinalizer } from "./job-progress.ts";

/**
 * Builds a pod of a Job. A pod of an indexed Job has its index in name, annotation, label and environment,
 * and with backoffLimitPerIndex also how often the index has failed.
 */
export function jobPod(job: Job, index: number, failures: number | undefined): Pod {
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
