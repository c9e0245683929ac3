/*
 * SPDX-License-Identifier: Apache-2.0
 */

import {
  ApiError,
  Children,
  type Client,
  type Clock,
  generationChanged,
  isConditionTrue,
  podProblem,
  type KubernetesObject,
  type Manager,
  metadataOnly,
  type NamespacedName,
  notOwnWrite,
  type Reconciler,
  type Result,
  type Stored,
} from "@tsbuilder/runtime";
import { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import { CronJob, Job } from "@tsbuilder/runtime/k8s/batch/v1";
import { PersistentVolumeClaim, Pod, Secret, Service } from "@tsbuilder/runtime/k8s/core/v1";
import { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import { Maria } from "../../api/v1/maria_types.ts";
import {
  decode,
  ensureOperatorSecret,
  readAuthority,
  readPassword,
  setChildren,
  setCredentials,
} from "./maria_children.ts";
import type { Problem, Server } from "./maria_decide.ts";
import { type Declared, drive } from "./maria_drive.ts";
import { backupProblems, placesOf, podsOf } from "./maria_pods.ts";
import { labelsOf, namesOf, readsLabel, writesLabel } from "./maria_resources.ts";
import { type Connect, connect, type Effects, ensureAccount, SqlSessions } from "./maria_sql.ts";
import { fieldsOf, recordedOf, serving, statusFor } from "./maria_status.ts";

// +kubebuilder:rbac:groups=data.example.com,resources=maria,verbs=get;list;watch
// +kubebuilder:rbac:groups=data.example.com,resources=maria/status,verbs=patch
// +kubebuilder:rbac:groups=data.example.com,resources=maria/finalizers,verbs=update
// +kubebuilder:rbac:groups="",resources=secrets,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=services,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=persistentvolumeclaims,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups="",resources=pods,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=batch,resources=cronjobs,verbs=get;list;watch;create;patch;delete
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=list;watch
// +kubebuilder:rbac:groups=policy,resources=poddisruptionbudgets,verbs=get;list;watch;create;patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

/** Reconciles the objects of a MySQL, then its servers, then what clients see of them. */
export class MariaReconciler implements Reconciler {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #connect: Connect;

  constructor({ client, clock }: Manager, connectTo: Connect) {
    this.#client = client;
    this.#clock = clock;
    this.#connect = connectTo;
  }

  async reconcile(request: NamespacedName): Promise<Result> {
    const mysql = await this.#client.find(Maria, request);
    if (!mysql || mysql.metadata.deletionTimestamp) return;
    const children = new Children(this.#client, mysql, { clock: this.#clock });
    const operatorSecret = await ensureOperatorSecret(this.#client, mysql);
    const key = decode(operatorSecret, "password");
    const password = await readPassword(this.#client, mysql);
    const authority = await readAuthority(this.#client, mysql);
    const problems = [password, authority].filter((one) => typeof one === "object");
    if (typeof password === "string") await setCredentials(mysql, children, password, false);
    await setChildren(this.#client, mysql, children, operatorSecret);
    const cronJob = await children.find(CronJob, namesOf(mysql).backup);

    // Live reads come after the sessions were opened.
    let live = mysql;
    let servers: readonly Server[] = [];
    let isBusy = false;
    const effects = this.#effectsFor(mysql, () => live);
    const ca = typeof authority === "object" ? "" : authority;
    const sessions = new SqlSessions({ password: key, ca }, effects);
    await sessions.open(this.#connect);
    try {
      const looked = await drive(sessions, async (isLive): Promise<Declared> => {
        if (isLive) live = await this.#client.get(Maria, request, { live: true });
        const { size = 1, primary, acceptLoss, restoreFrom } = live.spec;
        const record: Declared["record"] = async (recorded) => {
          live = await this.#client.patchStatus(Maria, live, {
            ...live.status,
            ...fieldsOf(recorded),
          });
        };
        const wish = { size, primary, acceptLoss, isRestored: restoreFrom !== undefined };
        return { wish, recorded: recordedOf(live), record };
      });
      ({ servers } = looked);
      problems.push(...looked.decision.problems);
      isBusy = looked.decision.steps.length > 0;
      const { primary } = recordedOf(live) ?? {};
      const isServing = primary !== undefined && serving(recordedOf(live), servers).has(primary);
      if (isServing && typeof password === "string") {
        await ensureAccount(sessions.sessionWith(primary), live.spec, password, key);
        await setCredentials(mysql, children, password, true);
      }
    } catch (error) {
      if (error instanceof ApiError) throw error;
      problems.push({ reason: "StepFailed", message: (error as Error).message });
    } finally {
      sessions.close();
    }

    await this.#showPods(live, servers);
    problems.push(...children.rejections, ...(await this.#backupProblems(mysql)));
    const status = statusFor(live, servers, problems, cronJob, this.#clock);
    await this.#client.patchStatus(Maria, live, status);
    const isReady = isConditionTrue(status.conditions, "Ready");
    return { requeueAfter: isBusy ? "1s" : isReady ? "30s" : "5s" };
  }

  #effectsFor(mysql: Stored<Maria>, latest: () => Stored<Maria>): Effects {
    const { namespace } = mysql.metadata;
    const names = namesOf(mysql);
    return {
      places: async (isLive) => {
        const set = await this.#client.find(StatefulSet, { namespace, name: names.servers });
        const pods = await podsOf(this.#client, latest(), isLive);
        return placesOf(pods, set?.status?.updateRevision);
      },
      restart: async ({ name, pod: uid }) => {
        await this.#client.delete(Pod, { namespace, name }, { preconditions: { uid } });
      },
      restoreHost: async () => {
        const pod = await this.#client.get(Pod, { namespace, name: names.restore });
        if (pod.status?.podIP) return pod.status.podIP;
        const why = podProblem(pod)?.message ?? "its pod has no address yet";
        throw new Error(`the server with the backup: ${why}`);
      },
    };
  }

  async #backupProblems(mysql: Stored<Maria>): Promise<Problem[]> {
    const { namespace } = mysql.metadata;
    const backups = { namespace, labels: labelsOf(mysql, "backup") };
    return backupProblems(
      await this.#client.list(Job, backups),
      await this.#client.list(Pod, backups),
    );
  }

  /** Labels the pods that the Services select. One that doesn't answer us may answer its clients: its probe says so. */
  async #showPods(mysql: Stored<Maria>, servers: readonly Server[]): Promise<void> {
    const recorded = recordedOf(mysql);
    const ready = serving(recorded, servers);
    const { namespace } = mysql.metadata;
    for (const pod of await this.#client.list(Pod, { namespace, labels: labelsOf(mysql) })) {
      const server = servers.find(({ pod: uid, says }) => says && uid === pod.metadata.uid);
      if (!server) continue;
      const reads = ready.has(server.ordinal) ? "true" : undefined;
      const writes = server.ordinal === recorded?.primary ? reads : undefined;
      const wanted = Object.entries({ [readsLabel]: reads, [writesLabel]: writes });
      const { labels = {} } = pod.metadata;
      if (wanted.every(([label, value]) => labels[label] === value)) continue;
      await this.#client.patch(Pod, pod, ({ metadata }) => {
        metadata.labels ??= {};
        for (const [label, value] of wanted) {
          if (value === undefined) delete metadata.labels[label];
          else metadata.labels[label] = value;
        }
      });
    }
  }
}

/** The index of MySQL objects by the Secrets that they name. */
const bySecret = "secrets";

/** Registers the controller and the kinds that it watches. */
export function setupMariaController(manager: Manager, connectTo: Connect = connect): void {
  const { client, cache } = manager;
  cache.addIndex(Maria, bySecret, ({ spec: { passwordSecret, tls } }) =>
    [passwordSecret?.name, tls?.secretName].filter((name) => name !== undefined),
  );
  // Whichever of this operator's kinds they belong to: all share one cache.
  for (const kind of [Pod, PersistentVolumeClaim, Secret, Job]) {
    cache.keepOnly(kind, { labels: "app.kubernetes.io/managed-by=maria-operator" });
  }
  manager
    .controllerFor(Maria, { predicates: [generationChanged] })
    .named("maria")
    .pausable()
    .withPredicates(notOwnWrite)
    .owns(StatefulSet)
    .owns(Service)
    .owns(Secret)
    .owns(PodDisruptionBudget)
    .owns(CronJob)
    .watches(Pod, byInstance)
    .watches(Job, byInstance)
    .watches(PersistentVolumeClaim, byInstance)
    .watches(metadataOnly(Secret), async ({ metadata: { namespace, name } }) => {
      const users = await client.list(Maria, { namespace, fields: { [bySecret]: name } });
      return users.map(({ metadata }) => ({ namespace, name: metadata.name }));
    })
    .complete(new MariaReconciler(manager, connectTo));
}

/** Maps an object of a server to its MySQL. */
function byInstance({ metadata }: Stored<KubernetesObject>): NamespacedName[] {
  const { namespace, labels = {} } = metadata;
  const name = labels["app.kubernetes.io/instance"];
  return name ? [{ namespace, name }] : [];
}
