/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { type Clock, setCondition, type Stored } from "@tsbuilder/runtime";
import type { CronJob } from "@tsbuilder/runtime/k8s/batch/v1";
import type { Maria, MariaStatus } from "../../api/v1/maria_types.ts";
import { isFollowing, type Problem, type Recorded, type Server } from "./maria_decide.ts";
import { formatGtids, parseGtids } from "./maria_gtids.ts";
import { labelsOf } from "./maria_resources.ts";

/** Returns the record that was written before a server was unlocked; undefined before the first. */
export function recordedOf({ status }: Maria): Recorded | undefined {
  const { epoch, primary, primaryPod } = status ?? {};
  if (epoch === undefined || primary === undefined || primaryPod === undefined) return undefined;
  const gtids = parseGtids(status?.gtids ?? "");
  return { epoch, primary, pod: primaryPod, gtids, aside: parseGtids(status?.aside ?? "") };
}

/** The fields of the status that `recordedOf` reads. */
export function fieldsOf({ epoch, primary, pod, gtids, aside }: Recorded): Partial<MariaStatus> {
  return { epoch, primary, primaryPod: pod, gtids: formatGtids(gtids), aside: formatGtids(aside) };
}

/** The servers that users may read from: the primary, and replicas that follow it. */
export function serving(recorded: Recorded | undefined, servers: readonly Server[]): Set<number> {
  const good = servers.filter(({ ordinal, pod, says }) => {
    if (!says || !recorded) return false;
    if (ordinal === recorded.primary) return pod === recorded.pod && says.access === "open";
    return isFollowing(says, recorded.primary) && !says.isSeeding && !says.source?.error;
  });
  return new Set(good.map(({ ordinal }) => ordinal));
}

/** The status of this look; what was recorded stays as it is. */
export function statusFor(
  mysql: Stored<Maria>,
  servers: readonly Server[],
  problems: readonly Problem[],
  cronJob: CronJob | undefined,
  clock: Clock,
): MariaStatus {
  const { status = {}, metadata, spec } = mysql;
  const recorded = recordedOf(mysql);
  const ready = serving(recorded, servers);
  const selector = Object.entries(labelsOf(mysql)).map(([label, value]) => `${label}=${value}`);
  const isAvailable = recorded !== undefined && ready.has(recorded.primary);
  const lastBackupTime = cronJob?.status?.lastSuccessfulTime ?? status.lastBackupTime;
  const [first] = problems;
  const { size = 1 } = spec;
  const observedGeneration = metadata.generation ?? 0;
  const bad = first?.reason ?? "Progressing";
  const why =
    problems.map(({ message }) => message).join("; ") || `${ready.size} of ${size} servers serve`;
  const judged = (type: string, isTrue: boolean, good: string) => {
    const [reason, message] = isTrue ? [good, ""] : [bad, why];
    const status = isTrue ? ("True" as const) : ("False" as const);
    return { type, status, reason, message, observedGeneration };
  };
  const available = judged("Available", isAvailable, "PrimaryServes");
  const isReady = isAvailable && ready.size >= size && problems.length === 0;
  const conditions = setCondition(status.conditions ?? [], available, clock);
  return {
    ...status,
    observedGeneration,
    replicas: servers.length,
    readyReplicas: ready.size,
    selector: selector.join(","),
    ...(lastBackupTime ? { lastBackupTime } : {}),
    conditions: setCondition(conditions, judged("Ready", isReady, "AsExpected"), clock),
  };
}
