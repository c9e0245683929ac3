import { checkSubdomain } from "@tsbuilder/apimachinery/naming";
import { compareQuantities } from "@tsbuilder/apimachinery/quantity";
import { forbidden, invalid, notSupported, required } from "@tsbuilder/apimachinery/errors";
import { selectorProblems } from "../../checks/label-selector.ts";
import { optionalChoice, type Problems, refused } from "../../checks/problems.ts";
import type { Claim, DataSource } from "./strategy.ts";

const accessModes = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

/** Validates the spec of a claim, of a claim template or of an ephemeral volume. */
export function* claimSpec(field: string, spec: NonNullable<Claim["spec"]>): Problems {
  const { accessModes: modes = [], selector, storageClassName, volumeAttributesClassName } = spec;
  if (modes.length === 0) yield required(`${field}.accessModes`, "at least 1 access mode is required");
  yield* selectorProblems(`${field}.selector`, selector);
  yield* accessModeProblems(`${field}.accessModes`, modes);
  const size = spec.resources?.requests?.["storage"];
  if (size === undefined) yield required(`${field}.resources[storage]`);
  else if (compareQuantities(size, "0") <= 0) {
    yield invalid(`${field}.resources[storage]`, size, "must be greater than zero");
  }
  if (storageClassName) {
    yield* refused(`${field}.storageClassName`, storageClassName, checkSubdomain(storageClassName));
  }
  yield* optionalChoice(`${field}.volumeMode`, spec.volumeMode, ["Block", "Filesystem"]);
  yield* dataSources(field, spec);
  if (volumeAttributesClassName) {
    const reasons = checkSubdomain(volumeAttributesClassName);
    yield* refused(`${field}.volumeAttributesClassName`, volumeAttributesClassName, reasons);
  }
}

/** The access modes of a claim or a volume. */
export function* accessModeProblems(field: string, modes: readonly string[]): Problems {
  for (const mode of modes) if (!accessModes.includes(mode)) yield notSupported(field, mode, accessModes);
  if (modes.includes("ReadWriteOncePod") && modes.some(isShared)) {
    yield forbidden(field, "may not use ReadWriteOncePod with other access modes");
  }
}

function isShared(mode: string): boolean {
  return mode !== "ReadWriteOncePod" && accessModes.includes(mode);
}

function* dataSources(field: string, { dataSource, dataSourceRef }: NonNullable<Claim["spec"]>): Problems {
  if (dataSource) yield* source(`${field}.dataSource`, dataSource);
  if (dataSourceRef) yield* source(`${field}.dataSourceRef`, dataSourceRef);
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

function* source(field: string, { apiGroup, kind = "", name = "" }: DataSource): Problems {
  if (name === "") yield required(`${field}.name`);
  if (kind === "") yield required(`${field}.kind`);
  if (!apiGroup && kind !== "PersistentVolumeClaim") {
    yield invalid(field, kind, "must be 'PersistentVolumeClaim' when referencing the default apiGroup");
  }
  if (apiGroup) yield* refused(`${field}.apiGroup`, apiGroup, checkSubdomain(apiGroup));
}
