import type {
  ObjectReference,
  PersistentVolume,
  PersistentVolumeSpec,
  PersistentVolumeStatus,
} from "@tsbuilder/apimachinery/k8s/core/v1";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { Sent } from "../../../contract/sent.ts";
import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField, text } from "../../cells/read-field.ts";
import { fillIn } from "../../fill-in.ts";
import { addFinalizer } from "../../add-finalizer.ts";
import { accessModes } from "../access-modes.ts";
import { defaultVolumeSource } from "../pod-spec/volume-source-defaults.ts";
import { persistentVolumeController } from "./controller/persistent-volume-controller.ts";
import { mountOptions, volumeChangeProblems, volumeProblems } from "./rules.ts";

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
function* volumeWarnings({ metadata, spec = {} }: Sent<PersistentVolume>): Generator<string, void> {
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

const persistentVolumeStrategy: Partial<Strategy> = {
  default(object) {
    object["spec"] ??= {};
    const spec = object["spec"] as Sent<PersistentVolumeSpec>;
    defaultVolumeSource(spec);
    spec.persistentVolumeReclaimPolicy ||= "Retain";
    spec.volumeMode ??= "Filesystem";
    object["status"] ??= {};
    fillIn(object["status"], () => ({ phase: "Pending" }));
  },
  prepareForCreate(object, { now }) {
    object["status"] = { phase: "Pending", lastPhaseTransitionTime: formatTime(now) };
    addFinalizer(object, "kubernetes.io/pv-protection");
  },
  prepareForUpdate(object, old, { subresource, now }) {
    if (subresource !== "status") return;
    const [status, before] = [object["status"], old["status"]] as Array<
      Sent<PersistentVolumeStatus> | undefined
    >;
    if (!status) return;
    const { lastPhaseTransitionTime: since } = before ?? {};
    if (status.phase === before?.phase)
      fillIn(status, () => (since === undefined ? {} : { lastPhaseTransitionTime: since }));
    else if ((status.lastPhaseTransitionTime ?? since) === since)
      status.lastPhaseTransitionTime = formatTime(now);
  },
  validate: (object) => [...volumeProblems(object), ...mountOptions(object)],
  validateUpdate: (object, old, { subresource }) =>
    subresource === "status" ? [] : [...volumeChangeProblems(object, old)],
  warnings: (object) => volumeWarnings(object),
};

export const persistentVolume: BuiltInKind<"persistentvolume"> = {
  resource: "persistentvolumes",
  metadataChecks: "new/new+new/update",
  strategy: { ...persistentVolumeStrategy, statusWritesMetadata: true, returnsDeleted: true },
  cells: {
    Capacity: text("spec.capacity.storage"),
    "Access Modes": (object) => accessModes(object, "spec"),
    "Reclaim Policy": text("spec.persistentVolumeReclaimPolicy"),
    Status: (object) =>
      readField(object, "metadata.deletionTimestamp") ? "Terminating" : text("status.phase")(object),
    Claim: (object) => {
      const claim = readField<ObjectReference>(object, "spec.claimRef");
      return claim ? `${claim.namespace}/${claim.name}` : "";
    },
    StorageClass: text("spec.storageClassName"),
    VolumeAttributesClass: text("spec.volumeAttributesClassName", "<unset>"),
    Reason: text("status.reason"),
    VolumeMode: text("spec.volumeMode", "<unset>"),
  },
  emptyObject: { spec: {}, status: {} },
  controllers: { persistentvolume: persistentVolumeController },
};
