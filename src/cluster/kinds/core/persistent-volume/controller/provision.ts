import type {
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from "../../../../control-loop/api/core.ts";

/** The name of the class that the cluster brings along. */
export const defaultClass = "standard";

/** Who makes the volumes of the class: this controller. */
export const provisioner = "tsbuilder.dev/pretended";

/** The annotation that makes a class the one of claims that name none. */
export const defaultClassAnnotation = "storageclass.kubernetes.io/is-default-class";

/** The annotation of volumes that a controller chose for their claim, and of claims whose volume it chose. */
export const boundByController = "pv.kubernetes.io/bound-by-controller";

/** The annotation by which the scheduler says for which node a claim's volume is wanted. */
export const selectedNode = "volume.kubernetes.io/selected-node";

/** The class that the cluster brings along: volumes that are there at once, can grow and hold nothing. */
export function standardClass(): StorageClass {
  return {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: { name: defaultClass, annotations: { [defaultClassAnnotation]: "true" } },
    provisioner,
    reclaimPolicy: "Delete",
    volumeBindingMode: "Immediate",
    allowVolumeExpansion: true,
  };
}

/** Makes the volume that a claim asks for. */
export function newVolume(claim: PersistentVolumeClaim, storageClass: StorageClass): PersistentVolume {
  const { accessModes, volumeMode, resources } = claim.spec;
  return {
    apiVersion: "v1",
    kind: "PersistentVolume",
    metadata: {
      name: `pvc-${claim.metadata.uid}`,
      annotations: { "pv.kubernetes.io/provisioned-by": storageClass.provisioner },
    },
    spec: {
      capacity: { storage: resources?.requests?.storage ?? "0" },
      accessModes: accessModes ?? [],
      ...(volumeMode ? { volumeMode } : {}),
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? "Delete",
      storageClassName: storageClass.metadata.name!,
      claimRef: claimReference(claim),
      hostPath: { path: `/var/lib/tsbuilder/volumes/${claim.metadata.uid}` },
    },
  };
}

/** Refers to a claim from its volume. */
export function claimReference({
  metadata,
}: PersistentVolumeClaim): NonNullable<PersistentVolume["spec"]["claimRef"]> {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    namespace: metadata.namespace!,
    name: metadata.name!,
    uid: metadata.uid!,
    resourceVersion: metadata.resourceVersion!,
  };
}
