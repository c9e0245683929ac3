/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { MariaStatus } from "../../api/v1/maria_types.ts";
import { conditionsFor } from "./maria_conditions.ts";
import { sourceOf, summarizeBackups } from "./maria_jobs.ts";
import { historyOf } from "./maria_history.ts";
import { namesOf, PORT, selectorLabels } from "./maria_names.ts";
import { countServers, type Pass, primaryPodOf } from "./maria_observed.ts";
import type { Problem } from "./maria_problem.ts";
import { storageSizeOf } from "./maria_storage.ts";

/** Returns the status that was observed, and keeps the previous one where nothing can be observed now. */
export function statusFor(pass: Pass, problems: readonly Problem[]): MariaStatus {
  const { mysql, observed } = pass;
  const { metadata, status: before } = mysql;
  const names = namesOf(mysql);
  const { replicas, readyReplicas, updatedReplicas } = countServers(mysql, observed);
  // Finished Jobs are deleted after a while, but their results remain valid.
  const { last = before?.lastBackup, lastGoodTime = before?.lastBackupTime } = summarizeBackups(
    observed.backupJobs,
  );
  const known = last?.job === before?.lastBackup?.job ? before?.lastBackup : undefined;
  const history = historyOf(mysql, observed);
  const source = last?.job ? sourceOf(last.job, observed.allPods) : {};
  return {
    observedGeneration: metadata.generation ?? 0,
    ...{ replicas, readyReplicas, updatedReplicas },
    selector: Object.entries(selectorLabels(mysql, "server"))
      .map(([key, value]) => `${key}=${value}`)
      .join(","),
    primary: primaryPodOf(mysql, observed),
    ...(history ? { history } : {}),
    endpoint: `${names.primaryService}.${metadata.namespace}.svc:${PORT}`,
    readEndpoint: `${names.readService}.${metadata.namespace}.svc:${PORT}`,
    storageSize: storageSizeOf(mysql, observed),
    ...(lastGoodTime ? { lastBackupTime: lastGoodTime } : {}),
    ...(last ? { lastBackup: { ...known, ...last, ...source } } : {}),
    conditions: conditionsFor(pass, problems),
  };
}
