/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { ApiError, type Client, type KubernetesObject, type Stored } from "@tsbuilder/runtime";
import { PersistentVolumeClaim, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import {
  commonLabelsOf,
  namesOf,
  OWNER_ANNOTATION,
  ownerOfData,
  RETAINED_LABEL,
  selectorLabels,
} from "./maria_names.ts";
import type { Observed } from "./maria_observed.ts";
import { findOwn } from "./maria_owned.ts";

/** Data that outlives its MySQL, and therefore has no owner reference. */
export type Data = Pick<Observed, "volumes" | "backupVolume" | "credentials">;

/** Annotates data with its owner's uid, if it has none yet or was retained by a deleted MySQL of the same name. */
export async function adoptData(client: Client, mysql: Stored<Maria>, data: Data): Promise<void> {
  const isForeign = (object: KubernetesObject | undefined) =>
    object && (ownerOf(object) !== mysql.metadata.uid || isRetained(object));
  await markData(client, mysql, null, {
    volumes: data.volumes.filter(isForeign),
    backupVolume: isForeign(data.backupVolume) ? data.backupVolume : undefined,
    credentials: isForeign(data.credentials) ? data.credentials : undefined,
  });
}

/** Lists what may be deleted with a MySQL. Bypasses the cache, which may not have everything yet. */
export async function findData(client: Client, mysql: Stored<Maria>): Promise<Data> {
  const { namespace } = mysql.metadata;
  const names = namesOf(mysql);
  const live = true;
  const labels = selectorLabels(mysql, "server");
  const claims = await client.list(PersistentVolumeClaim, { namespace, labels, live });
  const backups = await findOwn(client, mysql, PersistentVolumeClaim, names.backup, { live });
  const secret = await findOwn(client, mysql, Secret, names.credentials, { live });
  // What was retained by an earlier MySQL and never adopted by this one is not deleted.
  const isOwn = (object: KubernetesObject) =>
    ownerOf(object) === mysql.metadata.uid || (!ownerOf(object) && !isRetained(object));
  return {
    volumes: claims.filter((claim) => isServerVolume(mysql, claim) && isOwn(claim)),
    backupVolume: backups && isOwn(backups) ? backups : undefined,
    credentials: secret && isOwn(secret) ? secret : undefined,
  };
}

/** Marks data with its owner's uid and, once it is retained, with a label. */
export async function markData(
  client: Client,
  mysql: Stored<Maria>,
  retained: "true" | null,
  { volumes = [], backupVolume, credentials }: Partial<Data>,
): Promise<void> {
  const labels = { ...commonLabelsOf(mysql), [RETAINED_LABEL]: retained };
  const merge = { metadata: { labels, annotations: ownerOfData(mysql) } };
  for (const claim of [...volumes, ...(backupVolume ? [backupVolume] : [])]) {
    await client.patch(PersistentVolumeClaim, claim, { merge }).catch(passIfGone);
  }
  if (credentials) await client.patch(Secret, credentials, { merge }).catch(passIfGone);
}

/** Returns whether a claim holds a server's data, by its name and its uid, of this MySQL or of an earlier one. */
export function isServerVolume(
  mysql: Stored<Maria>,
  claim: Stored<PersistentVolumeClaim>,
): boolean {
  const { name } = claim.metadata;
  const prefix = `data-${namesOf(mysql).statefulSet}-`;
  const isServers = name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length));
  return isServers && (ownerOf(claim) !== undefined || isRetained(claim));
}

function ownerOf({ metadata }: Pick<KubernetesObject, "metadata">): string | undefined {
  return metadata?.annotations?.[OWNER_ANNOTATION];
}

function isRetained({ metadata }: KubernetesObject): boolean {
  return metadata.labels?.[RETAINED_LABEL] !== undefined;
}

/** A namespace that is being deleted deletes these itself, in any order. */
function passIfGone(error: unknown): void {
  if (!(error instanceof ApiError) || !error.isNotFound) throw error;
}
