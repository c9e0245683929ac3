/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { Client, Clock, EventRecorder, Stored } from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { PersistentVolumeClaim, Pod, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import { isServerVolume } from "./maria_data.ts";
import { resultOf } from "./maria_jobs.ts";
import {
  commonLabelsOf,
  labelsOf,
  namesOf,
  PRIMARY_ANNOTATION,
  selectorLabels,
  sizeOf,
} from "./maria_names.ts";
import { findOwn } from "./maria_owned.ts";
import { isReady } from "./maria_pods.ts";
import { decode } from "./maria_secrets.ts";

/** The current state of a MySQL's objects. */
export type Observed = Awaited<ReturnType<typeof observe>>;

/** What all steps of a reconcile get. */
export interface Pass {
  readonly client: Client;
  readonly mysql: Stored<Maria>;
  readonly observed: Observed;
  readonly events: EventRecorder;
  readonly clock: Clock;
}

/** Reads all objects of a MySQL from the cache: no request is sent. */
export async function observe(client: Client, mysql: Stored<Maria>) {
  const { namespace } = mysql.metadata;
  const names = namesOf(mysql);
  const labels = selectorLabels(mysql, "server");
  const claims = await client.list(PersistentVolumeClaim, { namespace, labels });
  return {
    credentials: await findOwn(client, mysql, Secret, names.credentials),
    config: await findOwn(client, mysql, Secret, names.config),
    statefulSet: await findOwn(client, mysql, StatefulSet, names.statefulSet),
    pods: await client.list(Pod, { namespace, labels: labelsOf(mysql, "server") }),
    allPods: await client.list(Pod, { namespace, labels: commonLabelsOf(mysql) }),
    volumes: claims.filter((claim) => isServerVolume(mysql, claim)),
    backupVolume: await findOwn(client, mysql, PersistentVolumeClaim, names.backup),
    backupJobs: await client.list(Job, { namespace, labels: labelsOf(mysql, "backup") }),
    restoreJob: await findOwn(client, mysql, Job, names.restore),
    switchover: await findOwn(client, mysql, Job, names.switchover),
    rotation: await findOwn(client, mysql, Job, names.passwords),
    status: mysql.status,
  };
}

/** The ordinal of the primary. It is recorded with the passwords; both Secrets can be lost. */
export function primaryOf({ switchover, credentials, config, status }: Observed): number {
  const isDone = switchover && resultOf(switchover) === "Succeeded";
  const [made, recorded] = [isDone ? switchover : undefined, credentials].map(
    (object) => object?.metadata.annotations?.[PRIMARY_ANNOTATION],
  );
  // The file for the servers begins with it.
  const mounted = decode(config?.data).primary?.split(" ")[0];
  return Number(made ?? recorded ?? mounted ?? status?.primary?.split("-").at(-1) ?? 0);
}

/** The number of servers: the primary is not scaled away. */
export function serversOf(mysql: Stored<Maria>, observed: Observed): number {
  return sizeOf(mysql) && Math.max(sizeOf(mysql), primaryOf(observed) + 1);
}

/** The pod of the primary. */
export function primaryPodOf(mysql: Stored<Maria>, observed: Observed): string {
  return `${namesOf(mysql).statefulSet}-${primaryOf(observed)}`;
}

/**
 * Returns whether the primary accepts writes; undefined until the StatefulSet controller has observed the last change.
 */
export function isPrimaryReady(mysql: Stored<Maria>, observed: Observed): boolean | undefined {
  const { statefulSet, pods } = observed;
  const primary = pods.find(({ metadata }) => metadata.name === primaryPodOf(mysql, observed));
  if (sizeOf(mysql) === 0) return false;
  if (!isSeen(statefulSet)) return primary && !isReady(primary) ? false : undefined;
  return primary !== undefined && isReady(primary);
}

/** Returns whether the status of a StatefulSet reflects its current spec. */
export function isSeen(statefulSet: Stored<StatefulSet> | undefined): boolean {
  const { observedGeneration = 0 } = statefulSet?.status ?? {};
  return observedGeneration >= (statefulSet?.metadata.generation ?? 1);
}

/** A StatefulSet that was just recreated counts no pods yet, though they exist. */
export function countServers({ status }: Maria, { statefulSet }: Observed) {
  const counted = statefulSet?.status?.observedGeneration ? statefulSet.status : status;
  const { replicas = 0, readyReplicas = 0, updatedReplicas = 0 } = counted ?? {};
  return { replicas, readyReplicas, updatedReplicas };
}
