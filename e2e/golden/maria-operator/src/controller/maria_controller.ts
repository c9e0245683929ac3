/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  type Context,
  type KubernetesObject,
  type Manager,
  metadataOnly,
  type NamespacedName,
  type Reconciler,
  type Result,
  type Stored,
} from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { PersistentVolumeClaim, Pod, Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { NetworkPolicy } from "@tsbuilder/runtime/k8s/networking/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { Maria } from "../../api/v1/maria_types.ts";
import { driveBackups, driveRestore } from "./maria_backup.ts";
import { referencedSecrets } from "./maria_credentials.ts";
import { adoptData } from "./maria_data.ts";
import { endMySQL } from "./maria_deletion.ts";
import { announceTransitions } from "./maria_events.ts";
import { seedAnew } from "./maria_history.ts";
import { DOMAIN, NAME_LABEL, OURS } from "./maria_names.ts";
import { observe, type Pass } from "./maria_observed.ts";
import { graceOf } from "./maria_passwords.ts";
import { freeStuckPods } from "./maria_pods.ts";
import { driveSwitchover } from "./maria_primary.ts";
import { goThrough, NAMESPACE_TERMINATING } from "./maria_problem.ts";
import { drivePasswords } from "./maria_rotation.ts";
import {
  driveDisruptionBudget,
  driveNetworkPolicy,
  driveServers,
  driveServices,
} from "./maria_servers.ts";
import { statusFor } from "./maria_status.ts";
import { growVolumes } from "./maria_storage.ts";

// +kubebuilder:rbac:groups=data.example.com,resources=maria,verbs=list;watch;patch
// +kubebuilder:rbac:groups=data.example.com,resources=maria/status,verbs=patch
// +kubebuilder:rbac:groups=data.example.com,resources=maria/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=persistentvolumeclaims,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups="",resources=namespaces,verbs=get
// +kubebuilder:rbac:groups="",resources=pods,verbs=list;watch;delete
// +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=batch,resources=cronjobs;jobs,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=networking.k8s.io,resources=networkpolicies,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=policy,resources=poddisruptionbudgets,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=storage.k8s.io,resources=storageclasses,verbs=get
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/** Reconciles the servers, Services and backups of a MySQL. */
export class MariaReconciler implements Reconciler {
  readonly #manager: Manager;

  constructor(manager: Manager) {
    this.#manager = manager;
  }

  async reconcile(request: NamespacedName, { events, log }: Context): Promise<Result> {
    const { client, clock } = this.#manager;
    const mysql = await client.find(Maria, request);
    if (!mysql) {
      log.info("Maria resource not found. Ignoring since object must be deleted");
      return;
    }

    const observed = await observe(client, mysql);
    const pass = { client, mysql, observed, events, clock };
    const { problems, failure } = await goThrough(pass, mysql.spec.paused ? [] : STEPS);
    if (problems.some(({ reason }) => reason === NAMESPACE_TERMINATING)) return;

    const status = statusFor({ ...pass, observed: await observe(client, mysql) }, problems);
    await client.patchStatus(Maria, mysql, status);
    announceTransitions(pass, status);

    if (failure) throw failure;
    const isRetried = problems.some(({ retry }) => retry);
    const requeueAfter = isRetried ? "10s" : graceOf(mysql, observed, clock);
    return requeueAfter ? { requeueAfter } : undefined;
  }
}

/** In this order: what a step needs is there before it. */
const STEPS = [
  ({ client, mysql, observed }: Pass) => adoptData(client, mysql, observed),
  driveServices,
  driveNetworkPolicy,
  driveServers,
  drivePasswords,
  driveDisruptionBudget,
  growVolumes,
  freeStuckPods,
  driveSwitchover,
  seedAnew,
  driveRestore,
  driveBackups,
];

/** The index of MySQL objects by the Secrets that they reference. */
const BY_SECRET = "referencedSecrets";

/** Registers the controller and the kinds that it watches. */
export function setupMariaController(manager: Manager): void {
  const { client, cache } = manager;
  cache.addIndex(Maria, BY_SECRET, referencedSecrets);
  // Only our objects are cached, selected by label. Of others' Secrets we need to know when they change.
  const kept = [Pod, PersistentVolumeClaim, Job, Secret];
  for (const kind of kept) cache.keepOnly(kind, { labels: OURS });
  manager
    .controllerFor(Maria)
    .named("maria")
    .owns(StatefulSet)
    .owns(Service)
    .owns(Secret)
    .owns(NetworkPolicy)
    .owns(PodDisruptionBudget)
    .owns(CronJob)
    .watches(Pod, byInstance)
    .watches(PersistentVolumeClaim, byInstance)
    .watches(Job, byInstance)
    .watches(Secret, byInstance)
    .watches(metadataOnly(Secret), async ({ metadata: { namespace, name } }) => {
      const users = await client.list(Maria, { namespace, fields: { [BY_SECRET]: name } });
      return users.map(({ metadata }) => ({ namespace, name: metadata.name }));
    })
    .finalizer(`${DOMAIN}/mysql`, (mysql, context) => endMySQL(client, mysql, context))
    .complete(new MariaReconciler(manager));
}

/** Maps an object to its MySQL by label. */
function byInstance({ metadata }: Stored<KubernetesObject>): NamespacedName[] {
  const { namespace, labels = {} } = metadata;
  const name = labels["app.kubernetes.io/instance"];
  return name && labels["app.kubernetes.io/name"] === NAME_LABEL ? [{ namespace, name }] : [];
}
