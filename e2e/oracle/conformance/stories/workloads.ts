import { get, merge, post, put, type Story, story } from "../story.ts";

const core = "/api/v1/namespaces/{ns}";
const apps = "/apis/apps/v1/namespaces/{ns}";
const batch = "/apis/batch/v1/namespaces/{ns}";
const template = {
  metadata: { labels: { app: "x" } },
  spec: { containers: [{ name: "c", image: "nginx" }] },
};
const selector = { matchLabels: { app: "x" } };
const job = { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } };

export const workloads: readonly Story[] = [
  story("Deployment", [
    post(`${apps}/deployments`, { metadata: { name: "a" }, spec: { selector, template } }),
    merge(`${apps}/deployments/a`, { spec: { selector: { matchLabels: { app: "y" } } } }),
    merge(`${apps}/deployments/a`, { spec: { replicas: 3 } }),
    merge(`${apps}/deployments/a`, { spec: { replicas: -1 } }),
    post(`${apps}/deployments`, {
      metadata: { name: "b" },
      spec: { selector: { matchLabels: { app: "z" } }, template },
    }),
    post(`${apps}/deployments`, { metadata: { name: "b" }, spec: {} }),
    post(`${apps}/deployments`, {
      metadata: { name: "b" },
      spec: { selector, template, strategy: { type: "Recreate" } },
    }),
    post(`${apps}/deployments`, {
      metadata: { name: "c" },
      spec: { selector, template, strategy: { type: "Nope" } },
    }),
    get(`${apps}/deployments/a/scale`),
    put(`${apps}/deployments/a/scale`, { metadata: { name: "a" }, spec: { replicas: 4 } }),
    merge(`${apps}/deployments/a/status`, {
      status: { replicas: 2, readyReplicas: 1 },
      spec: { replicas: 9 },
    }),
  ]),
  story("StatefulSet", [
    post(`${apps}/statefulsets`, { metadata: { name: "a" }, spec: { selector, template, serviceName: "a" } }),
    post(`${apps}/statefulsets`, {
      metadata: { name: "b" },
      spec: {
        selector,
        template,
        serviceName: "b",
        volumeClaimTemplates: [
          {
            metadata: { name: "data" },
            spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
          },
        ],
      },
    }),
    merge(`${apps}/statefulsets/a`, { spec: { serviceName: "other" } }),
    merge(`${apps}/statefulsets/a`, { spec: { replicas: 2 } }),
    merge(`${apps}/statefulsets/a`, { spec: { podManagementPolicy: "Parallel" } }),
  ]),
  story("DaemonSet and ReplicaSet", [
    post(`${apps}/daemonsets`, { metadata: { name: "a" }, spec: { selector, template } }),
    post(`${apps}/replicasets`, { metadata: { name: "a" }, spec: { selector, template } }),
    merge(`${apps}/daemonsets/a`, { spec: { selector: { matchLabels: { app: "y" } } } }),
    post(`${core}/replicationcontrollers`, { metadata: { name: "a" }, spec: { template } }),
  ]),
  story("Job and CronJob", [
    post(`${batch}/jobs`, { metadata: { name: "a" }, spec: job }),
    merge(`${batch}/jobs/a`, { spec: { template: { spec: { containers: [{ name: "c", image: "j" }] } } } }),
    merge(`${batch}/jobs/a`, { spec: { parallelism: 2 } }),
    merge(`${batch}/jobs/a`, { spec: { completions: 2 } }),
    post(`${batch}/jobs`, {
      metadata: { name: "b" },
      spec: { template: { spec: { containers: [{ name: "c", image: "i" }] } } },
    }),
    post(`${batch}/cronjobs`, {
      metadata: { name: "a" },
      spec: { schedule: "*/5 * * * *", jobTemplate: { spec: job } },
    }),
    post(`${batch}/cronjobs`, {
      metadata: { name: "b" },
      spec: { schedule: "nonsense", jobTemplate: { spec: job } },
    }),
  ]),
  story("Pod", [
    post(`${core}/pods`, { metadata: { name: "a" }, spec: { containers: [{ name: "c", image: "nginx" }] } }),
    post(`${core}/pods`, {
      metadata: { name: "b" },
      spec: {
        containers: [
          {
            name: "c",
            image: "nginx:1",
            ports: [{ containerPort: 80 }],
            resources: { limits: { cpu: "1000m", memory: "1024Mi" } },
            env: [{ name: "N", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } }],
            livenessProbe: { httpGet: { path: "/", port: 80 } },
          },
        ],
        volumes: [
          { name: "v", emptyDir: {} },
          { name: "c", configMap: { name: "x" } },
        ],
      },
    }),
    post(`${core}/pods`, { metadata: { name: "c" }, spec: {} }),
    post(`${core}/pods`, {
      metadata: { name: "c" },
      spec: { containers: [{ name: "A", image: "" }, { image: "x" }] },
    }),
    post(`${core}/pods`, {
      metadata: { name: "c" },
      spec: {
        containers: [
          { name: "a", image: "x" },
          { name: "a", image: "x" },
        ],
        restartPolicy: "Maybe",
      },
    }),
    merge(`${core}/pods/a`, { spec: { containers: [{ name: "c", image: "nginx:2" }] } }),
    merge(`${core}/pods/a`, { spec: { nodeName: "n" } }),
    merge(`${core}/pods/a/status`, { status: { phase: "Running" } }),
    post(`${core}/pods/a/binding`, { target: { name: "node" } }),
    get(`${core}/pods/a`),
    post(`${core}/pods/a/binding`, { target: { name: "other" } }),
    post(`${core}/pods/missing/binding`, { target: { name: "other" } }),
    post(`${core}/pods/a/binding`, {}),
    post(`${core}/pods/a/eviction`, { metadata: { name: "a" } }),
  ]),
  story("Service", [
    post(`${core}/services`, { metadata: { name: "a" }, spec: { ports: [{ port: 80 }] } }),
    post(`${core}/services`, {
      metadata: { name: "b" },
      spec: { clusterIP: "None", ports: [{ port: 80, targetPort: "http", name: "x" }] },
    }),
    post(`${core}/services`, {
      metadata: { name: "c" },
      spec: { type: "ExternalName", externalName: "example.com" },
    }),
    post(`${core}/services`, { metadata: { name: "d" }, spec: {} }),
    post(`${core}/services`, { metadata: { name: "d" }, spec: { ports: [{ port: 0 }] } }),
    post(`${core}/services`, { metadata: { name: "d" }, spec: { ports: [{ port: 80 }, { port: 81 }] } }),
    merge(`${core}/services/a`, { spec: { clusterIP: "10.0.0.77" } }),
    merge(`${core}/services/a`, { spec: { selector: { app: "y" } } }),
    merge(`${core}/services/a`, { spec: { type: "Nope" } }),
    merge(`${core}/services/a/status`, { status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } } }),
  ]),
  story("volumes, accounts, budgets", [
    post(`${core}/persistentvolumeclaims`, {
      metadata: { name: "a" },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1024Mi" } } },
    }),
    merge(`${core}/persistentvolumeclaims/a`, { spec: { accessModes: ["ReadWriteMany"] } }),
    post(`${core}/persistentvolumeclaims`, { metadata: { name: "b" }, spec: {} }),
    post(`${core}/serviceaccounts`, { metadata: { name: "a" } }),
    post(`${core}/serviceaccounts/a/token`, { spec: { expirationSeconds: 5 } }),
    post(`${core}/serviceaccounts/missing/token`, { spec: {} }),
    post("/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets", {
      metadata: { name: "a" },
      spec: { minAvailable: 1, selector },
    }),
    post("/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies", {
      metadata: { name: "a" },
      spec: { podSelector: {} },
    }),
    post("/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses", {
      metadata: { name: "a" },
      spec: {
        rules: [
          {
            host: "h",
            http: {
              paths: [
                { path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } },
              ],
            },
          },
        ],
      },
    }),
    post("/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses", { metadata: { name: "b" }, spec: {} }),
    post("/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers", {
      metadata: { name: "a" },
      spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "x", apiVersion: "apps/v1" } },
    }),
    get("/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers/a"),
    post(`${core}/events`, {
      metadata: { name: "e" },
      involvedObject: { kind: "Pod", name: "p", namespace: "{ns}" },
      reason: "Test",
      message: "hello",
      type: "Normal",
      firstTimestamp: "2024-01-01T00:00:00Z",
      lastTimestamp: "2024-01-01T00:00:00Z",
      count: 1,
      source: { component: "me" },
    }),
    get("/apis/events.k8s.io/v1/namespaces/{ns}/events/e"),
  ]),
];
