import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { forbidden, invalid, notSupported, required } from "@tsbuilder/apimachinery/errors";
import { checkLabel, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import type { Strategy } from "../../../registry/resource.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField, text } from "../../cells.ts";
import { addFinalizer, fillIn } from "../../fill-in.ts";
import { defaultVolumeSource } from "../pod-spec/defaults.ts";
import { persistentVolumeController } from "./persistent-volume-controller.ts";
import type { ApiObject, Sent } from "../../../contract/api-object.ts";
import { type Problems, ifSet, immutable, needed, optionalChoice } from "../../checks/problems.ts";
import { accessModeProblems, accessModes, storedAmount } from "../persistent-volume-claim.ts";
import { nodeSelectorProblems } from "../pod-spec/scheduling.ts";
import { withoutBacksteps } from "../../checks/names.ts";
import { type SourceCheck, sources } from "../pod-spec/volumes.ts";
import { oldSources } from "../pod-spec/warnings.ts";

const persistentVolumeStrategy: Partial<Strategy> = {
  default(object) {
    object["spec"] ??= {};
    const spec = object["spec"] as Sent<core.PersistentVolumeSpec>;
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
    const { status } = object as Sent<core.PersistentVolume>;
    const { status: before = {} } = old as Sent<core.PersistentVolume>;
    if (!status) return;
    const { lastPhaseTransitionTime: since } = before;
    if (status.phase !== before.phase) {
      if ((status.lastPhaseTransitionTime ?? since) === since)
        status.lastPhaseTransitionTime = formatTime(now);
    } else if (since !== undefined) status.lastPhaseTransitionTime ??= since;
  },
  validate: (object) => [...volumeProblems(object), ...mountOptions(object)],
  validateUpdate: (object, old, { subresource }) =>
    subresource === "status" ? [] : [...volumeChangeProblems(object, old)],
  warnings: (object) => volumeWarnings(object),
};

const withMountOptions = [
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "nfs",
  "rbd",
  "quobyte",
  "iscsi",
  "cinder",
  "cephfs",
  "azureFile",
  "vsphereVolume",
  "azureDisk",
  "photonPersistentDisk",
] as const;

/** The sources in the order in which the server checks them. */
const order = [
  "hostPath",
  "gcePersistentDisk",
  "awsElasticBlockStore",
  "glusterfs",
  "flocker",
  "nfs",
  "rbd",
  "quobyte",
  "cephfs",
  "iscsi",
  "cinder",
  "fc",
  "flexVolume",
  "azureFile",
  "vsphereVolume",
  "photonPersistentDisk",
  "portworxVolume",
  "azureDisk",
  "scaleIO",
  "local",
  "storageos",
  "csi",
];

/** Names that differ in the server's messages: in those about the source, and in that about a second one. */
const shownName: Readonly<Record<string, string>> = { gcePersistentDisk: "persistentDisk" };

const refusedName: Readonly<Record<string, string>> = { cephfs: "cephFS" };

const secrets = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
] as const;

/** The sources that pods don't have, or have with other rules. */
const ofVolumes: Readonly<Record<string, SourceCheck>> = {
  *local(field, { path = "" }: Sent<core.LocalVolumeSource>) {
    yield* needed(`${field}.path`, path);
    yield* withoutBacksteps(`${field}.path`, path);
  },
  *csi(field, source: Sent<core.CSIPersistentVolumeSource>) {
    yield* sources["csi"]!(field, { driver: source.driver }, "", "");
    yield* needed(`${field}.volumeHandle`, source.volumeHandle);
    for (const name of secrets) {
      const secret = source[name];
      if (secret) yield* secretProblems(`${field}.${name}`, secret);
    }
  },
  *storageos() {},
};

const annotations: Readonly<Record<string, string>> = {
  "volume.beta.kubernetes.io/storage-class":
    'deprecated since v1.8; use "storageClassName" attribute instead',
  "volume.beta.kubernetes.io/mount-options": 'deprecated since v1.31; use "mountOptions" attribute instead',
};

const deprecatedSources = [
  "cephfs",
  "photonPersistentDisk",
  "scaleIO",
  "storageos",
  "glusterfs",
  "rbd",
] as const;

