/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { ApiError, type Client, compareQuantities, type Quantity } from "@tsbuilder/runtime";
import { PersistentVolumeClaim } from "@tsbuilder/runtime/k8s/core/v1";
import { StorageClass } from "@tsbuilder/runtime/k8s/storage/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import { backupStorageOf, storageOf } from "./maria_names.ts";
import type { Observed, Pass } from "./maria_observed.ts";
import { renew } from "./maria_owned.ts";
import { holds } from "./maria_pods.ts";
import { Problem } from "./maria_problem.ts";

/**
 * Expands the volumes to the size in the spec. New servers need larger ones, too, but a StatefulSet's claim
 * templates are immutable: it is deleted without its pods, and the new one adopts them.
 */
export async function growVolumes({ client, mysql, observed, events }: Pass): Promise<void> {
  const { volumes, backupVolume, statefulSet } = observed;
  const wanted = storageOf(mysql);
  if (backupVolume) await grow(client, [backupVolume], backupStorageOf(mysql));
  await grow(client, volumes, wanted);

  const template = requestOf(statefulSet?.spec?.volumeClaimTemplates?.[0]);
  if (!statefulSet || statefulSet.metadata.deletionTimestamp) return;
  if (compareQuantities(wanted, template) <= 0) return;
  await renew(client, statefulSet);
  events.normal(mysql, "Resized", `expanding volumes from ${template} to ${wanted}`);
}

/** Returns whether volumes are being expanded. */
export function isResizing({ mysql, observed: { statefulSet, volumes } }: Pass): boolean {
  const template = requestOf(statefulSet?.spec?.volumeClaimTemplates?.[0]);
  const isSmaller = compareQuantities(storageOf(mysql), template) > 0;
  if (statefulSet?.metadata.deletionTimestamp && isSmaller) return true;
  const conditions = volumes.flatMap(({ status }) => status?.conditions ?? []);
  return ["Resizing", "FileSystemResizePending"].some((type) => holds(conditions, type));
}

/** The smallest size of the servers' volumes, or the template's if there are none yet. */
export function storageSizeOf(mysql: Maria, { volumes }: Observed): Quantity {
  const sizes = volumes.map((claim) => claim.status?.capacity?.storage ?? requestOf(claim));
  const [smallest] = sizes.toSorted(compareQuantities);
  return smallest ?? storageOf(mysql);
}

async function grow(client: Client, claims: Observed["volumes"], wanted: Quantity): Promise<void> {
  const small = claims.filter((claim) => compareQuantities(wanted, requestOf(claim)) > 0);
  for (const claim of small) await refuseFixedSize(client, claim);
  for (const claim of small) {
    const merge = { spec: { resources: { requests: { storage: wanted } } } };
    await client.patch(PersistentVolumeClaim, claim, { merge }).catch(failResize);
  }
}

/** Explains what the server would reject; without permission to read StorageClasses, it is left to the server. */
async function refuseFixedSize(client: Client, claim: PersistentVolumeClaim): Promise<void> {
  const { storageClassName: name = "" } = claim.spec ?? {};
  try {
    const storageClass = name
      ? await client.find(StorageClass, { name }, { live: true })
      : undefined;
    if (storageClass?.allowVolumeExpansion) return;
  } catch (error) {
    if (error instanceof ApiError && error.isForbidden) return;
    throw error;
  }
  throw new Problem(
    "StorageResizeFailed",
    `volume "${claim.metadata.name}" can't be expanded: storage class "${name}" does not allow it`,
    { retry: true },
  );
}

/** A claim that is not bound yet can't be expanded either, and there are quotas. */
function failResize(error: unknown): never {
  if (!(error instanceof ApiError) || !(error.isInvalid || error.isForbidden)) throw error;
  throw new Problem("StorageResizeFailed", error.message, { retry: true });
}

function requestOf(claim: Pick<PersistentVolumeClaim, "spec"> | undefined): Quantity {
  return claim?.spec?.resources?.requests?.storage ?? "0";
}
