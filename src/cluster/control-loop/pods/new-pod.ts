import { type KubernetesObject, ownerReferenceTo } from "@tsbuilder/apimachinery/meta";
import type { Pod, PodTemplateSpec } from "../api/core.ts";

/** Builds a pod from a template, in the namespace of its owner and controlled by it. */
export function newPod(
  owner: KubernetesObject,
  template: PodTemplateSpec,
  name: { name: string; generateName: string } | { generateName: string },
  labels: Readonly<Record<string, string>> = {},
): Pod {
  const { labels: own, annotations, finalizers } = template.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...name,
      ...(owner.metadata.namespace === undefined ? {} : { namespace: owner.metadata.namespace }),
      labels: { ...own, ...labels },
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [ownerReferenceTo(owner)],
    },
    spec: structuredClone(template.spec),
  };
}
