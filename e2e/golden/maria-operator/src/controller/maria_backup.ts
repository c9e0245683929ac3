/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { ApiError, type Client, type Desired, isConditionTrue } from "@tsbuilder/runtime";
import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import {
  type Container,
  PersistentVolumeClaim,
  type PodSpec,
  type Volume,
} from "@tsbuilder/runtime/k8s/core/v1";
import type { LastBackup, Maria, RestoreFrom } from "../../api/v1/maria_types.ts";
import { CONFIG_PATH } from "./maria_config.ts";
import { labelsOf, namesOf, selectorLabels, sizeOf } from "./maria_names.ts";
import { Problem } from "./maria_problem.ts";
import { PORT, podVolumes, serverContainer } from "./maria_resources.ts";

/** Keeps the schedule of backups as the spec says it. */
export async function driveBackups(client: Client, mysql: Maria): Promise<void> {
  const { namespace } = mysql.metadata;
  const key = { namespace, name: namesOf(mysql).backup };
  const { backupSchedule } = mysql.spec;
  if (!backupSchedule) {
    if (await client.find(CronJob, key))
      await client.delete(CronJob, key, { propagationPolicy: "Background" });
    return;
  }
  // Backups outlive the MySQL that they are of, so their volume has no owner.
  if (!(await client.find(PersistentVolumeClaim, key, { live: true }))) {
    await client.create(PersistentVolumeClaim, backupVolumeFor(mysql));
  }
  try {
    await client.apply(CronJob, backupCronJobFor(mysql, backupSchedule), { owner: mysql });
  } catch (error) {
    if (!(error instanceof ApiError) || !error.isInvalid) throw error;
    throw new Problem("InvalidSchedule", error.message);
  }
}

/** Loads the backup that the spec names, once the primary is ready, and never again after it was loaded. */
export async function driveRestore(
  client: Client,
  mysql: Maria,
  { primaryReady = false },
): Promise<void> {
  const { restoreFrom } = mysql.spec;
  if (!restoreFrom || !primaryReady || isConditionTrue(mysql.status?.conditions, "Restored"))
    return;
  const { namespace } = mysql.metadata;
  // A Job's template can't change: one that is there is left to end.
  if (await client.find(Job, { namespace, name: namesOf(mysql).restore })) return;
  await client.apply(Job, restoreJobFor(mysql, restoreFrom), { owner: mysql });
}

/** The volume that backups are written to. It stays when the schedule goes. */
export function backupVolumeFor(mysql: Maria): Desired<PersistentVolumeClaim> {
  return {
    metadata: {
      name: namesOf(mysql).backup,
      namespace: mysql.metadata.namespace,
      labels: labelsOf(mysql, "backup"),
    },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: mysql.spec.storage?.className,
      resources: { requests: { storage: mysql.spec.backup?.storageSize ?? "1Gi" } },
    },
  };
}

/** Makes backups at the times of the schedule, one after another. */
export function backupCronJobFor(mysql: Maria, schedule: string): Desired<CronJob> {
  const { spec } = mysql;
  return {
    metadata: { name: namesOf(mysql).backup, labels: labelsOf(mysql, "backup") },
    spec: {
      schedule,
      timeZone: spec.backupTimeZone,
      suspend: spec.backup?.suspend ?? false,
      concurrencyPolicy: "Forbid",
      startingDeadlineSeconds: 600,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 3,
      jobTemplate: {
        metadata: { labels: labelsOf(mysql, "backup") },
        spec: {
          backoffLimit: 1,
          activeDeadlineSeconds: 6 * 3600,
          template: {
            metadata: { labels: labelsOf(mysql, "backup") },
            spec: jobPod(mysql, backupContainer(mysql), backupVolume(mysql, {})),
          },
        },
      },
    },
  };
}

