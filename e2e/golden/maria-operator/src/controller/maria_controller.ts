/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type {
  Client,
  Context,
  EventRecorder,
  Manager,
  Reconciler,
  Request,
  Result,
} from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { Maria } from "../../api/v1/maria_types.ts";
import { backupLabels, driveBackups, driveRestore } from "./maria_backup.ts";
import { configSecretFor, hashOf, serverFiles, wasInitialized } from "./maria_config.ts";
import { ensureCredentials, referencedSecrets } from "./maria_credentials.ts";
import { endMySQL } from "./maria_deletion.ts";
import { announceChange, announceTransitions } from "./maria_events.ts";
import { DOMAIN, namesOf, sizeOf } from "./maria_names.ts";
import { findLostPrimary, freeStuckPods, isPrimaryReady } from "./maria_pods.ts";
import { asProblem, type Problem } from "./maria_problem.ts";
import {
  disruptionBudgetFor,
  headlessServiceFor,
  primaryServiceFor,
  readServiceFor,
  statefulSetFor,
} from "./maria_resources.ts";
import { type Observed, statusFor } from "./maria_status.ts";
import { growVolumes } from "./maria_storage.ts";

// +kubebuilder:rbac:groups=data.example.com,resources=maria,verbs=get;list;watch;update;patch
// +kubebuilder:rbac:groups=data.example.com,resources=maria/status;maria/finalizers,verbs=update;patch
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=persistentvolumeclaims,verbs=get;list;create;patch;delete;deletecollection
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;delete
// +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=batch,resources=cronjobs;jobs,verbs=get;list;watch;create;patch;delete;deletecollection
// +kubebuilder:rbac:groups=policy,resources=poddisruptionbudgets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=storage.k8s.io,resources=storageclasses,verbs=get
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/** Drives servers, Services and backups towards what a MySQL object asks for. */
export class MariaReconciler implements Reconciler {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async reconcile(request: Request, { events, log }: Context): Promise<Result> {
    const mysql = await this.#client.find(Maria, request);
    if (!mysql) {
      log.info("Maria resource not found. Ignoring since object must be deleted");
      return;
    }
    if (mysql.spec.paused) return;

    const problem = await this.#drive(mysql, events).catch(asProblem);
    const observed = await this.#observe(mysql, problem);
    const status = statusFor(mysql, observed);
    await this.#client.patchStatus(Maria, mysql, status);
    announceTransitions(events, mysql, status);
    return problem?.retry ? { requeueAfter: "10s" } : undefined;
  }

  /** Makes everything that belongs to a Maria, in the order in which one needs the other. */
  async #drive(mysql: Maria, events: EventRecorder): Promise<Problem | undefined> {
    const client = this.#client;
    const own = { owner: mysql };
    const before = await this.#findStatefulSet(mysql);
    const initialized =
      (await wasInitialized(client, mysql)) || (await isPrimaryReady(client, mysql, before));
    const files = serverFiles(mysql, await ensureCredentials(client, mysql));
    await client.apply(Secret, configSecretFor(mysql, files, { initialized }), own);
    await client.apply(Service, headlessServiceFor(mysql), own);
    await client.apply(Service, primaryServiceFor(mysql), own);
    await client.apply(Service, readServiceFor(mysql), own);

    // A StatefulSet that goes away for larger volumes is made anew when its end is reported.
    if (before?.metadata.deletionTimestamp) return undefined;
    if (before && (await growVolumes(client, mysql, before))) return undefined;
    const after = await client.apply(StatefulSet, statefulSetFor(mysql, hashOf(files)), own);
    announceChange(events, mysql, before, after);

    const budget = { namespace: mysql.metadata.namespace, name: namesOf(mysql).disruptionBudget };
    if (sizeOf(mysql) > 1) await client.apply(PodDisruptionBudget, disruptionBudgetFor(mysql), own);
    else if (await client.find(PodDisruptionBudget, budget))
      await client.delete(PodDisruptionBudget, budget);

    await freeStuckPods(client, mysql, after);
    await driveRestore(client, mysql, { primaryReady: initialized });
    await driveBackups(client, mysql);
    return findLostPrimary(client, mysql, after);
  }

  /** Reads the world again, so that a problem on the way does not hide the rest of it. */
  async #observe(mysql: Maria, problem: Problem | undefined): Promise<Observed> {
    const { namespace } = mysql.metadata;
    const statefulSet = await this.#findStatefulSet(mysql);
    return {
      statefulSet,
      primaryReady: await isPrimaryReady(this.#client, mysql, statefulSet),
      resizing: statefulSet?.metadata.deletionTimestamp !== undefined,
      backupJobs: await this.#client.list(Job, { namespace, labels: backupLabels(mysql) }),
      restoreJob: await this.#client.find(Job, { namespace, name: namesOf(mysql).restore }),
      problem,
    };
  }

  #findStatefulSet(mysql: Maria): Promise<StatefulSet | undefined> {
    const { namespace } = mysql.metadata;
    return this.#client.find(StatefulSet, { namespace, name: namesOf(mysql).statefulSet });
  }
}

/** The name under which MySQL objects are found by the Secrets that they refer to. */
const BY_SECRET = "referencedSecrets";

export function setupMariaController(manager: Manager): void {
  const reconciler = new MariaReconciler(manager.client);
  manager.cache.addIndex(Maria, BY_SECRET, referencedSecrets);
  manager
    .controllerFor(Maria)
    .named("maria")
    .owns(StatefulSet)
    .owns(Service)
    .owns(Secret)
    .owns(PodDisruptionBudget)
    .owns(CronJob)
    .watches(Job, ({ metadata: { namespace, labels } }) => {
      const name = labels?.["app.kubernetes.io/instance"];
      return name && labels["app.kubernetes.io/name"] === "maria" ? [{ namespace, name }] : [];
    })
    .watches(Secret, async ({ metadata: { namespace, name = "" } }) => {
      const users = await manager.client.list(Maria, { namespace, fields: { [BY_SECRET]: name } });
      return users.map(({ metadata }) => ({ namespace, name: metadata.name ?? "" }));
    })
    .finalizer(`${DOMAIN}/mysql`, (mysql, context) => endMySQL(manager.client, mysql, context))
    .complete(reconciler);
}
