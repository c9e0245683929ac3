import type {
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
} from "../../../../control-loop/api/core.ts";

/** The name of the StorageClass that the cluster creates. */
export const defaultClass = "standard";

/** The provisioner of that class: this controller. */
export const provisioner = "tsbuilder.dev/pretended";

/** The annotation that makes a class the default. */
export const defaultClassAnnotation = "storageclass.kubernetes.io/is-default-class";

/** The annotation of volumes and claims that the controller bound by its own choice. */
export const boundByController = "pv.kubernetes.io/bound-by-controller";

/** The annotation with the node that the scheduler selected for a claim's volume. */
export const selectedNode = "volume.kubernetes.io/selected-node";

/** The default StorageClass: its volumes are provisioned immediately, can be expanded, and store nothing. */
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

/** Builds the volume for a claim. */
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
