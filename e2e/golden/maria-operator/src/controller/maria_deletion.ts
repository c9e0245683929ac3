/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  ApiError,
  type Client,
  type Context,
  type KubernetesObject,
  type Result,
} from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { PersistentVolumeClaim, Pod, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import { namesOf, RETAINED_LABEL, selectorLabels } from "./maria_names.ts";
import type { Observed } from "./maria_observed.ts";
import { belongsTo, deleteOwned } from "./maria_owned.ts";

/**
 * Ends a Maria: first what would go on making things, then its data, kept or deleted as its policy says.
 * Nothing is made here: a namespace that is going away refuses it. What has an owner goes by itself.
 */
export async function endMySQL(
  client: Client,
  mysql: Maria,
  { events, log }: Context,
): Promise<Result> {
  const { namespace } = mysql.metadata;
  const names = namesOf(mysql);
  await deleteOwned(client, mysql, CronJob, names.backup);
  for (const component of ["backup", "restore"]) {
    await client.deleteAllOf(Job, {
      namespace,
      labels: selectorLabels(mysql, component),
      propagationPolicy: "Background",
    });
  }
  if (mysql.spec.deletionPolicy !== "Delete") {
    await mark(client, await findData(client, mysql), "true");
    events.normal(mysql, "Retained", "volumes and credentials are kept");
    return;
  }

  // Servers that still run would only be given new volumes.
  await deleteOwned(client, mysql, StatefulSet, names.statefulSet);
  const labels = selectorLabels(mysql, "server");
  const pods = await client.list(Pod, { namespace, labels, live: true });
  if (pods.length > 0) {
    log.info("Waiting for the servers to stop", { pods: pods.length });
    return { requeueAfter: "2s" };
  }
  const { volumes, credentials } = await findData(client, mysql);
  for (const claim of volumes) await client.delete(PersistentVolumeClaim, claim);
  for (const secret of credentials) await client.delete(Secret, secret);
  events.normal(mysql, "Deleted", "volumes and credentials are deleted");
}

/** Takes over what an earlier MySQL of the name left: data that is in use must not look left over. */
export async function adoptRetained(
  client: Client,
  { volumes, backupVolume, credentials }: Observed,
): Promise<void> {
  const isRetained = (object: KubernetesObject | undefined) =>
    object?.metadata.labels?.[RETAINED_LABEL] !== undefined;
  const data = {
    volumes: [...volumes, ...(backupVolume ? [backupVolume] : [])].filter(isRetained),
    credentials: credentials && isRetained(credentials) ? [credentials] : [],
  };
  await mark(client, data, null);
}

/** What is of worth without its MySQL. */
interface Data {
  readonly volumes: readonly PersistentVolumeClaim[];
  readonly credentials: readonly Secret[];
}

/** Asks the server: what a cache has not heard of yet must not be forgotten here. */
async function findData(client: Client, mysql: Maria): Promise<Data> {
  const { namespace } = mysql.metadata;
  const lists = await Promise.all(
    ["server", "backup"].map((component) =>
      client.list(PersistentVolumeClaim, {
        namespace,
        labels: selectorLabels(mysql, component),
        live: true,
      }),
    ),
  );
  const key = { namespace, name: namesOf(mysql).credentials };
  const secret = await client.find(Secret, key, { live: true });
  return {
    volumes: lists.flat(),
    credentials: secret && belongsTo(mysql, secret) ? [secret] : [],
  };
}

/** The label says why these are there when nothing else of the MySQL is. */
async function mark(
  client: Client,
  { volumes, credentials }: Data,
  value: "true" | null,
): Promise<void> {
  const merge = { metadata: { labels: { [RETAINED_LABEL]: value } } };
  for (const claim of volumes) {
    await client.patch(PersistentVolumeClaim, claim, { merge }).catch(passIfGone);
  }
  for (const secret of credentials) await client.patch(Secret, secret, { merge }).catch(passIfGone);
}

/** A namespace that goes away takes these along, in an order of its own. */
function passIfGone(error: unknown): void {
  if (!(error instanceof ApiError) || !error.isNotFound) throw error;
}
