/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { ApiError, type Client } from "@tsbuilder/runtime";
import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { PersistentVolumeClaim } from "@tsbuilder/runtime/k8s/core/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import {
  backupCronJobFor,
  backupVolumeFor,
  backupVolumeOf,
  restoreJobFor,
} from "./maria_backup_resources.ts";
import { wasRestored } from "./maria_credentials.ts";
import { namesOf } from "./maria_names.ts";
import { isPrimaryReady, type Observed } from "./maria_observed.ts";
import { applyOwned, deleteOwned, refuseGoingNamespace } from "./maria_owned.ts";
import { Problem } from "./maria_problem.ts";

/** Keeps the schedule of backups as the spec says it. */
export async function driveBackups(
  client: Client,
  mysql: Maria,
  { backupVolume }: Observed,
): Promise<void> {
  const { backupSchedule } = mysql.spec;
  const name = namesOf(mysql).backup;
  if (!backupSchedule) return deleteOwned(client, mysql, CronJob, name);
  // Backups outlive the MySQL that they are of, so their volume has no owner.
  if (!backupVolume) await createBackupVolume(client, mysql);
  await applyOwned(client, mysql, CronJob, backupCronJobFor(mysql, backupSchedule)).catch(
    failSchedule,
  );
}

/** Loads the backup that the spec names, once the primary is ready, and never again after it was loaded. */
export async function driveRestore(
  client: Client,
  mysql: Maria,
  observed: Observed,
): Promise<void> {
  const { restoreFrom } = mysql.spec;
  // The Job is tried once, and kept data may be there long before a server is.
  if (!restoreFrom || !isPrimaryReady(mysql, observed) || wasRestored(mysql, observed)) return;
  // A Job's template can't change: one that is there is left to end.
  if (observed.restoreJob) return;
  await expectBackups(client, mysql, backupVolumeOf(restoreFrom));
  await applyOwned(client, mysql, Job, restoreJobFor(mysql, restoreFrom));
}

/** A Job without its volume would wait for hours, and say nothing. People may bring volumes that have not our labels. */
async function expectBackups(client: Client, { metadata }: Maria, name: string): Promise<void> {
  const key = { namespace: metadata.namespace, name };
  if (await client.find(PersistentVolumeClaim, key, { live: true })) return;
  const message = `PersistentVolumeClaim "${name}" is not there`;
  throw new Problem("BackupNotFound", message, { retry: true });
}

/** Its size only grows, which an apply of the first size would undo: so it is made once. */
async function createBackupVolume(client: Client, mysql: Maria): Promise<void> {
  await refuseGoingNamespace(client, mysql);
  const desired = backupVolumeFor(mysql);
  try {
    await client.create(PersistentVolumeClaim, desired);
  } catch (error) {
    if (!(error instanceof ApiError && error.isAlreadyExists)) throw error;
    // The cache has only volumes with our labels.
    const message = `PersistentVolumeClaim "${desired.metadata.name}" was made by somebody else`;
    throw new Problem("NameConflict", message, { retry: true });
  }
}

function failSchedule(error: unknown): never {
  if (error instanceof ApiError && error.isInvalid) {
    throw new Problem("InvalidSchedule", error.message);
  }
  throw error;
}
