/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { Client, Context, Result } from "@tsbuilder/runtime";
import { Pod, PersistentVolumeClaim, Secret } from "@tsbuilder/runtime/k8s/core/v1";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import { namesOf, RETAINED_LABEL, selectorLabels } from "./maria_names.ts";

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
  const inBackground = { propagationPolicy: "Background" } as const;
  await client.delete(CronJob, { namespace, name: names.backup }, inBackground);
  for (const component of ["backup", "restore"]) {
    await client.deleteAllOf(Job, {
      namespace,
      labels: selectorLabels(mysql, component),
      ...inBackground,
    });
  }
  if (mysql.spec.deletionPolicy !== "Delete") {
    await markRetained(client, mysql);
    events.normal(mysql, "Retained", "volumes and credentials are kept");
    return;
  }

  const pods = await client.list(Pod, {
    namespace,
    labels: selectorLabels(mysql, "server"),
    live: true,
  });
  if (pods.length > 0) {
    log.info("Waiting for the servers to stop", { pods: pods.length });
    await client.delete(StatefulSet, { namespace, name: names.statefulSet }, inBackground);
    return { requeueAfter: "2s" };
  }
  for (const component of ["server", "backup"]) {
    await client.deleteAllOf(PersistentVolumeClaim, {
      namespace,
      labels: selectorLabels(mysql, component),
    });
  }
  await client.delete(Secret, { namespace, name: names.credentials });
  events.normal(mysql, "Deleted", "volumes and credentials are deleted");
}

/** The label says why these are there when nothing else of the MySQL is. */
async function markRetained(client: Client, mysql: Maria): Promise<void> {
  const { namespace } = mysql.metadata;
  const mark = (draft: { metadata: { labels?: { [key: string]: string } } }): void => {
    draft.metadata.labels = { ...draft.metadata.labels, [RETAINED_LABEL]: "true" };
  };
  const volumes = await Promise.all(
    ["server", "backup"].map((component) =>
      client.list(PersistentVolumeClaim, {
        namespace,
        labels: selectorLabels(mysql, component),
        live: true,
      }),
    ),
  );
  for (const claim of volumes.flat()) await client.patch(PersistentVolumeClaim, claim, mark);
  const secret = await client.find(Secret, { namespace, name: namesOf(mysql).credentials });
  if (secret) await client.patch(Secret, secret, mark);
}
