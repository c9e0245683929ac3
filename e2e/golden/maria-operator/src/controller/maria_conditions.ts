/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  type Condition,
  type DesiredCondition,
  findCondition,
  removeCondition,
  setCondition,
} from "@tsbuilder/runtime";
import { areBackupsSuspended } from "./maria_backup_resources.ts";
import { wasRestored } from "./maria_credentials.ts";
import { problemsOfData } from "./maria_history.ts";
import { resultOf, summarizeBackups } from "./maria_jobs.ts";
import { sizeOf } from "./maria_names.ts";
import { countServers, isPrimaryReady, isSeen, type Pass } from "./maria_observed.ts";
import type { Problem } from "./maria_problem.ts";
import { isResizing } from "./maria_storage.ts";

type ConditionState = Omit<DesiredCondition, "type">;

/** Conditions are computed independently, so that none hides another; those that don't apply are omitted. */
export function conditionsFor(pass: Pass, problems: readonly Problem[]): Condition[] {
  const { mysql, clock } = pass;
  const observedGeneration = mysql.metadata.generation ?? 0;
  const wanted: Record<string, ConditionState | undefined> = {
    Available: available(pass),
    Progressing: progressing(pass),
    Degraded: degraded(pass, problems),
    BackupReady: backupReady(pass, problems),
    Restored: restored(pass, problems),
    InlinePassword: mysql.spec.password ? yes("PasswordInSpec", READABLE) : undefined,
    Paused: mysql.spec.paused ? yes("Paused", "nothing is changed") : undefined,
  };
  return Object.entries(wanted).reduce<Condition[]>(
    (conditions, [type, word]) =>
      word
        ? setCondition(conditions, { ...word, type, observedGeneration }, clock)
        : removeCondition(conditions, type),
    mysql.status?.conditions ?? [],
  );
}

function available({ mysql, observed }: Pass): ConditionState {
  const before = findCondition(mysql.status?.conditions, "Available");
  const isReady = isPrimaryReady(mysql, observed);
  if (sizeOf(mysql) === 0) return no("Stopped", "size is 0");
  if (isReady) return yes("PrimaryReady", "the primary accepts writes");
  // A change that the StatefulSet controller has not observed yet has not stopped any server.
  if (isReady === undefined && before?.status === "True") return before;
  if (!before || before.status === "Unknown") {
    const message = "the primary has not been ready yet";
    return { status: "Unknown", reason: "Initializing", message };
  }
  return no("PrimaryNotReady", "the primary is not ready");
}

function progressing(pass: Pass): ConditionState {
  const { mysql, observed } = pass;
  const size = sizeOf(mysql);
  const { replicas, readyReplicas, updatedReplicas } = countServers(mysql, observed);
  const { statefulSet } = observed;
  if (observed.switchover && !resultOf(observed.switchover)) {
    return yes("SwitchingOver", `job ${observed.switchover.metadata.name} is running`);
  }
  if (isResizing(pass)) return yes("ResizingStorage", "the volumes are being expanded");
  if (statefulSet?.metadata.deletionTimestamp) {
    return yes("ReplacingStatefulSet", "a new StatefulSet will adopt the running servers");
  }
  if (!statefulSet?.status?.observedGeneration) {
    const before = findCondition(mysql.status?.conditions, "Progressing");
    return before?.status === "True" ? before : yes("Creating", "the servers are being created");
  }
  const isCurrent = isSeen(statefulSet);
  if (isCurrent && replicas !== size) {
    return yes("Scaling", `${replicas} of ${size} servers are running`);
  }
  if (!isCurrent || updatedReplicas < size) {
    return yes("RollingUpdate", `${updatedReplicas} of ${size} servers are updated`);
  }
  if (readyReplicas < size) {
    return yes("Creating", `${readyReplicas} of ${size} servers are ready`);
  }
  return no("UpToDate");
}

function degraded({ mysql, observed }: Pass, problems: readonly Problem[]): ConditionState {
  const all = [
    ...problemsOfData(mysql, observed),
    ...problems.filter(({ reason }) => reason !== "InvalidSchedule" && reason !== "BackupNotFound"),
  ];
  const [first] = all;
  if (first) return yes(first.reason, all.map(({ message }) => message).join("; "));
  const size = sizeOf(mysql);
  const { readyReplicas } = countServers(mysql, observed);
  if (isPrimaryReady(mysql, observed) && readyReplicas < size) {
    return yes("ReplicaNotReady", `${readyReplicas} of ${size} servers are ready`);
  }
  return no("AsExpected");
}

function backupReady({ mysql, observed }: Pass, problems: readonly Problem[]) {
  const { backupSchedule } = mysql.spec;
  if (!backupSchedule) return undefined;
  const invalid = problems.find(({ reason }) => reason === "InvalidSchedule");
  if (invalid) return no("InvalidSchedule", invalid.message);
  if (areBackupsSuspended(mysql)) return no("Suspended", "backup.suspend is true, or size is 0");
  const { last } = summarizeBackups(observed.backupJobs);
  if (last?.result === "Failed") return no("LastFailed", `job ${last.job} failed`);
  if (last) return yes("LastSucceeded", `job ${last.job} succeeded`);
  return yes("Scheduled", `schedule: ${backupSchedule}`);
}

function restored({ mysql, observed }: Pass, problems: readonly Problem[]) {
  const { restoreFrom } = mysql.spec;
  const { restoreJob } = observed;
  if (!restoreFrom) return undefined;
  if (wasRestored(mysql, observed)) {
    return yes("Restored", `a backup of ${restoreFrom.name} was restored`);
  }
  const missing = problems.find(({ reason }) => reason === "BackupNotFound");
  if (missing) return no("BackupNotFound", missing.message);
  if (!restoreJob) return no("Pending", "waiting for the primary");
  const { name } = restoreJob.metadata;
  return resultOf(restoreJob) === "Failed"
    ? no("Failed", `job ${name} failed: see its log; delete it to retry`)
    : no("Running", `job ${name} is running`);
}

const READABLE = "everyone who can read this object can read the password: use passwordSecretRef";

function yes(reason: string, message: string): ConditionState {
  return { status: "True", reason, message };
}

function no(reason: string, message = ""): ConditionState {
  return { status: "False", reason, message };
}
