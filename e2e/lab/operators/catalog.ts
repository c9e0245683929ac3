import type { KubernetesObject } from "@tsbuilder/runtime";
import type { ManifestObject } from "../../../src/ship/manifest.ts";

/** An operator of other people: its pin, how it runs, and a sample. Nothing else of it stands in this repository. */
export interface ForeignOperator {
  readonly name: string;
  readonly module: string;
  readonly version: string;
  /** The folder of its main package, in the module. */
  readonly main: string;
  /** The namespace of its ServiceAccount. */
  readonly namespace: string;
  /** Manifests and kustomizations of the module. */
  readonly manifests: readonly string[];
  /** How it is started; `bin/manager` is the program. */
  readonly command: string;
  /** A program of `stand-ins` that the command needs, in place of the system that it manages: `bin/NAME.mjs`. */
  readonly standIn?: string;
  /** Manifests of ours: what its pod or its company would bring. */
  readonly extras?: readonly ManifestObject[];
  readonly sample: ManifestObject;
  /** Returns true for a sample that the operator calls ready. */
  readonly isReady: (sample: Sample) => boolean;
}

/** A sample as its operator keeps it. */
export interface Sample extends KubernetesObject {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    readonly state?: string;
    readonly phase?: string;
    readonly replicatedJobsStatus?: readonly { readonly ready: number }[];
  };
}

/** A pod's template with one container. */
const pod = (name: string, restartPolicy = "Always"): object => ({
  spec: { restartPolicy, containers: [{ name, image: "registry.example/any" }] },
});

/** Returns whether all of some conditions are true. */
const has =
  (...types: readonly string[]) =>
  ({ status }: Sample): boolean =>
    types.every((type) =>
      status?.conditions?.some((condition) => condition.type === type && condition.status === "True"),
    );

/** The command of an operator that reads from a file only where its webhooks listen. */
const configuredBy = (apiVersion: string): string =>
  [
    `printf 'apiVersion: ${apiVersion}\\nkind: Configuration\\ninternalCertManagement: {enable: false}\\n`,
    String.raw`webhook: {host: %s, port: %s, certDir: %s}\n' "$WEBHOOK_HOST" "$WEBHOOK_PORT" "$WEBHOOK_CERT_DIR"`,
    ' > "$WEBHOOK_CERT_DIR/config.yaml" && exec bin/manager --config "$WEBHOOK_CERT_DIR/config.yaml"',
    " --leader-elect=false --metrics-bind-address 127.0.0.1:0 --health-probe-bind-address 127.0.0.1:0",
  ].join("");

const rabbitmq = {
  main: ".",
  namespace: "rabbitmq-system",
  manifests: [
    "config/crd/bases/rabbitmq.com_rabbitmqclusters.yaml",
    ...[
      "role",
      "role_binding",
      "leader_election_role",
      "leader_election_role_binding",
      "service_account",
    ].map((name) => `config/rbac/${name}.yaml`),
    "config/manager/manager.yaml",
  ],
  // It reads its kubeconfig from a variable of its own, and else from its pod.
  command: "OPERATOR_NAMESPACE=$POD_NAMESPACE KUBE_CONFIG=$KUBECONFIG bin/manager --metrics-addr 127.0.0.1:0",
  sample: {
    apiVersion: "rabbitmq.com/v1beta1",
    kind: "RabbitmqCluster",
    metadata: { name: "sample" },
    // It would run commands in containers otherwise, which pods don't have here.
    spec: { replicas: 1, skipPostDeploySteps: true, persistence: { storage: "10Gi" } },
  },
  isReady: has("AllReplicasReady", "ClusterAvailable"),
} satisfies Partial<ForeignOperator>;