/** Loads a backup of another MySQL into this one, once. */
export function restoreJobFor(mysql: Maria, { name, file = "latest" }: RestoreFrom): Desired<Job> {
  const container = jobContainer(mysql, "restore", { BACKUP_NAME: name, FILE: file });
  return {
    metadata: { name: namesOf(mysql).restore, labels: labelsOf(mysql, "restore") },
    spec: {
      backoffLimit: 0,
      activeDeadlineSeconds: 6 * 3600,
      template: {
        metadata: { labels: labelsOf(mysql, "restore") },
        spec: jobPod(mysql, container, {
          name: "backups",
          persistentVolumeClaim: { claimName: `${name}-backup`, readOnly: true },
        }),
      },
    },
  };
}

/** Labels by which the backup Jobs of a MySQL are found, those made by hand included. */
export function backupLabels(mysql: Maria): Record<string, string> {
  return selectorLabels(mysql, "backup");
}

/** How a Job ended; undefined while it runs. */
export function resultOf({ status }: Job): "Succeeded" | "Failed" | undefined {
  const ended = status?.conditions?.find(
    ({ type, status: holds }) => holds === "True" && (type === "Complete" || type === "Failed"),
  );
  if (!ended) return undefined;
  return ended.type === "Complete" ? "Succeeded" : "Failed";
}

/** The newest backup that ended, and when the newest good one did. */
export function summarizeBackups(jobs: readonly Job[]): {
  last?: LastBackup;
  lastGoodTime?: string;
} {
  const ended = jobs
    .flatMap((job) => {
      const result = resultOf(job);
      return result ? [{ job: job.metadata.name, completionTime: endOf(job), result }] : [];
    })
    .toSorted((a, b) => (a.completionTime < b.completionTime ? 1 : -1));
  const good = ended.find(({ result }) => result === "Succeeded");
  return {
    ...(ended[0] ? { last: ended[0] } : {}),
    ...(good ? { lastGoodTime: good.completionTime } : {}),
  };
}

/** A failed Job has no completion time, but its condition says when it was given up. */
function endOf({ status }: Job): string {
  return status?.completionTime ?? status?.conditions?.at(-1)?.lastTransitionTime ?? "";
}

function backupContainer(mysql: Maria): Container {
  const { database = "", backup } = mysql.spec;
  const names = namesOf(mysql);
  // A dump costs the least where the fewest clients notice: on the last replica, if there is one.
  const ordinal = Math.max(sizeOf(mysql) - 1, 0);
  return jobContainer(mysql, "backup", {
    BACKUP_NAME: mysql.metadata.name ?? "",
    BACKUP_HOST: `${names.statefulSet}-${ordinal}.${names.headlessService}.${mysql.metadata.namespace}.svc`,
    DATABASE: database,
    KEEP: String(backup?.keep ?? 7),
  });
}

function jobContainer(mysql: Maria, script: string, values: Record<string, string>): Container {
  const { env = [], volumeMounts = [], ...container } = serverContainer(mysql, script);
  const { backupPath = "/backups" } = mysql.spec;
  const more = Object.entries({
    ...values,
    BACKUP_DIR: backupPath,
    ORDINAL: "0",
    PORT: String(PORT),
  });
  return {
    ...container,
    command: [`${CONFIG_PATH}/${script}.sh`],
    env: [...env, ...more.map(([name, value]) => ({ name, value }))],
    volumeMounts: [
      ...volumeMounts.filter(({ name }) => name !== "data"),
      { name: "backups", mountPath: backupPath, readOnly: script === "restore" },
    ],
  };
}

function backupVolume(mysql: Maria, options: { readOnly?: boolean }): Volume {
  return {
    name: "backups",
    persistentVolumeClaim: { claimName: namesOf(mysql).backup, ...options },
  };
}

function jobPod(mysql: Maria, container: Container, backups: Volume): PodSpec {
  return {
    restartPolicy: "Never",
    imagePullSecrets: mysql.spec.imagePullSecrets,
    securityContext: {
      runAsNonRoot: true,
      runAsUser: 999,
      runAsGroup: 999,
      fsGroup: 999,
      seccompProfile: { type: "RuntimeDefault" },
    },
    containers: [container],
    volumes: [...podVolumes(mysql), backups],
  };
}
