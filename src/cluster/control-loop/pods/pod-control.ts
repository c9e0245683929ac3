import { type KubernetesObject, ownerReferenceTo } from "@tsbuilder/apimachinery/meta";
import { type Pod, type PodTemplateSpec, pods } from "../api/core.ts";
import { ReportedError, refusalOf } from "../failures.ts";
import type { ReportingContext } from "../record-event.ts";

/** The number of pods that a controller creates before it reads the spec again, which may be corrected meanwhile. */
export const burst = 100;

/** The messages of Events about the pods of an owner. */
export interface PodMessages {
  readonly failed: (pod: Pod, refusal: string) => string;
  readonly created: (pod: Pod) => string;
  readonly deleted: (pod: Pod) => string;
}

const defaultMessages: PodMessages = {
  failed: (_pod, refusal) => `Error creating: ${refusal}`,
  created: ({ metadata }) => `Created pod: ${metadata.name}`,
  deleted: ({ metadata }) => `Deleted pod: ${metadata.name}`,
};

/** Creates a pod and reports it in an Event about its owner. Throws a ReportedError if the server rejects it. */
export async function createPod(
  { objects, user, report }: ReportingContext,
  owner: KubernetesObject,
  pod: Pod,
  messages: PodMessages = defaultMessages,
): Promise<void> {
  try {
    const created = await objects.create(user, pod);
    await report(owner, "Normal", "SuccessfulCreate", messages.created(created));
  } catch (error) {
    const { namespace, name = "" } = pod.metadata;
    const refusal = refusalOf(error);
    if (refusal !== undefined) await report(owner, "Warning", "FailedCreate", messages.failed(pod, refusal));
    // Another pod of that name ends in its own time, which is no error.
    else if (!objects.get(pods, namespace, name)?.metadata.deletionTimestamp) throw error;
    throw new ReportedError((error as Error).message);
  }
}

/** Deletes a pod, not a later one of the same name, and reports it in an Event about its owner. */
export async function deletePod(
  { objects, user, report }: ReportingContext,
  owner: KubernetesObject,
  pod: Pod,
  messages: PodMessages = defaultMessages,
): Promise<void> {
  await objects.delete(user, pod, { uid: pod.metadata.uid });
  await report(owner, "Normal", "SuccessfulDelete", messages.deleted(pod));
}

/** Builds a pod from a template, in the namespace of its owner and controlled by it. */
export function newPod(
  owner: KubernetesObject,
  template: PodTemplateSpec,
  name: { name: string; generateName: string } | { generateName: string },
  labels: Readonly<Record<string, string>> = {},
): Pod {
  const { labels: templateLabels, annotations, finalizers } = template.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...name,
      ...(owner.metadata.namespace === undefined ? {} : { namespace: owner.metadata.namespace }),
      labels: { ...templateLabels, ...labels },
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [ownerReferenceTo(owner)],
    },
    spec: structuredClone(template.spec),
  };
}
