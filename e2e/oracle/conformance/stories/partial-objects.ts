import { builtinResources } from "@tsbuilder/apimachinery/kinds";
import { partialStory, type PartialTable } from "../../differential/partial-objects.ts";
import { merge, post, type Step, type Story, story } from "../story.ts";

type Table = Omit<PartialTable, "type">;

const containers = [{ name: "c", image: "i:1" }];
const labels = { app: "a" };
const metadata = { name: "a" };
const workload = {
  selector: { matchLabels: labels },
  template: { metadata: { labels }, spec: { containers } },
};

/** Fields in which the two servers once differed when all values of all kinds were compared. */
const tables: readonly Table[] = [
  {
    path: "/api/v1/nodes",
    base: { apiVersion: "v1", kind: "Node", metadata: { name: "{ns}" } },
    updates: /^spec\.|^status\.(addresses\[\+\]|capacity|conditions|declared|features|nodeInfo\.os)/,
    statuses: /^status\.(addresses|capacity|conditions\[\+\]|daemon|declared|features|images\[\]\{)/,
  },
  {
    path: "/api/v1/namespaces",
    base: { apiVersion: "v1", kind: "Namespace", metadata: { name: "{ns}-a" } },
    updates: /./,
    statuses: /^status(\{\}|\.phase|\.conditions\[\+\])/,
  },
  {
    path: "/api/v1/namespaces/{ns}/pods",
    base: { apiVersion: "v1", kind: "Pod", metadata, spec: { containers } } as Table["base"],
    creations:
      /^spec\.(containers\[\+\]\.(lifecycle|ports|resources)|resources|volumes\[\+\]\.projected|schedulingG|hostN)/,
    statuses:
      /^status\.(conditions\[\]|containerStatuses\[\]\.(allocatedResourcesStatus|state\.term|volumeM)|ephemeralContainerStatuses\[\].alloc|hostIP|nominated|nodeAll|observed|podIP|qos|resourceClaimS)/,
  },
  {
    path: "/api/v1/namespaces/{ns}/persistentvolumeclaims",
    base: {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata,
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    } as Table["base"],
    creations: /^spec\.dataSource/,
    statuses: /^status\.(allocated|capacity)/,
  },
  {
    path: "/apis/apps/v1/namespaces/{ns}/statefulsets",
    base: { apiVersion: "apps/v1", kind: "StatefulSet", metadata, spec: workload } as Table["base"],
    creations: /^spec\.(updateStrategy|volumeClaimTemplates\[\].spec.dataSourceRef)/,
    updates: /^spec\.updateStrategy/,
  },
  {
    path: "/apis/apps/v1/namespaces/{ns}/daemonsets",
    base: { apiVersion: "apps/v1", kind: "DaemonSet", metadata, spec: workload } as Table["base"],
    creations: /^spec\.template\.spec\.(hostNetwork|schedulingGroup|containers\[\+\]\.lifecycle)/,
    updates: /^spec\.template\.spec\.(hostNetwork|schedulingGroup|containers\[\+\]\.lifecycle)/,
  },
  {
    path: "/apis/batch/v1/namespaces/{ns}/jobs",
    base: {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata,
      spec: { suspend: true, template: { spec: { restartPolicy: "Never", containers } } },
    } as Table["base"],
    statuses: /^status/,
  },
  {
    path: "/apis/batch/v1/namespaces/{ns}/cronjobs",
    base: {
      apiVersion: "batch/v1",
      kind: "CronJob",
      metadata,
      spec: {
        schedule: "* * * * *",
        jobTemplate: { spec: { template: { spec: { restartPolicy: "Never", containers } } } },
      },
    } as Table["base"],
    creations: /^spec\.jobTemplate\.spec\.podFailurePolicy/,
  },
  {
    path: "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
    base: { apiVersion: "policy/v1", kind: "PodDisruptionBudget", metadata },
    statuses: /^status/,
  },
];

/** Valid objects with one more value, and what the server adds to it, drops of it, or says to it. */
const tableStories = await Promise.all(
  tables.map((table) => {
    const { type } = builtinResources().find(({ kind }) => kind === table.base.kind)!;
    return partialStory({ ...table, type });
  }),
);

const pods = "/api/v1/namespaces/{ns}/pods";
const jobs = "/apis/batch/v1/namespaces/{ns}/jobs";
const pod = (name: string, spec: object): object => ({ metadata: { name }, spec: { containers, ...spec } });
const ended = (exitCode: number): object => ({ name: "c", state: { terminated: { exitCode } } });
const running = { name: "c", state: { running: {} } };
const job = (name: string, spec: object = {}, labelled: object = {}): object => ({
  metadata: { name, ...labelled },
  spec: { template: { metadata: { labels }, spec: { restartPolicy: "Never", containers } }, ...spec },
});
const time = (second: number): string => `2026-01-01T00:00:0${second}Z`;
const condition = (type: string, status = "True"): object => ({ type, status });
const ofJob = (name: string, status: object): Step => merge(`${jobs}/${name}/status`, { status });
const ofPod = (name: string, status: object): Step => merge(`${pods}/${name}/status`, { status });
const finished = { startTime: time(1), completionTime: time(2) };
const resources = (requests: object, limits: object = {}): object => ({
  containers: [{ ...containers[0], resources: { requests, limits } }],
});

const statusStories: readonly Story[] = [
  story("what has ended in a pod stays so unless it restarts", [
    post(pods, pod("never", { restartPolicy: "Never" })),
    ofPod("never", { containerStatuses: [ended(1)] }),
    ofPod("never", { containerStatuses: [running] }),
    post(pods, pod("failing", { restartPolicy: "OnFailure" })),
    ofPod("failing", { containerStatuses: [ended(1)] }),
    ofPod("failing", { containerStatuses: [running] }),
    ofPod("failing", { containerStatuses: [ended(0)] }),
    ofPod("failing", { containerStatuses: [running] }),
    post(pods, pod("always", {})),
    ofPod("always", { containerStatuses: [ended(0)], ephemeralContainerStatuses: [ended(0)] }),
    ofPod("always", { containerStatuses: [running], ephemeralContainerStatuses: [running] }),
    ofPod("always", { podIP: "10.0.0.1" }),
    ofPod("always", { podIPs: [{ ip: "10.0.0.2" }] }),
    ofPod("always", { podIP: "10.0.0.3", podIPs: [{ ip: "10.0.0.3" }, { ip: "10.0.0.4" }] }),
    ofPod("always", { hostIP: "10.0.0.1", hostIPs: [{ ip: "10.0.0.1" }, { ip: "fd00::1" }] }),
    ofPod("always", { qosClass: "Guaranteed" }),
  ]),
  story("the status of a Job goes forward", [
    post(jobs, job("a")),
    ofJob("a", { conditions: [condition("Complete")] }),
    ofJob("a", { conditions: [condition("Complete")], ...finished }),
    ofJob("a", {
      conditions: [condition("Complete"), condition("SuccessCriteriaMet")],
      succeeded: 1,
      ...finished,
    }),
    ofJob("a", { completionTime: time(3) }),
    ofJob("a", { startTime: time(3) }),
    ofJob("a", { succeeded: 0, active: 1 }),
    ofJob("a", { conditions: [] }),
    post(jobs, job("b")),
    ofJob("b", { conditions: [condition("Failed")], startTime: time(1) }),
    ofJob("b", {
      conditions: [condition("Failed"), condition("FailureTarget"), condition("Complete")],
      startTime: time(1),
    }),
    ofJob("b", {
      conditions: [condition("Failed"), condition("FailureTarget")],
      startTime: time(1),
      failed: 2,
    }),
    ofJob("b", { failed: 1 }),
    ofJob("b", { ready: 1, terminating: 1, active: 1 }),
    ofJob("b", { uncountedTerminatedPods: { succeeded: ["a", "a"], failed: ["", "a"] } }),
    post(jobs, job("c", { completions: 5, completionMode: "Indexed", backoffLimitPerIndex: 1 })),
    ofJob("c", { completedIndexes: "1,3-4", failedIndexes: "0,3" }),
    ofJob("c", { completedIndexes: "4-3", failedIndexes: "9" }),
    ofJob("c", {
      completedIndexes: "1,3-4",
      failedIndexes: "0",
      startTime: time(2),
      completionTime: time(1),
    }),
  ]),
  story("a Job that has the labels of its pods keeps them", [
    post(jobs, job("same", {}, { labels })),
    post(jobs, job("none")),
    post(jobs, job("other", {}, { labels: { app: "b" } })),
  ]),
  story("the class of a pod follows from amounts above zero, of the pod or its containers", [
    post(pods, pod("zero", resources({ cpu: "0" }))),
    post(pods, pod("equal", resources({ cpu: "1", memory: "1Gi" }, { cpu: "1", memory: "1Gi" }))),
    post(pods, pod("half", resources({ cpu: "1" }, { cpu: "1" }))),
    post(pods, pod("whole", { resources: { requests: { cpu: "1" } } })),
    post(pods, pod("limited", { resources: { limits: { cpu: "1", memory: "1Gi" } } })),
    post(
      pods,
      pod("inner", { ...resources({ cpu: "1" }), resources: { limits: { cpu: "2", memory: "1Gi" } } }),
    ),
    post(
      pods,
      pod("open", { hostNetwork: true, containers: [{ ...containers[0], ports: [{ containerPort: 80 }] }] }),
    ),
  ]),
  story("limits without entries, and pods without containers", [
    post("/api/v1/namespaces/{ns}/limitranges", { metadata, spec: { limits: null } }),
    post(pods, pod("first", {})),
    post("/api/v1/namespaces/{ns}/limitranges", {
      metadata: { name: "b" },
      spec: { limits: [{ type: "Container", default: { cpu: "1" } }] },
    }),
    post(pods, { metadata: { name: "empty" }, spec: {} }),
    post(pods, { metadata: { name: "empty" } }),
    post(pods, pod("second", {})),
  ]),
];

export const partialObjectStories: readonly Story[] = [...tableStories, ...statusStories];
