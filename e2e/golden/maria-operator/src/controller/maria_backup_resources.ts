/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { Desired, Stored } from "@tsbuilder/runtime";
import type { CronJob, Job, JobSpec } from "@tsbuilder/runtime/k8s/batch/v1";
import type {
  Container,
  PersistentVolumeClaim,
  PersistentVolumeClaimVolumeSource,
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
export function backupVolumeFor(mysql: Stored<Maria>): Desired<PersistentVolumeClaim> {
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
export function areBackupsSuspended(mysql: Stored<Maria>): boolean {
  return mysql.spec.backup?.suspend === true || sizeOf(mysql) === 0;
}

/** Takes backups on schedule, one at a time. */
export function backupCronJobFor(
  mysql: Stored<Maria>,
  schedule: string,
  primary: number,
): Desired<CronJob> {
  const { spec } = mysql;
  const container = backupContainer(mysql, primary);
  const backups = { claimName: namesOf(mysql).backup };
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
        spec: jobSpec(mysql, "backup", { container, backoffLimit: 1, backups }),
      },
    },
  };
}

/** Restores a backup of another MySQL into this one, once. */
export function restoreJobFor(mysql: Stored<Maria>, restoreFrom: RestoreFrom): Desired<Job> {
  const { name, file = "latest" } = restoreFrom;
  const container = jobContainer(mysql, "restore", { BACKUP_NAME: name, FILE: file });
  const backups = { claimName: backupVolumeOf(restoreFrom), readOnly: true };
  return jobFor(mysql, "restore", { container, backoffLimit: 0, backups });
}

/** Runs a script once, as the Job that is called like its component. */
export function jobFor(
  mysql: Stored<Maria>,
  component: "restore" | "switchover" | "passwords",
  options: JobOptions & { annotations?: Record<string, string> },
): Desired<Job> {
  const { [component]: name } = namesOf(mysql);
  return {
    metadata: { name, labels: labelsOf(mysql, component), annotations: options.annotations },
    spec: jobSpec(mysql, component, options),
  };
}

interface JobOptions {
  readonly container: Container;
  readonly backoffLimit: number;
  readonly backups?: PersistentVolumeClaimVolumeSource;
}

function backupContainer(mysql: Stored<Maria>, primary: number): Container {
  const { database = "", backup } = mysql.spec;
  // A dump on the last replica, if there is one, affects the fewest clients.
  const last = Math.max(sizeOf(mysql) - 1, 0);
  return jobContainer(mysql, "backup", {
    BACKUP_NAME: mysql.metadata.name,
    BACKUP_HOST: hostOf(mysql, last > 0 && last === primary ? last - 1 : last),
    DATABASE: database,
    KEEP: String(backup?.keep ?? 7),
  });
}

/** The container of a Job, which runs a script beside the servers. */
export function jobContainer(
  mysql: Stored<Maria>,
  script: "backup" | "restore" | "switch" | "passwords",
  values: Record<string, string>,
): Container {
  const { env = [], volumeMounts = [], ...container } = serverContainer(mysql, script);
  const BACKUP_DIR = mysql.spec.backupPath ?? "/backups";
  const more = Object.entries({ ...values, BACKUP_DIR, ORDINAL: "job", PORT: String(PORT) });
  const backups = { name: "backups", mountPath: BACKUP_DIR, readOnly: script === "restore" };
  return {
    ...container,
    command: [`${CONFIG_PATH}/${script}.sh`],
    env: [...env, ...more.map(([name, value]) => ({ name, value }))],
    volumeMounts: [
      ...volumeMounts.filter(({ name }) => name !== "data"),
      ...(script === "backup" || script === "restore" ? [backups] : []),
    ],
  };
}

function jobSpec(
  mysql: Stored<Maria>,
  component: string,
  { container, backoffLimit, backups }: JobOptions,
): JobSpec {
  const mounted = backups ? [{ name: "backups", persistentVolumeClaim: backups }] : [];
  return {
    backoffLimit,
    activeDeadlineSeconds: 6 * 3600,
    template: {
      metadata: { labels: labelsOf(mysql, component) },
      spec: {
        restartPolicy: "Never",
        imagePullSecrets: mysql.spec.imagePullSecrets,
        automountServiceAccountToken: false,
        securityContext: podSecurity,
        containers: [container],
        volumes: [...podVolumes(mysql), ...mounted],
      },
    },
  };
}
