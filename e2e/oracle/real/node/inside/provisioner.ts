import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Manager } from "@tsbuilder/runtime";
import { PersistentVolume, PersistentVolumeClaim } from "@tsbuilder/runtime/k8s/core/v1";

const provisioner = "tsbuilder.example.com/host-path";
const madeBy = "pv.kubernetes.io/provisioned-by";

export const defaultClassAnnotation = "storageclass.kubernetes.io/is-default-class";

/** The default one. */
export const storageClass = {
  metadata: {
    name: "host-path",
    annotations: { [defaultClassAnnotation]: "true" },
  },
  provisioner,
  reclaimPolicy: "Delete",
  volumeBindingMode: "WaitForFirstConsumer",
} as const;

/** Gives claims of the default StorageClass a folder once their pod has a node, and deletes it with the volume. */
export function setupProvisioner(manager: Manager, folder: string): void {
  const { client } = manager;
  manager.controllerFor(PersistentVolumeClaim).complete({
    async reconcile(request) {
      const claim = await client.find(PersistentVolumeClaim, request);
      if (!claim || claim.spec?.volumeName) return;
      const { annotations, namespace, uid } = claim.metadata;
      if (annotations?.["volume.kubernetes.io/storage-provisioner"] !== provisioner) return;
      if (!annotations["volume.kubernetes.io/selected-node"]) return;
      const name = `pvc-${uid}`;
      const path = join(folder, name);
      mkdirSync(path, { recursive: true });
      // A host path has no fsGroup: whoever the pod runs as must be able to write.
      chmodSync(path, 0o777);
      await client.apply(PersistentVolume, {
        metadata: { name, annotations: { [madeBy]: provisioner } },
        spec: {
          capacity: { storage: claim.spec?.resources?.requests?.["storage"] ?? "1Gi" },
          accessModes: [...(claim.spec?.accessModes ?? [])],
          claimRef: { namespace, name: claim.metadata.name, uid },
          persistentVolumeReclaimPolicy: "Delete",
          storageClassName: claim.spec?.storageClassName,
          hostPath: { path, type: "Directory" },
        },
      });
    },
  });
  manager.controllerFor(PersistentVolume).complete({
    async reconcile(request) {
      const volume = await client.find(PersistentVolume, request);
      if (volume?.metadata.annotations?.[madeBy] !== provisioner) return;
      if (volume.status?.phase !== "Released") return;
      rmSync(join(folder, request.name), { recursive: true, force: true });
      await client.delete(PersistentVolume, request);
    },
  });
}
