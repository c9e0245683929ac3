/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { findCondition } from "@tsbuilder/runtime";
import type { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import type { MariaStatus } from "../../api/v1/maria_types.ts";
import type { Pass } from "./maria_observed.ts";
import { type Passwords, REPLACED } from "./maria_passwords.ts";
import { SETTINGS_HASH } from "./maria_resources.ts";

/** Emits events for changes of the servers. */
export function announceChange({ events, mysql, observed }: Pass, after: StatefulSet): void {
  const before = observed.statefulSet;
  if (!before) {
    events.normal(mysql, "Created", `StatefulSet ${after.metadata.name} was created`);
    return;
  }
  const [from, to] = [before, after].map(({ spec }) => spec?.replicas);
  if (from !== to) events.normal(mysql, "Scaled", `from ${from} to ${to} servers`);
  if (imageOf(before) !== imageOf(after)) {
    events.normal(mysql, "Updated", `image from ${imageOf(before)} to ${imageOf(after)}`);
  } else if (annotationOf(before, SETTINGS_HASH) !== annotationOf(after, SETTINGS_HASH)) {
    events.normal(mysql, "Updated", "restarting the servers with new settings");
  }
}

/** Emits an event when new passwords were published. */
export function announceRotation(pass: Pass, { former, replaced }: Passwords): void {
  const { events, mysql, observed } = pass;
  if (!replaced || replaced === observed.config?.metadata.annotations?.[REPLACED]) return;
  const message = `new passwords of ${Object.keys(former).join(", ")}; the former ones are valid for a while`;
  events.normal(mysql, "CredentialsRotated", message);
}

/** Emits events for changes of the status. */
export function announceTransitions({ events, mysql }: Pass, status: MariaStatus): void {
  const before = mysql.status;
  if (reasonOf(status, "InlinePassword") && !reasonOf(before, "InlinePassword")) {
    events.warning(mysql, "InlinePassword", "the password is in the spec: use passwordSecretRef");
  }
  if (before?.history && status.history !== before.history) {
    events.warning(mysql, "HistoryChanged", "replicas become copies of the primary's new data");
  }
  if (before?.primary && status.primary !== before.primary) {
    events.normal(mysql, "SwitchedOver", `from ${before.primary} to ${status.primary}`);
  }
  const job = status.lastBackup?.job;
  if (job && job !== before?.lastBackup?.job) {
    const isGood = status.lastBackup?.result === "Succeeded";
    if (isGood) events.normal(mysql, "BackupSucceeded", `job ${job}`);
    else events.warning(mysql, "BackupFailed", `job ${job}`);
  }
  const restored = reasonOf(status, "Restored");
  if (restored !== reasonOf(before, "Restored")) {
    if (restored === "Restored") events.normal(mysql, "Restored", "the backup was restored");
    if (restored === "Failed") events.warning(mysql, "RestoreFailed", "see the log of its job");
  }
  const { reason = "AsExpected", message = "" } =
    findCondition(status.conditions, "Degraded") ?? {};
  if (reason !== "AsExpected" && reason !== reasonOf(before, "Degraded")) {
    events.warning(mysql, reason, message);
  }
}

function imageOf({ spec }: StatefulSet): string | undefined {
  return spec?.template.spec?.containers[0]?.image;
}

function annotationOf({ spec }: StatefulSet, name: string): string | undefined {
  return spec?.template.metadata?.annotations?.[name];
}

function reasonOf(status: MariaStatus | undefined, type: string): string | undefined {
  return findCondition(status?.conditions, type)?.reason;
}
