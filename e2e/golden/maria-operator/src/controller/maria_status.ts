/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  type Condition,
  type DesiredCondition,
  removeCondition,
  setCondition,
} from "@tsbuilder/runtime";
import type { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import type { Job } from "@tsbuilder/runtime/k8s/batch/v1";
import type { Maria, MariaStatus } from "../../api/v1/maria_types.ts";
import { resultOf, summarizeBackups } from "./maria_backup.ts";
import { namesOf, selectorLabels, sizeOf } from "./maria_names.ts";
import type { Problem } from "./maria_problem.ts";
import { PORT } from "./maria_resources.ts";

/** What the world looks like after a pass. */
export interface Observed {
  readonly statefulSet?: StatefulSet | undefined;
  readonly primaryReady: boolean;
  /** The StatefulSet is being made anew, for larger volumes. */
  readonly resizing: boolean;
  readonly backupJobs: readonly Job[];
  readonly restoreJob?: Job | undefined;
  /** What keeps this MySQL from what it asks for. */
  readonly problem?: Problem | undefined;
}

/** Says what was observed, all of it: a status is never read as input. */
export function statusFor(mysql: Maria, observed: Observed): MariaStatus {
  const { metadata, spec, status } = mysql;
  const { statefulSet } = observed;
  const names = namesOf(mysql);
  const { last, lastGoodTime } = summarizeBackups(observed.backupJobs);
  const lastBackupTime = lastGoodTime ?? status?.lastBackupTime;
  const lastBackup = last ?? status?.lastBackup;
  return {
    observedGeneration: metadata.generation ?? 0,
    replicas: statefulSet?.status?.replicas ?? 0,
    readyReplicas: statefulSet?.status?.readyReplicas ?? 0,
    updatedReplicas: statefulSet?.status?.updatedReplicas ?? 0,
    selector: Object.entries(selectorLabels(mysql, "server"))
      .map(([key, value]) => `${key}=${value}`)
      .join(","),
    primary: names.primaryPod,
    endpoint: `${names.primaryService}.${metadata.namespace}.svc:${PORT}`,
    readEndpoint: `${names.readService}.${metadata.namespace}.svc:${PORT}`,
    ...(spec.image ? { image: spec.image } : {}),
    ...(spec.storage?.size === undefined ? {} : { storageSize: spec.storage.size }),
    ...(lastBackupTime ? { lastBackupTime } : {}),
    ...(lastBackup ? { lastBackup } : {}),
    conditions: conditionsFor(mysql, observed),
  };
}

function conditionsFor(mysql: Maria, observed: Observed): Condition[] {
  const observedGeneration = mysql.metadata.generation ?? 0;
  const wanted: Record<string, Omit<DesiredCondition, "type"> | undefined> = {
    Available: available(mysql, observed),
    Progressing: progressing(mysql, observed),
    Degraded: degraded(mysql, observed),
    BackupReady: backupReady(mysql, observed),
    Restored: restored(mysql, observed),
    InlinePassword: inlinePassword(mysql),
  };
  return Object.entries(wanted).reduce<Condition[]>(
    (conditions, [type, condition]) =>
      condition
        ? setCondition(conditions, { type, observedGeneration, ...condition })
        : removeCondition(conditions, type),
    mysql.status?.conditions ?? [],
  );
}

function available(
  mysql: Maria,
  { statefulSet, primaryReady }: Observed,
): Omit<DesiredCondition, "type"> {
  if (sizeOf(mysql) === 0) return { status: "False", reason: "Stopped", message: "size is 0" };
  if (primaryReady)
    return { status: "True", reason: "PrimaryReady", message: "the primary takes writes" };
  const wasAvailable = mysql.status?.conditions?.some(
    ({ type, status }) => type === "Available" && status !== "Unknown",
  );
  if (!wasAvailable && (statefulSet?.status?.readyReplicas ?? 0) === 0) {
    return {
      status: "Unknown",
      reason: "Initializing",
      message: "the primary has not been ready yet",
    };
  }
  return { status: "False", reason: "PrimaryNotReady", message: "the primary is not ready" };
}

function progressing(
  mysql: Maria,
  { statefulSet, resizing }: Observed,
): Omit<DesiredCondition, "type"> {
  const size = sizeOf(mysql);
  const {
    observedGeneration = 0,
    replicas = 0,
    updatedReplicas = 0,
    readyReplicas = 0,
  } = statefulSet?.status ?? {};
  if (resizing) return { status: "True", reason: "ResizingStorage", message: "the volumes grow" };
  if (!statefulSet)
    return { status: "True", reason: "Creating", message: "the servers are being made" };
  const isCurrent = observedGeneration >= (statefulSet.metadata.generation ?? 0);
  if (isCurrent && replicas !== size) {
    return { status: "True", reason: "Scaling", message: `${replicas} of ${size} servers run` };
  }
  if (!isCurrent || updatedReplicas < size) {
    return {
      status: "True",
      reason: "RollingUpdate",
      message: `${updatedReplicas} of ${size} servers are updated`,
    };
  }
  if (readyReplicas < size)
    return {
      status: "True",
      reason: "Creating",
      message: `${readyReplicas} of ${size} servers are ready`,
    };
  return { status: "False", reason: "UpToDate", message: "" };
}

function degraded(
  mysql: Maria,
  { problem, statefulSet, primaryReady }: Observed,
): Omit<DesiredCondition, "type"> {
  if (problem) return { status: "True", reason: problem.reason, message: problem.message };
  const ready = statefulSet?.status?.readyReplicas ?? 0;
  if (primaryReady && ready < sizeOf(mysql)) {
    return {
      status: "True",
      reason: "ReplicaNotReady",
      message: `${ready} of ${sizeOf(mysql)} servers are ready`,
    };
  }
  return { status: "False", reason: "AsExpected", message: "" };
}

function backupReady(
  { spec }: Maria,
  { backupJobs, problem }: Observed,
): Omit<DesiredCondition, "type"> | undefined {
  if (!spec.backupSchedule) return undefined;
  if (problem?.reason === "InvalidSchedule") {
    return { status: "False", reason: "InvalidSchedule", message: problem.message };
  }
  if (spec.backup?.suspend)
    return { status: "False", reason: "Suspended", message: "backup.suspend is true" };
  const { last } = summarizeBackups(backupJobs);
  if (last?.result === "Failed")
    return { status: "False", reason: "LastFailed", message: `job ${last.job} failed` };
  if (last)
    return { status: "True", reason: "LastSucceeded", message: `job ${last.job} succeeded` };
  return {
    status: "True",
    reason: "Scheduled",
    message: `next by schedule ${spec.backupSchedule}`,
  };
}

function restored(
  mysql: Maria,
  { restoreJob }: Observed,
): Omit<DesiredCondition, "type"> | undefined {
  if (!mysql.spec.restoreFrom) return undefined;
  const done = mysql.status?.conditions?.find(
    ({ type, status }) => type === "Restored" && status === "True",
  );
  if (done) return { status: "True", reason: "Restored", message: done.message };
  if (!restoreJob) return { status: "False", reason: "Pending", message: "waits for the primary" };
  const result = resultOf(restoreJob);
  if (!result)
    return { status: "False", reason: "Running", message: `job ${restoreJob.metadata.name} runs` };
  return result === "Succeeded"
    ? {
        status: "True",
        reason: "Restored",
        message: `from a backup of ${mysql.spec.restoreFrom.name}`,
      }
    : {
        status: "False",
        reason: "Failed",
        message: `job ${restoreJob.metadata.name} failed: see its log`,
      };
}

function inlinePassword({ spec }: Maria): Omit<DesiredCondition, "type"> | undefined {
  if (!spec.password) return undefined;
  return {
    status: "True",
    reason: "PasswordInSpec",
    message: "whoever may read this object knows the password: use passwordSecretRef",
  };
}
