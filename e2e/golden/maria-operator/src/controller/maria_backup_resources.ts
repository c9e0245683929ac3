/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { Desired } from "@tsbuilder/runtime";
import type { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import type {
  Container,
  PersistentVolumeClaim,
  PodSpec,
  Volume,
} from "@tsbuilder/runtime/k8s/core/v1";
import type { Maria, RestoreFrom } from "../../api/v1/maria_types.ts";
import { CONFIG_PATH } from "./maria_config.ts";
import {
  backupStorageOf,
  hostOf,
  labelsOf,
  namesOf,
  ownerOfData,
  PORT,
  sizeOf,
} from "./maria_names.ts";
import { podSecurity, podVolumes, serverContainer } from "./maria_resources.ts";

/** The backup volume. It is kept when the schedule is removed. */
export function backupVolumeFor(mysql: Maria): Desired<PersistentVolumeClaim> {
  return {
    metadata: {
      name: namesOf(mysql).backup,
      namespace: mysql.metadata.namespace,
      labels: labelsOf(mysql, "backup"),
      annotations: ownerOfData(mysql),
    },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: mysql.spec.storage?.className,
      resources: { requests: { storage: backupStorageOf(mysql) } },
    },
  };
}

/** The volume with the backups of another MySQL. */
export function backupVolumeOf({ name }: RestoreFrom): string {
  return `${name}-backup`;
}

/** A stopped server can't be backed up. */
export function areBackupsSuspended(mysql: Maria): boolean {
  return mysql.spec.backup?.suspend === true || sizeOf(mysql) === 0;
}

/** Takes backups on schedule, one at a time. */
export function backupCronJobFor(mysql: Maria, schedule: string): Desired<CronJob> {
  const { spec } = mysql;
  return {
    metadata: { name: namesOf(mysql).backup, labels: labelsOf(mysql, "backup") },
    spec: {
      schedule,
      timeZone: spec.backupTimeZone,
      suspend: areBackupsSuspended(mysql),
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

/** Restores a backup of another MySQL into this one, once. */
export function restoreJobFor(mysql: Maria, restoreFrom: RestoreFrom): Desired<Job> {
  const { name, file = "latest" } = restoreFrom;
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
          persistentVolumeClaim: { claimName: backupVolumeOf(restoreFrom), readOnly: true },
        }),
      },
    },
  };
}

function backupContainer(mysql: Maria): Container {
  const { database = "", backup } = mysql.spec;
  // A dump on the last replica, if there is one, affects the fewest clients.
  const ordinal = Math.max(sizeOf(mysql) - 1, 0);
  return jobContainer(mysql, "backup", {
    BACKUP_NAME: mysql.metadata.name ?? "",
    BACKUP_HOST: hostOf(mysql, ordinal),
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
    automountServiceAccountToken: false,
    securityContext: podSecurity,
    containers: [container],
    volumes: [...podVolumes(mysql), backups],
  };
}
