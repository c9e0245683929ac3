import { merge, post, put, type Step, type Story, story } from "../story.ts";
import { container, type Fields } from "./pod-cases.ts";

const apps = "/apis/apps/v1/namespaces/{ns}";
const core = "/api/v1/namespaces/{ns}";
const selector = { matchLabels: { app: "x" } };
const template = { metadata: { labels: { app: "x" } }, spec: { containers: [container] } };
const pods = (fields: Fields): Fields => ({
  template: { ...template, spec: { ...template.spec, ...fields } },
});

/** Creates objects of a kind that differ in some fields of their spec. */
function cases(path: string, base: Fields, list: readonly Fields[]): Step[] {
  return list.map((fields, index) =>
    post(path, { metadata: { name: `w${index}` }, spec: { ...base, ...fields } }),
  );
}

const rolling = (rollingUpdate: object): Fields => ({ strategy: { type: "RollingUpdate", rollingUpdate } });
const update = (updateStrategy: object): Fields => ({ updateStrategy });
const claims = (...volumeClaimTemplates: object[]): Fields => ({ volumeClaimTemplates });
const claim = (spec: object): object => ({ metadata: { name: "data" }, spec });
const storage = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

/** Workloads that a real server rejects for other reasons than their pods. */
export const workloadRules: readonly Story[] = [
  story("Deployments", [
    ...cases(`${apps}/deployments`, { selector, template }, [
      { selector: {} },
      { selector: { matchExpressions: [{ key: "app", operator: "Maybe" }] } },
      { selector: { matchExpressions: [{ key: "app", operator: "In" }] } },
      { selector: { matchLabels: { app: "x y" } } },
      { replicas: -1, minReadySeconds: -1, revisionHistoryLimit: -1 },
      { progressDeadlineSeconds: 5, minReadySeconds: 5 },
      { strategy: { type: "Recreate", rollingUpdate: { maxSurge: 1 } } },
      rolling({ maxUnavailable: 0, maxSurge: 0 }),
      rolling({ maxUnavailable: "0%", maxSurge: 0 }),
      rolling({ maxUnavailable: "some", maxSurge: -1 }),
      rolling({ maxUnavailable: "120%" }),
      pods({ restartPolicy: "Never" }),
      pods({ activeDeadlineSeconds: 5 }),
      pods({ containers: [{ ...container, image: " padded" }] }),
      pods({ containers: [{ ...container, resources: { limits: { cpu: "1" }, requests: { cpu: "2" } } }] }),
      pods({
        containers: [
          {
            ...container,
            ports: [
              { containerPort: 80, name: "a" },
              { containerPort: 80, name: "b" },
            ],
          },
        ],
      }),
      pods({ containers: [{ ...container, volumeMounts: [{ name: "v", mountPath: "/x" }] }] }),
      pods({ ephemeralContainers: [{ ...container, name: "e" }] }),
      pods({ imagePullSecrets: [{ name: "a" }, { name: "a" }], terminationGracePeriodSeconds: -1 }),
      { template: { ...template, metadata: { labels: { app: "x", "a b": "c" } } } },
      { template: { ...template, metadata: { labels: { app: "x" }, annotations: { "a b": "c" } } } },
    ]),
    post(`${apps}/deployments`, { metadata: { name: "dots.in.name" }, spec: { selector, template } }),
    merge(`${apps}/deployments/dots.in.name`, { spec: { replicas: 2 } }),
    merge(`${apps}/deployments/dots.in.name`, { metadata: { labels: { a: "b" } } }),
    merge(`${apps}/deployments/dots.in.name/status`, { status: { replicas: 1, readyReplicas: 2 } }),
    merge(`${apps}/deployments/dots.in.name/status`, { status: { replicas: -1 } }),
    merge(`${apps}/deployments/dots.in.name/status`, {
      status: { replicas: 2, availableReplicas: 2, readyReplicas: 1 },
    }),
    merge(`${apps}/deployments/dots.in.name/status`, {
      status: { replicas: 1, conditions: [{ type: "Available", status: "True" }] },
    }),
  ]),
  story("ReplicaSets, controllers and templates", [
    ...cases(`${apps}/replicasets`, { selector, template }, [
      { selector: {} },
      { replicas: -1, minReadySeconds: -1 },
      pods({ restartPolicy: "OnFailure", activeDeadlineSeconds: 1 }),
    ]),
    ...cases(`${core}/replicationcontrollers`, { template }, [
      { selector: { app: "other" } },
      { replicas: -1 },
      { template: { spec: { containers: [container] } } },
      pods({ restartPolicy: "Never" }),
    ]),
    post(`${core}/podtemplates`, { metadata: { name: "a" }, template: { spec: { containers: [] } } }),
    post(`${core}/podtemplates`, {
      metadata: { name: "b" },
      template: { spec: { containers: [{ ...container, env: [{ name: "A" }, { name: "A" }] }] } },
    }),
  ]),
  story("DaemonSets", [
    ...cases(`${apps}/daemonsets`, { selector, template }, [
      { selector: {} },
      { selector: { matchLabels: { app: "y" } } },
      update({ type: "Maybe" }),
      update({ rollingUpdate: { maxUnavailable: 0 } }),
      update({ rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } }),
      update({ rollingUpdate: { maxUnavailable: "200%" } }),
      update({ type: "OnDelete" }),
      pods({ restartPolicy: "Never", activeDeadlineSeconds: 3 }),
      { minReadySeconds: -1, revisionHistoryLimit: -1 },
    ]),
    merge(`${apps}/daemonsets/w6/status`, { status: { numberReady: -1 } }),
  ]),
  story("StatefulSets", [
    ...cases(`${apps}/statefulsets`, { selector, template, serviceName: "s" }, [
      { selector: {} },
      { selector: { matchLabels: { app: "y" } } },
      { podManagementPolicy: "Maybe" },
      update({ type: "Maybe" }),
      update({ type: "OnDelete", rollingUpdate: { partition: 1 } }),
      update({ rollingUpdate: { partition: -1 } }),
      { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Maybe" } },
      { serviceName: "Upper.name" },
      { ordinals: { start: -1 } },
      { replicas: -1, minReadySeconds: -1 },
      pods({ restartPolicy: "Never", activeDeadlineSeconds: 3 }),
      pods({ hostname: "UPPER", subdomain: "UPPER" }),
      claims(claim({})),
      claims(claim({ ...storage, accessModes: ["ReadWriteOncePod", "ReadWriteOnce"] })),
      {
        ...claims(claim(storage)),
        ...pods({ containers: [{ ...container, volumeMounts: [{ name: "data", mountPath: "/d" }] }] }),
      },
      { revisionHistoryLimit: -1 },
    ]),
    post(`${apps}/statefulsets`, { metadata: { name: "dots.in" }, spec: { selector, template } }),
    merge(`${apps}/statefulsets/w15/status`, { status: { replicas: 1, currentReplicas: 2 } }),
    merge(`${apps}/statefulsets/w15`, { spec: { serviceName: "other" } }),
  ]),
  story("what may be left out of workloads", [
    post(`${apps}/statefulsets`, { metadata: { name: "plain" }, spec: { selector, template } }),
    post("/api/v1/namespaces/{ns}/replicationcontrollers", { metadata: { name: "a" }, spec: {} }),
    post("/api/v1/namespaces/{ns}/replicationcontrollers", {
      metadata: { name: "a" },
      spec: { selector: { app: "x" }, template: {} },
    }),
    post("/api/v1/nodes?dryRun=All", { metadata: { name: "a" }, status: { config: {} } }),
  ]),
  story("the generation of a DaemonSet's template", [
    post(`${apps}/daemonsets`, { metadata: { name: "a" }, spec: { selector, template } }),
    put(`${apps}/daemonsets/a?fieldManager=m`, { metadata: { name: "a" }, spec: { selector, template } }),
    put(`${apps}/daemonsets/a/status?fieldManager=n`, { metadata: { name: "a" } }),
    merge(`${apps}/daemonsets/a`, { spec: { template: { metadata: { labels: { more: "1" } } } } }),
  ]),
  story(
    "selectors of workloads that can't be used",
    ["deployments", "replicasets"].map((plural) =>
      post(`${apps}/${plural}`, {
        metadata: { name: "a" },
        spec: { selector: { ...selector, matchExpressions: [{}] }, template },
      }),
    ),
  ),
  story(
    "overhead without a RuntimeClass",
    [{}, { cpu: "1" }].map((overhead) =>
      post("/api/v1/namespaces/{ns}/pods", { metadata: { name: "a" }, spec: { ...template.spec, overhead } }),
    ),
  ),
];
