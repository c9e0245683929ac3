/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { Client, Context, Result, Stored } from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { PersistentVolumeClaim, Pod, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import { adoptData, findData, markData } from "./maria_data.ts";
import { labelsOf, namesOf } from "./maria_names.ts";
import { deleteOwned } from "./maria_owned.ts";

/**
 * Cleans up a Maria: first what would create more objects, then the data, according to the deletion policy.
 * Creates nothing: a terminating namespace would reject it. Owned objects are garbage-collected.
 */
export async function endMySQL(
  client: Client,
  mysql: Stored<Maria>,
  { events, log }: Context,
): Promise<Result> {
  const { namespace } = mysql.metadata;
  const names = namesOf(mysql);
  await deleteOwned(client, mysql, CronJob, names.backup);
  for (const job of [names.restore, names.switchover, names.passwords]) {
    await deleteOwned(client, mysql, Job, job);
  }
  const data = await findData(client, mysql);
  const { deletionPolicy, backup } = mysql.spec;
  if (deletionPolicy !== "Delete") {
    await markData(client, mysql, "true", data);
    events.normal(mysql, "Retained", "volumes and credentials are retained");
    return;
  }

  // Running servers would get new volumes, so the volumes are deleted after them.
  await adoptData(client, mysql, data);
  await deleteOwned(client, mysql, StatefulSet, names.statefulSet);
  const labels = labelsOf(mysql, "server");
  const pods = await client.list(Pod, { namespace, labels, live: true });
  if (pods.length > 0) {
    log.info("Waiting for the servers to stop", { pods: pods.length });
    return { requeueAfter: "2s" };
  }
  const { volumes, backupVolume, credentials } = data;
  const areBackupsKept = backup?.deletionPolicy !== "Delete";
  const claims = areBackupsKept || !backupVolume ? volumes : [...volumes, backupVolume];
  for (const claim of claims) await client.delete(PersistentVolumeClaim, claim);
  if (credentials) await client.delete(Secret, credentials);
  if (areBackupsKept) await markData(client, mysql, "true", { backupVolume });
  events.normal(mysql, "Deleted", "volumes and credentials were deleted");
}
