import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import { formatTime } from "@tsbuilder/apimachinery/time";
import { copyJSON, isEqual } from "@tsbuilder/apimachinery/json";
import { forbidden, invalid, invalidStruct, notSupported, required } from "@tsbuilder/apimachinery/errors";
import { checkLabel, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import type { ApiObject, Sent } from "../../../contract/api-object.ts";
import type { BuiltInKind } from "../../built-in-kind.ts";
import { readField, text } from "../../cells.ts";
import { addFinalizer, fillIn } from "../../fill-in.ts";
import { defaultVolumeSource } from "../pod-spec/defaults.ts";
import { persistentVolumeController } from "./persistent-volume-controller.ts";
import { type Problems, ifSet, immutable, needed, optionalChoice } from "../../checks/problems.ts";
import { accessModeProblems, accessModesText, storageQuantityProblems } from "../persistent-volume-claim.ts";
import { nodeSelectorProblems } from "../pod-spec/scheduling.ts";
import { backstepProblems } from "../../checks/names.ts";
import { toGoStruct } from "../../checks/go-struct.ts";
import { type SourceCheck, volumeSourceChecks } from "../pod-spec/volumes.ts";
import { deprecatedSourceWarnings } from "../pod-spec/warnings.ts";

export const persistentVolume: BuiltInKind<"persistentvolume"> = {
  resource: "persistentvolumes",
  metadataChecks: { update: ["new", "new"] },
  strategy: {
    statusWritesMetadata: true,
    returnsDeleted: true,
    default(object) {
      const spec = object["spec"] as Sent<core.PersistentVolumeSpec>;
      defaultVolumeSource(spec);
      spec.persistentVolumeReclaimPolicy ||= "Retain";
      spec.volumeMode ??= "Filesystem";
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
    validate: (object) => [...volumeProblems(object), ...mountOptionProblems(object)],
    validateUpdate: (object, old, { subresource }) =>
      subresource === "status" ? [] : [...volumeChangeProblems(object, old)],
    warnings: (object) => volumeWarnings(object),
  },
  cells: {
    Capacity: text("spec.capacity.storage"),
    "Access Modes": (object) => accessModesText(object, "spec"),
    "Reclaim Policy": text("spec.persistentVolumeReclaimPolicy"),
    Status: (object) =>
      readField(object, "metadata.deletionTimestamp") ? "Terminating" : text("status.phase")(object),
    Claim: (object) => {
      const claim = readField<core.ObjectReference>(object, "spec.claimRef");
      return claim ? `${claim.namespace ?? ""}/${claim.name ?? ""}` : "";
    },
    StorageClass: text("spec.storageClassName"),
    VolumeAttributesClass: text("spec.volumeAttributesClassName", "<unset>"),
    Reason: text("status.reason"),
    VolumeMode: text("spec.volumeMode", "<unset>"),
  },
  controllers: { persistentvolume: persistentVolumeController },
};

function* volumeProblems(object: ApiObject): Problems {
  const { spec = {} } = object as Sent<core.PersistentVolume>;
  const { accessModes = [], nodeAffinity, persistentVolumeReclaimPolicy: policy } = spec;
  const type = "core/v1.PersistentVolumeSpec";
  if (accessModes.length === 0) yield required("spec.accessModes");
  yield* accessModeProblems("spec.accessModes", accessModes);
  yield* capacityProblems("spec.capacity", spec.capacity);
  yield* optionalChoice("spec.persistentVolumeReclaimPolicy", policy, type);
  if (nodeAffinity?.required) {
    yield* nodeSelectorProblems(
      "spec.nodeAffinity.required",
      nodeAffinity.required.nodeSelectorTerms,
      "node affinity",
    );
  } else if (nodeAffinity)
    yield required("spec.nodeAffinity.required", "must specify required node constraints");
  yield* volumeSourceProblems("spec", spec);
  yield* recycleProblems("spec", spec);
  yield* ifSet("spec.storageClassName", spec.storageClassName, checkSubdomain);
  yield* optionalChoice("spec.volumeMode", spec.volumeMode, type);
  yield* attributesClassProblems(spec);
}

const sourcesWithMountOptions = [
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

/** Refuses the old annotation for volume types without mount options; the field `mountOptions` is not checked. */
function* mountOptionProblems(object: ApiObject): Problems {
  const { metadata, spec = {} } = object as Sent<core.PersistentVolume>;
  const name = "volume.beta.kubernetes.io/mount-options";
  if (metadata?.annotations?.[name] === undefined) return;
  if (sourcesWithMountOptions.some((source) => spec[source])) return;
  yield forbidden(`metadata.annotations.${name}`, "may not specify mount options for this volume type");
}

type VolumeSpec = Sent<core.PersistentVolumeSpec>;

function* capacityProblems(field: string, capacity: VolumeSpec["capacity"]): Problems {
  const entries = Object.entries(capacity ?? {});
  if (entries.length === 0) yield required(field);
  if (capacity?.["storage"] === undefined || entries.length > 1)
    yield notSupported(field, capacity ?? null, ["storage"]);
  for (const [name, size] of entries) {
    const at = `${field}[${name}]`;
    yield* storageQuantityProblems(at, size);
    if (compareQuantities(size, "0") <= 0) yield invalid(at, size, "must be greater than zero");
  }
}

function* recycleProblems(field: string, { hostPath, persistentVolumeReclaimPolicy }: VolumeSpec): Problems {
  const isRoot = hostPath?.path !== undefined && /^\/[/.]*$/.test(hostPath.path);
  if (!isRoot || persistentVolumeReclaimPolicy !== "Recycle") return;
  const detail = "may not be 'recycle' for a hostPath mount of '/'";
  yield forbidden(`${field}.persistentVolumeReclaimPolicy`, detail);
}

function* attributesClassProblems({ volumeAttributesClassName: name, csi }: VolumeSpec): Problems {
  if (name === undefined) return;
  const field = "spec.volumeAttributesClassName";
  if (name === "") yield required(field, "an empty string is disallowed");
  yield* ifSet(field, name, checkSubdomain);
  if (!csi) yield required("spec.csi", "has to be specified when using volumeAttributesClassName");
}

/** Validates a volume that an attachment describes by itself: a CSI volume, without anything about claims. */
export function* inlineVolumeProblems(field: string, spec: VolumeSpec): Problems {
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
  yield* volumeSourceProblems(field, spec);
  yield* recycleProblems(field, spec);
  if (spec.storageClassName) yield forbidden(`${field}.storageClassName`, unspecified);
  if ((spec.volumeMode ?? "Filesystem") !== "Filesystem")
    yield forbidden(`${field}.volumeMode`, `may not specify volumeMode other than Filesystem ${context}`);
}

/** Validates a change of a PersistentVolume that the rules for new ones allow. */
function* volumeChangeProblems(object: ApiObject, old: ApiObject): Problems {
  const [now = {}, before = {}] = [object, old].map((each) => (each as Sent<core.PersistentVolume>).spec);
  // The server checks both the rules for all writes and those for changes, which include the former.
  const problems = [...volumeProblems(object)];
  yield* problems;
  yield* mountOptionProblems(object);
  yield* problems;
  if (!isEqual(immutableSource(now, before), volumeSourceOf(before))) {
    const detail = "spec.persistentvolumesource is immutable after creation";
    yield forbidden("spec.persistentvolumesource", detail);
  }
  yield* immutable("volumeMode", now.volumeMode, before.volumeMode);
  if (
    before.nodeAffinity &&
    !isEqual(now.nodeAffinity, withNewLabels(before.nodeAffinity, now.nodeAffinity))
  ) {
    const detail = "field is immutable, except for updating from beta label to GA";
    yield now.nodeAffinity
      ? invalidStruct("nodeAffinity", toGoStruct(now.nodeAffinity, "core/v1.VolumeNodeAffinity"), detail)
      : invalid("nodeAffinity", null, detail);
  }
  if (before.volumeAttributesClassName !== undefined && now.volumeAttributesClassName === undefined)
    yield forbidden("spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden");
}

/** Labels of nodes that have another name since they are stable. */
const stableLabels: Readonly<Record<string, string>> = {
  "beta.kubernetes.io/arch": "kubernetes.io/arch",
  "beta.kubernetes.io/os": "kubernetes.io/os",
  "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
  "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
  "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
};

type Affinity = NonNullable<VolumeSpec["nodeAffinity"]>;

/** The old affinity with the stable names of labels where the new one has them. */
function withNewLabels(before: Affinity, now: Affinity | undefined): Affinity {
  const result = copyJSON(before);
  for (const [index, term] of (result.required?.nodeSelectorTerms ?? []).entries()) {
    for (const list of ["matchExpressions", "matchFields"] as const) {
      for (const [at, requirement] of (term[list] ?? []).entries()) {
        const key = now?.required?.nodeSelectorTerms?.[index]?.[list]?.[at]?.key;
        if (key !== undefined && stableLabels[requirement.key ?? ""] === key) requirement.key = key;
      }
    }
  }
  return result;
}

/** The immutable source of a changed volume: controllerExpandSecretRef may be added to it. */
function immutableSource(now: VolumeSpec, before: VolumeSpec): object {
  const isAdded = before.csi && !before.csi.controllerExpandSecretRef;
  if (!now.csi || !isAdded) return volumeSourceOf(now);
  const { controllerExpandSecretRef: _, ...csi } = now.csi;
  return volumeSourceOf({ ...now, csi });
}

/** The sources in the order in which the server checks them. */
const sourceOrder = [
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

/** Sources with another name in the server's messages about a source, and in those about a second source. */
const namesInProblems: Readonly<Record<string, string>> = { gcePersistentDisk: "persistentDisk" };
const secondNames: Readonly<Record<string, string>> = { cephfs: "cephFS" };

const csiSecretFields = [
  "controllerPublishSecretRef",
  "controllerExpandSecretRef",
  "nodePublishSecretRef",
  "nodeExpandSecretRef",
] as const;

/** The sources that pods don't have, or have with other rules. */
const persistentSourceChecks: Readonly<Record<string, SourceCheck>> = {
  *local(field, { path = "" }: Sent<core.LocalVolumeSource>) {
    yield* needed(`${field}.path`, path);
    yield* backstepProblems(`${field}.path`, path);
  },
  *csi(field, source: Sent<core.CSIPersistentVolumeSource>) {
    yield* volumeSourceChecks["csi"]!(field, { driver: source.driver }, "", "");
    yield* needed(`${field}.volumeHandle`, source.volumeHandle);
    for (const name of csiSecretFields) {
      const secret = source[name];
      if (secret) yield* secretProblems(`${field}.${name}`, secret);
    }
  },
  *storageos() {},
};

/** A volume has one source: the first is validated, the others are refused. */
function* volumeSourceProblems(field: string, spec: object): Problems {
  const present = sourceOrder.filter((name) => Object.hasOwn(spec, name));
  for (const [index, name] of present.entries()) {
    if (index > 0 && name !== "flexVolume") {
      yield forbidden(`${field}.${secondNames[name] ?? name}`, "may not specify more than 1 volume type");
      continue;
    }
    const check = persistentSourceChecks[name] ?? volumeSourceChecks[name]!;
    const source = (spec as Record<string, object>)[name]!;
    yield* check(`${field}.${namesInProblems[name] ?? name}`, source, "", "");
    if (name === "local" && !Object.hasOwn(spec, "nodeAffinity"))
      yield required(`${field}.nodeAffinity`, "Local volume requires node affinity");
  }
  if (present.length === 0) yield required(field, "must specify a volume type");
}

function* secretProblems(field: string, { name, namespace }: Sent<core.SecretReference>): Problems {
  yield* needed(`${field}.name`, name, checkSubdomain);
  yield* needed(`${field}.namespace`, namespace, checkLabel);
}

/** The fields of a spec that are sources. */
function volumeSourceOf(spec: object): object {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => sourceOrder.includes(name)));
}

const deprecatedAnnotations: Readonly<Record<string, string>> = {
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

/** Warns of deprecated annotations, and of volumes that no kubelet mounts any more. */
function* volumeWarnings({ metadata, spec = {} }: Sent<core.PersistentVolume>): Generator<string, void> {
  for (const [name, why] of Object.entries(deprecatedAnnotations)) {
    if (metadata?.annotations?.[name] !== undefined) yield `metadata.annotations[${name}]: ${why}`;
  }
  if (spec.persistentVolumeReclaimPolicy === "Recycle")
    yield "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.";
  yield* deprecatedSourceWarnings("spec", spec, deprecatedSources);
}
