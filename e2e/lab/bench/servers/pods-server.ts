import http from "node:http";
import type { AddressInfo } from "node:net";

/** Serves lists and watches of many realistic pods, in a separate process, so that its memory is not counted. */
const count = Number(process.argv[2] ?? 10_000);
const version = "1000000";

const pods = Array.from({ length: count }, (_, at) => JSON.stringify(pod(at)));

const kinds = {
  kind: "APIResourceList",
  apiVersion: "v1",
  groupVersion: "v1",
  resources: [{ name: "pods", singularName: "pod", namespaced: true, kind: "Pod", verbs: ["list", "watch"] }],
};

const server = http.createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://bench");
  response.writeHead(200, { "content-type": "application/json" });
  if (pathname === "/api/v1") {
    // Clients in Go need discovery first.
    response.end(JSON.stringify(kinds));
    return;
  }
  if (request.method !== "GET") {
    request.resume().on("end", () => response.end(pods[0]));
    return;
  }
  if (searchParams.get("watch") !== "true") {
    response.end(
      `{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"${version}"},"items":[${pods.join(",")}]}`,
    );
    return;
  }
  if (searchParams.get("sendInitialEvents") === "true") {
    for (const each of pods) response.write(`{"type":"ADDED","object":${each}}\n`);
    const annotations = { "k8s.io/initial-events-end": "true" };
    const object = { kind: "Pod", apiVersion: "v1", metadata: { resourceVersion: version, annotations } };
    response.write(`${JSON.stringify({ type: "BOOKMARK", object })}\n`);
  }
});
server.listen(0, "127.0.0.1", () => {
  process.send?.((server.address() as AddressInfo).port);
});
process.on("disconnect", () => process.exit());

function pod(at: number): object {
  const name = `web-${at % 97}-7d9c6b8f5d-${at.toString(36).padStart(5, "x")}`;
  const time = new Date(Date.UTC(2024, 0, 1) + at * 1000).toISOString().replace(".000", "");
  const labels = {
    app: `web-${at % 97}`,
    "pod-template-hash": "7d9c6b8f5d",
    "app.kubernetes.io/part-of": "shop",
    "app.kubernetes.io/managed-by": "helm",
  };
  const container = (container: string): object => ({
    name: container,
    image: `registry.example.com/shop/${container}:v1.${at % 13}.0`,
    imagePullPolicy: "IfNotPresent",
    ports: [{ name: "http", containerPort: 8080, protocol: "TCP" }],
    env: Array.from({ length: 12 }, (_, n) => ({
      name: `SETTING_${n}`,
      valueFrom: { configMapKeyRef: { name: `web-${at % 97}-settings`, key: `setting-${n}` } },
    })),
    resources: { limits: { cpu: "500m", memory: "256Mi" }, requests: { cpu: "100m", memory: "128Mi" } },
    livenessProbe: {
      httpGet: { path: "/healthz", port: 8080, scheme: "HTTP" },
      periodSeconds: 10,
      failureThreshold: 3,
    },
    readinessProbe: {
      httpGet: { path: "/readyz", port: 8080, scheme: "HTTP" },
      periodSeconds: 5,
      failureThreshold: 3,
    },
    terminationMessagePath: "/dev/termination-log",
    terminationMessagePolicy: "File",
    volumeMounts: [
      { name: "data", mountPath: "/data" },
      { name: "kube-api-access", mountPath: "/var/run/secrets/kubernetes.io/serviceaccount", readOnly: true },
    ],
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] }, runAsNonRoot: true },
  });
  const fields = (keys: readonly string[]): object =>
    Object.fromEntries(
      keys.map((key) => [`f:${key}`, { ".": {}, "f:name": {}, "f:value": {}, [`k:{"name":"${key}"}`]: {} }]),
    );
  const manager = (manager: string, keys: readonly string[]): object => ({
    manager,
    operation: "Update",
    apiVersion: "v1",
    time,
    fieldsType: "FieldsV1",
    fieldsV1: { "f:metadata": fields(keys), "f:spec": fields(keys), "f:status": fields(keys) },
  });
  return {
    metadata: {
      name,
      namespace: `team-${at % 20}`,
      uid: `0f3b2c1d-0000-4000-8000-${at.toString(16).padStart(12, "0")}`,
      resourceVersion: String(1000 + at),
      creationTimestamp: time,
      labels,
      annotations: { "prometheus.io/scrape": "true", "prometheus.io/port": "8080", checksum: `sha256:${at}` },
      ownerReferences: [
        {
          apiVersion: "apps/v1",
          kind: "ReplicaSet",
          name: `web-${at % 97}-7d9c6b8f5d`,
          uid: `1f3b2c1d-0000-4000-8000-${(at % 97).toString(16).padStart(12, "0")}`,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      managedFields: [
        manager("kube-controller-manager", [
          "containers",
          "env",
          "ports",
          "volumes",
          "labels",
          "ownerReferences",
        ]),
        manager("kubelet", ["conditions", "containerStatuses", "hostIP", "phase", "podIP", "startTime"]),
      ],
    },
    spec: {
      containers: [container("server"), container("sidecar")],
      volumes: [
        { name: "data", emptyDir: {} },
        {
          name: "kube-api-access",
          projected: {
            sources: [
              { serviceAccountToken: { expirationSeconds: 3607, path: "token" } },
              { configMap: { name: "kube-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
            ],
            defaultMode: 420,
          },
        },
      ],
      restartPolicy: "Always",
      terminationGracePeriodSeconds: 30,
      dnsPolicy: "ClusterFirst",
      serviceAccountName: "web",
      nodeName: `node-${at % 50}`,
      schedulerName: "default-scheduler",
      tolerations: ["not-ready", "unreachable"].map((key) => ({
        key: `node.kubernetes.io/${key}`,
        operator: "Exists",
        effect: "NoExecute",
        tolerationSeconds: 300,
      })),
    },
    status: {
      phase: "Running",
      hostIP: `10.0.0.${at % 50}`,
      podIP: `10.244.${at % 250}.${at % 199}`,
      podIPs: [{ ip: `10.244.${at % 250}.${at % 199}` }],
      startTime: time,
      qosClass: "Burstable",
      conditions: ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map((type) => ({
        type,
        status: "True",
        lastProbeTime: null,
        lastTransitionTime: time,
      })),
      containerStatuses: ["server", "sidecar"].map((name) => ({
        name,
        state: { running: { startedAt: time } },
        lastState: {},
        ready: true,
        restartCount: 0,
        image: `registry.example.com/shop/${name}:v1.${at % 13}.0`,
        imageID: `registry.example.com/shop/${name}@sha256:${String(at % 13).padStart(64, "0")}`,
        containerID: `containerd://${at.toString(16).padStart(64, "0")}`,
        started: true,
      })),
    },
  };
}