export const persistentVolume: BuiltInKind<"persistentvolume"> = {
  resource: "persistentvolumes",
  metadataChecks: { update: ["new", "new"] },
  strategy: { ...persistentVolumeStrategy, statusWritesMetadata: true, returnsDeleted: true },
  cells: {
    Capacity: text("spec.capacity.storage"),
    "Access Modes": (object) => accessModes(object, "spec"),
    "Reclaim Policy": text("spec.persistentVolumeReclaimPolicy"),
    Status: (object) =>
      readField(object, "metadata.deletionTimestamp") ? "Terminating" : text("status.phase")(object),
    Claim: (object) => {
      const claim = readField<core.ObjectReference>(object, "spec.claimRef");
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

/** Validates a PersistentVolume. */
function* volumeProblems(object: ApiObject): Problems {
  const { spec = {} } = object as Sent<core.PersistentVolume>;
  const { accessModes = [], nodeAffinity, persistentVolumeReclaimPolicy: policy } = spec;
  const type = "core/v1.PersistentVolumeSpec";
  if (accessModes.length === 0) yield required("spec.accessModes");
  yield* accessModeProblems("spec.accessModes", accessModes);
  yield* capacityProblems("spec.capacity", spec.capacity);
  yield* optionalChoice("spec.persistentVolumeReclaimPolicy", policy, type);
  if (nodeAffinity?.required) {
    yield* nodeSelectorProblems("spec.nodeAffinity.required", nodeAffinity.required.nodeSelectorTerms);
  } else if (nodeAffinity)
    yield required("spec.nodeAffinity.required", "must specify required node constraints");
  yield* volumeSource("spec", spec);
  yield* recycledRoot("spec", spec);
  yield* ifSet("spec.storageClassName", spec.storageClassName, checkSubdomain);
  yield* optionalChoice("spec.volumeMode", spec.volumeMode, type);
  yield* attributesClass(spec);
}

/** Only the old annotation is held against the kind of volume, not the field that took its place. */
function* mountOptions(object: ApiObject): Problems {
  const { metadata, spec = {} } = object as Sent<core.PersistentVolume>;
  const name = "volume.beta.kubernetes.io/mount-options";
  if (metadata?.annotations?.[name] === undefined) return;
  if (withMountOptions.some((source) => spec[source])) return;
  yield forbidden(`metadata.annotations.${name}`, "may not specify mount options for this volume type");
}

type Spec = Sent<core.PersistentVolumeSpec>;

function* capacityProblems(field: string, capacity: Spec["capacity"]): Problems {
  const entries = Object.entries(capacity ?? {});
  if (entries.length === 0) yield required(field);
  if (capacity?.["storage"] === undefined || entries.length > 1)
    yield notSupported(field, capacity ?? null, ["storage"]);
  for (const [name, size] of entries) {
    const at = `${field}[${name}]`;
    yield* storedAmount(at, size);
    if (compareQuantities(size, "0") <= 0) yield invalid(at, size, "must be greater than zero");
  }
}

function* recycledRoot(field: string, { hostPath, persistentVolumeReclaimPolicy }: Spec): Problems {
  const isRoot = hostPath?.path !== undefined && /^\/[/.]*$/.test(hostPath.path);
  if (!isRoot || persistentVolumeReclaimPolicy !== "Recycle") return;
  const detail = "may not be 'recycle' for a hostPath mount of '/'";
  yield forbidden(`${field}.persistentVolumeReclaimPolicy`, detail);
}

function* attributesClass({ volumeAttributesClassName: name, csi }: Spec): Problems {
  if (name === undefined) return;
  const field = "spec.volumeAttributesClassName";
  if (name === "") yield required(field, "an empty string is disallowed");
  yield* ifSet(field, name, checkSubdomain);
  if (!csi) yield required("spec.csi", "has to be specified when using volumeAttributesClassName");
}

/** Validates a volume that an attachment describes by itself: a CSI volume, without anything about claims. */
export function* inlineVolumeProblems(field: string, spec: Spec): Problems {
  const context = "in the context of inline volumes";
  const { claimRef, capacity = {}, accessModes = [], persistentVolumeReclaimPolicy: policy = "" } = spec;
  const unspecified = `may not be specified ${context}`;
  if (claimRef) yield forbidden(`${field}.claimRef`, unspecified);
  if (Object.keys(capacity).length > 0) yield forbidden(`${field}.capacity`, unspecified);
  if (!spec.csi) yield required(`${field}.csi`, `has to be specified ${context}`);
  if (accessModes.length === 0) yield required(`${field}.accessModes`);
  yield* accessModeProblems(`${field}.accessModes`, accessModes);
  if (policy !== "" && policy !== "Retain")
    yield forbidden(`${field}.persistentVolumeReclaimPolicy`, `may only be Retain ${context}`);
  if (spec.nodeAffinity) yield forbidden(`${field}.nodeAffinity`, unspecified);
  yield* volumeSource(field, spec);
  yield* recycledRoot(field, spec);
  if (spec.storageClassName) yield forbidden(`${field}.storageClassName`, unspecified);
  if ((spec.volumeMode ?? "Filesystem") !== "Filesystem")
    yield forbidden(`${field}.volumeMode`, `may not specify volumeMode other than Filesystem ${context}`);
}

/** Validates a change of a PersistentVolume that the rules for new ones allow. */
function* volumeChangeProblems(object: ApiObject, old: ApiObject): Problems {
  const [now = {}, before = {}] = [object, old].map((each) => (each as Sent<core.PersistentVolume>).spec);
  // The server checks both the rules for all writes and those for changes, which include the former.
  yield* volumeProblems(object);
  yield* mountOptions(object);
  yield* volumeProblems(object);
  if (!isEqual(fixedSource(now, before), sourceOf(before))) {
    const detail = "spec.persistentvolumesource is immutable after creation";
    yield forbidden("spec.persistentvolumesource", detail);
  }
  yield* immutable("volumeMode", now.volumeMode, before.volumeMode);
  if (before.volumeAttributesClassName !== undefined && now.volumeAttributesClassName === undefined) {
    yield forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden");
  }
}

/** The source of a changed volume, without a secret for growing that it had not before. */
function fixedSource(now: Spec, before: Spec): object {
  const isAdded = before.csi && !before.csi.controllerExpandSecretRef;
  if (!now.csi || !isAdded) return sourceOf(now);
  const { controllerExpandSecretRef: _, ...csi } = now.csi;
  return sourceOf({ ...now, csi });
}

function* secretProblems(field: string, { name, namespace }: Sent<core.SecretReference>): Problems {
  yield* needed(`${field}.name`, name, checkSubdomain);
  yield* needed(`${field}.namespace`, namespace, checkLabel);
}

/** A volume has one source: the first is validated, the others are refused. */
function* volumeSource(field: string, spec: object): Problems {
  const present = order.filter((name) => Object.hasOwn(spec, name));
  for (const [index, name] of present.entries()) {
    if (index > 0 && name !== "flexVolume") {
      yield forbidden(`${field}.${refusedName[name] ?? name}`, "may not specify more than 1 volume type");
      continue;
    }
    const check = ofVolumes[name] ?? sources[name]!;
    const source = (spec as Record<string, object>)[name]!;
    yield* check(`${field}.${shownName[name] ?? name}`, source, "", "");
    if (name === "local" && !Object.hasOwn(spec, "nodeAffinity")) {
      yield required(`${field}.nodeAffinity`, "Local volume requires node affinity");
    }
  }
  if (present.length === 0) yield required(field, "must specify a volume type");
}

/** The fields of a spec that are sources. */
function sourceOf(spec: object): object {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => order.includes(name)));
}

/** Warns of deprecated annotations, and of volumes that no kubelet mounts any more. */
function* volumeWarnings({ metadata, spec = {} }: Sent<core.PersistentVolume>): Generator<string, void> {
  for (const [name, why] of Object.entries(annotations)) {
    if (metadata?.annotations?.[name] !== undefined) yield `metadata.annotations[${name}]: ${why}`;
  }
  if (spec.persistentVolumeReclaimPolicy === "Recycle") {
    yield "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.";
  }
  yield* oldSources("spec", spec, deprecatedSources);
}
