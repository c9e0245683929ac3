import type { PersistentVolumeClaim, TypedObjectReference } from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Quantity } from "@tsbuilder/apimachinery/meta";
import { copyJSON, isEqual } from "@tsbuilder/apimachinery/json";
import { compareQuantities, isWholeQuantity, quantityToInteger } from "@tsbuilder/apimachinery/quantity";
import { checkQualifiedName, checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { forbidden, invalid, notSupported, required, ruled } from "@tsbuilder/apimachinery/errors";
import type { BuiltInKind } from "../built-in-kind.ts";
import { readField, text } from "../cells.ts";
import type { ApiObject, Sent } from "../../contract/api-object.ts";
import { addFinalizer } from "../fill-in.ts";
import { type Problems, ifSet, immutable, optionalChoice, refused } from "../checks/problems.ts";
import { isNative } from "./resources.ts";
import { selectorProblems } from "../checks/meta-types.ts";
import { knownValues } from "../checks/known-values.ts";

export type Claim = Sent<PersistentVolumeClaim>;

export const persistentVolumeClaim: BuiltInKind = {
  resource: "persistentvolumeclaims",
  metadataChecks: { update: ["update", "new"] },
  strategy: {
    statusWritesMetadata: true,
    returnsDeleted: true,
    default: (object) => defaultClaim(object),
    prepareForCreate(object) {
      object["status"] = { phase: "Pending" };
      alignDataSources((object as Claim).spec ?? {});
      addFinalizer(object, "kubernetes.io/pvc-protection");
    },
    prepareForUpdate(object, old, { subresource }) {
      if (subresource === "") alignDataSources((object as Claim).spec ?? {}, (old as Claim).spec);
    },
    validate: (object) => [...claimSpecProblems("spec", (object as Claim).spec ?? {})],
    validateUpdate: (object, old, { subresource }) =>
      subresource === "status" ? [...statusProblems(object)] : [...claimChanges(object, old)],
    warnings: (object) => sizeWarnings("spec", (object as Claim).spec ?? {}),
  },
  cells: {
    Status: (object) =>
      readField(object, "metadata.deletionTimestamp") ? "Terminating" : text("status.phase")(object),
    Volume: text("spec.volumeName"),
    Capacity: (object) =>
      readField(object, "spec.volumeName") ? text("status.capacity.storage")(object) : "",
    "Access Modes": (object) =>
      readField(object, "spec.volumeName") ? accessModesText(object, "status") : "",
    StorageClass: text("spec.storageClassName"),
    VolumeAttributesClass: text("spec.volumeAttributesClassName", "<unset>"),
    VolumeMode: text("spec.volumeMode", "<unset>"),
  },
};

/** Fills in the defaults of a claim or a claim template. */
export function defaultClaim(claim: Claim): void {
  claim.status!.phase ||= "Pending";
}

const supportedSources = new Set(["PersistentVolumeClaim.", "VolumeSnapshot.snapshot.storage.k8s.io"]);

/**
 * Drops a new dataSourceRef to another namespace, which no feature allows by default, and a new dataSource that is
 * unsupported, and copies dataSource and dataSourceRef to each other.
 */
function alignDataSources(spec: NonNullable<Claim["spec"]>, old: Claim["spec"] = {}): void {
  if (spec.dataSourceRef?.namespace && !old.dataSourceRef) delete spec.dataSourceRef;
  const { dataSource } = spec;
  const isSupported =
    dataSource &&
    (old.dataSource ||
      old.dataSourceRef ||
      supportedSources.has(`${dataSource.kind}.${dataSource.apiGroup ?? ""}`));
  if (dataSource && !isSupported && !spec.dataSourceRef) delete spec.dataSource;
  else if (dataSource && !spec.dataSourceRef) spec.dataSourceRef = { ...dataSource };
  else if (spec.dataSourceRef && !dataSource && spec.dataSourceRef.namespace === undefined) {
    spec.dataSource = { ...spec.dataSourceRef };
  }
}

/** Validates the spec of a claim, of a claim template or of an ephemeral volume. */
export function* claimSpecProblems(field: string, spec: NonNullable<Claim["spec"]>): Problems {
  const { accessModes: modes = [], selector, storageClassName, volumeAttributesClassName } = spec;
  if (modes.length === 0) yield required(`${field}.accessModes`, "at least 1 access mode is required");
  yield* selectorProblems(`${field}.selector`, selector);
  yield* accessModeProblems(`${field}.accessModes`, modes);
  const size = spec.resources?.requests?.["storage"];
  if (size === undefined) yield required(`${field}.resources[storage]`);
  else if (compareQuantities(size, "0") <= 0) {
    yield invalid(`${field}.resources[storage]`, size, "must be greater than zero");
  }
  yield* ifSet(`${field}.storageClassName`, storageClassName, checkSubdomain);
  yield* optionalChoice(`${field}.volumeMode`, spec.volumeMode, "core/v1.PersistentVolumeClaimSpec");
  yield* dataSourceProblems(field, spec);
  yield* ifSet(`${field}.volumeAttributesClassName`, volumeAttributesClassName, checkSubdomain);
}

/** Validates the access modes of a claim or a volume. */
export function* accessModeProblems(field: string, modes: readonly string[]): Problems {
  for (const mode of modes) yield* optionalChoice(field, mode, "core/v1.PersistentVolumeClaimSpec");
  if (!modes.includes("ReadWriteOncePod")) return;
  const known = knownValues("core/v1.PersistentVolumeClaimSpec.accessModes");
  if (modes.some((mode) => mode !== "ReadWriteOncePod" && known.includes(mode)))
    yield forbidden(field, "may not use ReadWriteOncePod with other access modes");
}

function* dataSourceProblems(
  field: string,
  { dataSource, dataSourceRef }: NonNullable<Claim["spec"]>,
): Problems {
  if (dataSource) yield* sourceProblems(`${field}.dataSource`, dataSource);
  if (dataSourceRef) yield* sourceProblems(`${field}.dataSourceRef`, dataSourceRef);
  if (!dataSource || !dataSourceRef) return;
  // The server shows an empty struct here, as it passes a path instead of the value.
  if (dataSourceRef.namespace) {
    yield invalid(field, {}, "may not be specified when dataSourceRef.namespace is specified");
  } else if (
    (["apiGroup", "kind", "name"] as const).some((name) => dataSource[name] !== dataSourceRef[name])
  ) {
    yield invalid(field, {}, "must match dataSourceRef");
  }
}

/** The data source of a new volume. */
type DataSource = Sent<TypedObjectReference>;

function* sourceProblems(field: string, { apiGroup, kind = "", name = "" }: DataSource): Problems {
  if (name === "") yield required(`${field}.name`);
  if (kind === "") yield required(`${field}.kind`);
  if (!apiGroup && kind !== "PersistentVolumeClaim")
    yield invalid(field, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  yield* ruled("group of the source", ifSet(`${field}.apiGroup`, apiGroup, checkSubdomain));
}

function* claimChanges(object: ApiObject, old: ApiObject): Problems {
  const [now, before]: [Claim, Claim] = [object, old];
  yield* claimSpecProblems("spec", now.spec ?? {});
  const [annotation = "", oldAnnotation = ""] = [now, before].map(
    (each) => each.metadata?.annotations?.[classAnnotation],
  );
  const movesClass =
    oldAnnotation !== "" &&
    before.spec?.storageClassName === undefined &&
    now.spec?.storageClassName === oldAnnotation;
  if (annotation !== oldAnnotation && !(movesClass && annotation === ""))
    yield invalid(`metadata.annotations.${classAnnotation}`, annotation, "field is immutable");
  if (!isEqual(immutablePart(now, before), immutablePart(before, before))) {
    const detail =
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
    yield forbidden("spec", detail);
  }
  const [size = "0", oldSize = "0"] = [requestedStorage(now), requestedStorage(before)];
  const present = now.status?.capacity?.["storage"] ?? "0";
  if (compareQuantities(size, oldSize) < 0 && compareQuantities(size, present) <= 0)
    yield forbidden("spec.resources.requests.storage", "field can not be less than status.capacity");
  yield* immutable("volumeMode", now.spec?.volumeMode, before.spec?.volumeMode);
  const { volumeAttributesClassName: attributes } = now.spec ?? {};
  if (before.status?.currentVolumeAttributesClassName === undefined || attributes) return;
  const what = attributes === undefined ? "nil" : "empty string";
  const when = "is forbidden when status.currentVolumeAttributesClassName is not nil";
  if (attributes !== before.spec?.volumeAttributesClassName)
    yield forbidden("spec.volumeAttributesClassName", `update to ${what} ${when}`);
}

const classAnnotation = "volume.beta.kubernetes.io/storage-class";

/**
 * Returns the part of a claim's spec that an update must keep: volumeName and the class once the old claim has them, the
 * size and the attributes class unless the old claim is bound.
 */
function immutablePart(claim: Claim, old: Claim): object {
  const { volumeName, storageClassName, ...rest } = claim.spec ?? {};
  const result: NonNullable<Claim["spec"]> = copyJSON(rest);
  if (old.spec?.volumeName && volumeName) result.volumeName = volumeName;
  if (old.spec?.storageClassName !== undefined && storageClassName !== undefined)
    result.storageClassName = storageClassName;
  if (old.status?.phase === "Bound") {
    delete result.resources?.requests?.["storage"];
    delete result.volumeAttributesClassName;
  }
  return result;
}

/** Returns the size that a claim asks for. */
export function requestedStorage({ spec }: Claim): Quantity | undefined {
  return spec?.resources?.requests?.["storage"];
}

function* statusProblems(object: ApiObject): Problems {
  const { capacity, allocatedResources, allocatedResourceStatuses } = (object as Claim).status ?? {};
  for (const [name, amount] of Object.entries(capacity ?? {}))
    yield* storageQuantityProblems(`status.capacity[${name}]`, amount);
  for (const [name, resize] of Object.entries(allocatedResourceStatuses ?? {})) {
    yield* resourceKeyProblems("status.allocatedResourceStatuses", name);
    // The real server shows the resource instead of its status.
    const resizes = knownValues("core/v1.PersistentVolumeClaimStatus.allocatedResourceStatuses");
    if (!resizes.includes(resize)) yield notSupported("status.allocatedResourceStatuses", name, resizes);
  }
  for (const [name, amount] of Object.entries(allocatedResources ?? {})) {
    const problems = [...resourceKeyProblems("status.allocatedResources", name)];
    yield* problems.length > 0
      ? problems
      : storageQuantityProblems(`status.allocatedResources[${name}]`, amount);
  }
}

/** Validates a resource of a claim: `storage`, or one that a driver defines. */
function* resourceKeyProblems(field: string, name: string): Problems {
  const reasons = checkQualifiedName(name);
  yield* refused(field, name, reasons);
  if (reasons.length === 0 && isNative(name) && name !== "storage")
    yield notSupported(field, name, ["storage"]);
}

/** Validates the amount of a resource of a claim or a volume. */
export function* storageQuantityProblems(field: string, amount: Quantity): Problems {
  if (compareQuantities(amount, "0") >= 0) return;
  yield invalid(field, Number(quantityToInteger(amount)), "must be a valid resource quantity");
}

/** Warns about sizes with fractions of bytes. */
function* sizeWarnings(field: string, { resources }: NonNullable<Claim["spec"]>): Generator<string, void> {
  for (const list of ["requests", "limits"] as const) {
    const size = resources?.[list]?.["storage"];
    if (size === undefined || isWholeQuantity(size)) continue;
    yield `${field}.resources.${list}[storage]: fractional byte value ${JSON.stringify(size)} is invalid, must be an integer`;
  }
}

/** The abbreviations of access modes in the cells of tables. */
const modeAbbreviations: Readonly<Record<string, string>> = {
  ReadWriteOnce: "RWO",
  ReadOnlyMany: "ROX",
  ReadWriteMany: "RWX",
  ReadWriteOncePod: "RWOP",
};

export function accessModesText(object: object, part: string): string {
  const list = readField<string[]>(object, `${part}.accessModes`) ?? [];
  return Object.keys(modeAbbreviations)
    .filter((mode) => list.includes(mode))
    .map((mode) => modeAbbreviations[mode])
    .join(",");
}
