import type { PersistentVolume } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Sent } from "../../../contract/sent.ts";

const annotations: Readonly<Record<string, string>> = {
  "volume.beta.kubernetes.io/storage-class":
    'deprecated since v1.8; use "storageClassName" attribute instead',
  "volume.beta.kubernetes.io/mount-options": 'deprecated since v1.31; use "mountOptions" attribute instead',
};

const sources = {
  cephfs: "deprecated in v1.28, non-functional in v1.31+",
  photonPersistentDisk: "deprecated in v1.11, non-functional in v1.16+",
  scaleIO: "deprecated in v1.16, non-functional in v1.22+",
  storageos: "deprecated in v1.22, non-functional in v1.25+",
  glusterfs: "deprecated in v1.25, non-functional in v1.26+",
  rbd: "deprecated in v1.28, non-functional in v1.31+",
} as const;

/** The warnings about a volume: what is deprecated, and what no kubelet mounts any more. */
export function* volumeWarnings({ metadata, spec = {} }: Sent<PersistentVolume>): Generator<string, void> {
  for (const [name, why] of Object.entries(annotations)) {
    if (metadata?.annotations?.[name] !== undefined) yield `metadata.annotations[${name}]: ${why}`;
  }
  if (spec.persistentVolumeReclaimPolicy === "Recycle") {
    yield "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.";
  }
  for (const [name, why] of Object.entries(sources)) {
    // The server capitalizes this field.
    const shown = name === "storageos" ? "storageOS" : name;
    if (spec[name as keyof typeof sources] !== undefined) yield `spec.${shown}: ${why}`;
  }
}
