import type { KubernetesObject } from "@tsbuilder/runtime";
import type { Scenario, State, Step } from "@tsbuilder/simulation";
import { applyShop, shopScenario } from "../simulated-shop.ts";

const labels = { app: "work" };
const containers = [{ name: "work", image: "work:1" }];
const template = { metadata: { labels }, spec: { containers } };
const selector = { matchLabels: labels };
const once = { metadata: {}, spec: { restartPolicy: "Never", containers } };

const apply = (apiVersion: string, kind: string, name: string, spec: object): Step => ({
  do: "apply",
  object: { apiVersion, kind, metadata: { namespace: "default", name }, spec } as KubernetesObject,
});

const set = (replicas: number): Step =>
  apply("apps/v1", "StatefulSet", "set", { replicas, serviceName: "set", selector, template });

const remove = (apiVersion: string, kind: string, name: string): Step => ({
  do: "delete",
  target: { apiVersion, kind, namespace: "default", name },
});

interface Counted extends KubernetesObject {
  readonly spec: { readonly replicas?: number; readonly completions?: number };
  readonly status?: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly succeeded?: number;
    readonly observedGeneration?: number;
  };
}

/** True if every owner reference names an existing owner. */
function hasNoOrphans({ objects }: State): boolean {
  const uids = new Set(objects.map(({ metadata }) => metadata.uid));
  return objects.every(({ metadata: { ownerReferences = [] } }) =>
    ownerReferences.every(({ uid }) => uids.has(uid)),
  );
}

function areCounted(state: State): boolean {
  const podsOf = ({ metadata: { uid } }: KubernetesObject): number =>
    state
      .list("Pod")
      .filter(({ metadata: { ownerReferences = [] } }) => ownerReferences.some((owner) => owner.uid === uid))
      .length;
  const sets = ["StatefulSet", "ReplicaSet"].flatMap((kind) => state.list(kind) as readonly Counted[]);
  const jobs = state.list("Job") as readonly Counted[];
  return (
    sets.every((each) => {
      const { spec, status = {} } = each;
      const counts = [podsOf(each), status.replicas ?? 0, status.readyReplicas ?? 0];
      return (
        counts.every((count) => count === spec.replicas) &&
        status.observedGeneration === each.metadata.generation
      );
    }) && jobs.every(({ spec, status }) => status?.succeeded === spec.completions)
  );
}

/** The work of the cluster's own controllers; the operator is there to be disturbed. */
export const workloads: Scenario = {
  ...shopScenario(),
  steps: [
    applyShop("a", { size: 1 }),
    set(1),
    apply("apps/v1", "Deployment", "web", {
      replicas: 2,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers } },
    }),
    apply("batch/v1", "Job", "job", { completions: 2, parallelism: 1, template: once }),
    set(3),
    remove("apps/v1", "Deployment", "web"),
    apply("batch/v1", "CronJob", "cron", {
      schedule: "*/20 * * * *",
      successfulJobsHistoryLimit: 1,
      jobTemplate: { spec: { template: once } },
    }),
    set(2),
    apply("apps/v1", "Deployment", "web", {
      replicas: 1,
      selector: { matchLabels: { app: "web" } },
      template: { metadata: { labels: { app: "web" } }, spec: { containers } },
    }),
  ],
  controllers: ["deployment", "replicaset", "statefulset", "job", "cronjob", "scheduler", "node", "kubelet"],
  eventually: { "nothing is without its owner": hasNoOrphans, "everything has its pods": areCounted },
};
