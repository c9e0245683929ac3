/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { ApiError, type Client, type Stored } from "@tsbuilder/runtime";
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
import { isPrimaryReady, type Pass, primaryOf } from "./maria_observed.ts";
import { applyOwned, deleteOwned, findOwn, refuseTerminatingNamespace } from "./maria_owned.ts";
import { Problem } from "./maria_problem.ts";

/** Reconciles the backup schedule. */
export async function driveBackups({ client, mysql, observed }: Pass): Promise<void> {
  const { backupSchedule } = mysql.spec;
  const name = namesOf(mysql).backup;
  if (!backupSchedule) return deleteOwned(client, mysql, CronJob, name);
  // Backups outlive their MySQL, so their volume has no owner.
  if (!observed.backupVolume) await createBackupVolume(client, mysql);
  const desired = backupCronJobFor(mysql, backupSchedule, primaryOf(observed));
  await applyOwned(client, mysql, CronJob, desired).catch(failSchedule);
}

/** Restores the backup that the spec selects, once, when the primary is ready. */
export async function driveRestore({ client, mysql, observed }: Pass): Promise<void> {
  const { restoreFrom } = mysql.spec;
  // The Job is not retried, and retained data may exist long before a server is ready.
  if (!restoreFrom || !isPrimaryReady(mysql, observed) || wasRestored(mysql, observed)) return;
  // A Job's template is immutable: an existing Job runs to its end.
  if (observed.restoreJob) return;
  await expectBackups(client, mysql, backupVolumeOf(restoreFrom));
  await applyOwned(client, mysql, Job, restoreJobFor(mysql, restoreFrom));
}

/** A Job without its volume would stay pending without a message. Users may provide volumes without our labels. */
async function expectBackups(client: Client, mysql: Stored<Maria>, name: string): Promise<void> {
  const key = { namespace: mysql.metadata.namespace, name };
  if (await client.find(PersistentVolumeClaim, key, { live: true })) return;
  throw new Problem("BackupNotFound", `PersistentVolumeClaim "${name}" not found`, { retry: true });
}

/** Created once: a later apply with the original size would try to shrink it. */
async function createBackupVolume(client: Client, mysql: Stored<Maria>): Promise<void> {
  await refuseTerminatingNamespace(client, mysql);
  const desired = backupVolumeFor(mysql);
  const { metadata } = desired;
  try {
    await client.create(PersistentVolumeClaim, desired);
  } catch (error) {
    if (!(error instanceof ApiError && error.isAlreadyExists)) throw error;
    // The cache only holds volumes with our labels: ours gets back those that it lost.
    const own = await findOwn(client, mysql, PersistentVolumeClaim, metadata.name!, { live: true });
    if (own) return void (await client.patch(PersistentVolumeClaim, own, { merge: { metadata } }));
    const message = `PersistentVolumeClaim "${metadata.name}" was created by another owner`;
    throw new Problem("NameConflict", message, { retry: true });
  }
}

function failSchedule(error: unknown): never {
  const isInvalid = error instanceof ApiError && error.isInvalid;
  throw isInvalid ? new Problem("InvalidSchedule", error.message) : error;
}