export const operators: readonly ForeignOperator[] = [
  { ...rabbitmq, name: "rabbitmq-1.6", module: "github.com/rabbitmq/cluster-operator", version: "v1.6.0" },
  {
    name: "zookeeper-0.2",
    module: "github.com/pravega/zookeeper-operator",
    version: "v0.2.15",
    main: ".",
    namespace: "zookeeper-system",
    manifests: [
      "config/crd/bases/zookeeper.pravega.io_zookeeperclusters.yaml",
      "config/rbac/all_ns_rbac.yaml",
      "config/manager/manager.yaml",
    ],
    command:
      "POD_NAME=zookeeper-operator node bin/zookeeper.mjs sample-client.default.svc.cluster.local bin/manager --metrics-bind-address 127.0.0.1:0",
    standIn: "zookeeper",
    // Its lock is owned by its pod.
    extras: [
      {
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: "zookeeper-operator", namespace: "zookeeper-system" },
        spec: { containers: [{ name: "operator", image: "zookeeper-operator" }] },
      },
    ],
    sample: {
      apiVersion: "zookeeper.pravega.io/v1beta1",
      kind: "ZookeeperCluster",
      metadata: { name: "sample" },
      spec: { replicas: 3, persistence: { reclaimPolicy: "Delete" } },
    },
    isReady: has("PodsReady"),
  },
  {
    name: "kuberay-1.5",
    module: "github.com/ray-project/kuberay/ray-operator",
    version: "v1.5.0",
    main: ".",
    namespace: "ray-system",
    manifests: ["config/default"],
    command:
      "bin/manager --metrics-addr 127.0.0.1:0 --health-probe-bind-address 127.0.0.1:0 --leader-election-namespace $POD_NAMESPACE",
    sample: {
      apiVersion: "ray.io/v1",
      kind: "RayCluster",
      metadata: { name: "sample" },
      spec: {
        headGroupSpec: { rayStartParams: {}, template: pod("ray-head") },
        workerGroupSpecs: [
          {
            groupName: "workers",
            replicas: 2,
            minReplicas: 1,
            maxReplicas: 5,
            rayStartParams: {},
            template: pod("ray-worker"),
          },
        ],
      },
    },
    isReady: ({ status }) => status?.state === "ready",
  },
  {
    name: "jobset-0.8",
    module: "sigs.k8s.io/jobset",
    version: "v0.8.0",
    main: ".",
    namespace: "jobset-system",
    manifests: ["config/default"],
    command: configuredBy("config.jobset.x-k8s.io/v1alpha1"),
    sample: {
      apiVersion: "jobset.x-k8s.io/v1alpha2",
      kind: "JobSet",
      metadata: { name: "sample" },
      spec: {
        replicatedJobs: [
          {
            name: "workers",
            replicas: 2,
            template: { spec: { parallelism: 2, completions: 2, template: pod("worker", "Never") } },
          },
        ],
      },
    },
    isReady: (sample) => sample.status?.replicatedJobsStatus?.[0]?.ready === 2 || has("Completed")(sample),
  },
  {
    name: "lws-0.6",
    module: "sigs.k8s.io/lws",
    version: "v0.6.0",
    main: "cmd",
    namespace: "lws-system",
    manifests: ["config/default"],
    command: configuredBy("config.lws.x-k8s.io/v1alpha1"),
    sample: {
      apiVersion: "leaderworkerset.x-k8s.io/v1",
      kind: "LeaderWorkerSet",
      metadata: { name: "sample" },
      spec: { replicas: 2, leaderWorkerTemplate: { size: 2, workerTemplate: pod("worker") } },
    },
    isReady: has("Available"),
  },
  {
    name: "argo-rollouts-1.8",
    module: "github.com/argoproj/argo-rollouts",
    version: "v1.8.0",
    main: "cmd/rollouts-controller",
    namespace: "argo-rollouts",
    manifests: ["manifests/install.yaml"],
    command: "bin/manager --leader-elect=false --metricsport 0 --healthzPort 0",
    sample: {
      apiVersion: "argoproj.io/v1alpha1",
      kind: "Rollout",
      metadata: { name: "sample" },
      spec: {
        replicas: 3,
        selector: { matchLabels: { app: "sample" } },
        template: { metadata: { labels: { app: "sample" } }, ...pod("web") },
        strategy: { canary: { steps: [{ setWeight: 50 }, { pause: { duration: "5s" } }] } },
      },
    },
    isReady: ({ status }) => status?.phase === "Healthy",
  },
];
