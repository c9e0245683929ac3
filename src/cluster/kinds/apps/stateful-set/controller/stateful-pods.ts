import { ownerReferenceTo } from "@tsbuilder/apimachinery/meta";
import type { ControllerRevision } from "../../../../control-loop/api/apps.ts";
import type { StatefulSet } from "./stateful-sets.ts";
import type { PersistentVolumeClaim, Pod } from "../../../../control-loop/api/core.ts";
import { newPod } from "../../../../control-loop/pods/new-pod.ts";
import { revisionLabel } from "../../../../control-loop/revisions/controller-revisions.ts";

/** The ordinal of a pod: the number after the set's name and a dash; -1 if it has none. */
export function ordinalOf({ metadata }: StatefulSet, pod: Pod): number {
  const prefix = `${metadata.name}-`;
  const name = pod.metadata.name ?? "";
  const ordinal = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return /^\d+$/.test(ordinal) ? Number(ordinal) : -1;
}

/** The name of the revision that a pod was created from. */
export function revisionOfPod(pod: Pod): string {
  return pod.metadata.labels?.[revisionLabel] ?? "";
}

/** Builds the pod of an ordinal, with its stable name, hostname and volumes. */
export function statefulPod(set: StatefulSet, ordinal: number, revision: ControllerRevision): Pod {
  const name = `${set.metadata.name}-${ordinal}`;
  const pod = newPod(
    set,
    revision.data.spec.template,
    { name, generateName: `${set.metadata.name}-` },
    {
      [revisionLabel]: revision.metadata.name!,
      "statefulset.kubernetes.io/pod-name": name,
      "apps.kubernetes.io/pod-index": String(ordinal),
    },
  );
  const claims = claimTemplates(set).map(({ metadata }) => ({
    name: metadata.name!,
    persistentVolumeClaim: { claimName: `${metadata.name}-${name}` },
  }));
  const others = (pod.spec.volumes ?? []).filter(({ name }) => !claims.some((claim) => claim.name === name));
  const volumes = [...others, ...claims];
  return {
    ...pod,
    spec: {
      ...pod.spec,
      hostname: name,
      ...(set.spec.serviceName ? { subdomain: set.spec.serviceName } : {}),
      ...(volumes.length > 0 ? { volumes } : {}),
    },
  };
}

/** Builds the claims of a pod's volumes. They outlive the pod, and by default the set. */
export function claimsOf(set: StatefulSet, ordinal: number): PersistentVolumeClaim[] {
  const { whenDeleted } = set.spec.persistentVolumeClaimRetentionPolicy ?? {};
  return claimTemplates(set).map((template) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: `${template.metadata.name}-${set.metadata.name}-${ordinal}`,
      namespace: set.metadata.namespace!,
      labels: { ...template.metadata.labels, ...set.spec.selector.matchLabels },
      ...(template.metadata.annotations ? { annotations: template.metadata.annotations } : {}),
      ...(whenDeleted === "Delete" ? { ownerReferences: [ownerReferenceTo(set)] } : {}),
    },
    spec: structuredClone(template.spec),
  }));
}

function claimTemplates({ spec }: StatefulSet): NonNullable<StatefulSet["spec"]["volumeClaimTemplates"]> {
  return spec.volumeClaimTemplates ?? [];
}
