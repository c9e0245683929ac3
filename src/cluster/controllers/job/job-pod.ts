import type { Job } from "../api/batch.ts";
import type { Pod } from "../api/core.ts";
import { newPod } from "../pods/new-pod.ts";
import { indexAnnotation, isIndexed } from "./job-progress.ts";

/** Makes a pod of a Job; one of an indexed Job carries its index in name, annotation, label and environment. */
export function jobPod(job: Job, index: number): Pod {
  const { name, uid } = job.metadata;
  const labels = {
    "batch.kubernetes.io/controller-uid": uid!,
    "batch.kubernetes.io/job-name": name!,
    "controller-uid": uid!,
    "job-name": name!,
  };
  if (!isIndexed(job)) return newPod(job, job.spec.template, { generateName: `${name}-` }, labels);
  const pod = newPod(
    job,
    job.spec.template,
    { generateName: `${name}-${index}-` },
    {
      ...labels,
      [indexAnnotation]: String(index),
    },
  );
  return {
    ...pod,
    metadata: {
      ...pod.metadata,
      annotations: { ...pod.metadata.annotations, [indexAnnotation]: String(index) },
    },
    spec: { ...pod.spec, hostname: `${name}-${index}`, containers: pod.spec.containers.map(withIndex) },
  };

  function withIndex(container: Pod["spec"]["containers"][number]) {
    const env = (container["env"] as object[] | undefined) ?? [];
    return { ...container, env: [...env, { name: "JOB_COMPLETION_INDEX", value: String(index) }] };
  }
}
