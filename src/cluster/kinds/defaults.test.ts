import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestCluster, type TestCluster } from "../testing/index.ts";
import { send } from "../testing/send.ts";

let cluster: TestCluster;
beforeAll(async () => {
  cluster = await startTestCluster();
});
afterAll(() => cluster.stop());

const admission = "/apis/admissionregistration.k8s.io/v1";
const matchEverything = { matchPolicy: "Equivalent", namespaceSelector: {}, objectSelector: {} };
const rule = {
  operations: ["CREATE"],
  apiGroups: ["example.com"],
  apiVersions: ["v1"],
  resources: ["things"],
};
const webhook = {
  name: "a.example.com",
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  rules: [rule],
};
const devices = { requests: [{ name: "gpu", exactly: { deviceClassName: "gpu.example.com" } }] };
const defaultedDevices = { requests: [{ exactly: { allocationMode: "ExactCount", count: 1 } }] };

/** What kube-apiserver 1.36.3 adds to each of these. */
test.each([
  [
    `${admission}/validatingwebhookconfigurations`,
    { webhooks: [{ ...webhook, clientConfig: { service: { name: "s", namespace: "default" } } }] },
    {
      webhooks: [
        {
          ...matchEverything,
          failurePolicy: "Fail",
          timeoutSeconds: 10,
          rules: [{ scope: "*" }],
          clientConfig: { service: { port: 443 } },
        },
      ],
    },
  ],
  [
    `${admission}/mutatingwebhookconfigurations`,
    { webhooks: [{ ...webhook, clientConfig: { url: "https://a.example.com" }, failurePolicy: "Ignore" }] },
    { webhooks: [{ ...matchEverything, failurePolicy: "Ignore", reinvocationPolicy: "Never" }] },
  ],
  [
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
    {
      metadata: { name: "things.example.com" },
      spec: {
        group: "example.com",
        scope: "Cluster",
        names: { plural: "things", kind: "Thing" },
        versions: [
          { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
        ],
        conversion: {
          strategy: "Webhook",
          webhook: {
            conversionReviewVersions: ["v1"],
            clientConfig: { service: { name: "s", namespace: "default" } },
          },
        },
      },
    },
    { spec: { conversion: { webhook: { clientConfig: { service: { port: 443 } } } } } },
  ],
  [
    `${admission}/validatingadmissionpolicies`,
    { spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: "true" }] } },
    {
      spec: {
        failurePolicy: "Fail",
        matchConstraints: { ...matchEverything, resourceRules: [{ scope: "*" }] },
      },
      status: {},
    },
  ],
  [
    `${admission}/validatingadmissionpolicybindings`,
    { spec: { policyName: "p", validationActions: ["Deny"], matchResources: {} } },
    { spec: { matchResources: matchEverything } },
  ],
  [
    "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies",
    { spec: { podSelector: {}, ingress: [{ ports: [{ port: 80 }, {}] }], egress: [{ ports: [{}] }] } },
    {
      spec: {
        policyTypes: ["Ingress", "Egress"],
        ingress: [{ ports: [{ port: 80, protocol: "TCP" }, { protocol: "TCP" }] }],
        egress: [{ ports: [{ protocol: "TCP" }] }],
      },
    },
  ],
  [
    "/apis/networking.k8s.io/v1/ingressclasses",
    { spec: { controller: "example.com/c", parameters: { kind: "K", name: "n" } } },
    { spec: { parameters: { scope: "Cluster" } } },
  ],
  [
    "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices",
    { addressType: "IPv4", ports: [{ port: 80 }], endpoints: [{ addresses: ["10.0.0.1"] }] },
    { ports: [{ name: "", protocol: "TCP" }], endpoints: [{ conditions: {} }] },
  ],
  [
    "/api/v1/namespaces/default/endpoints",
    { subsets: [{ addresses: [{ ip: "10.0.0.1" }], ports: [{ port: 80 }] }] },
    { subsets: [{ ports: [{ protocol: "TCP" }] }] },
  ],
  [
    "/api/v1/namespaces/default/limitranges",
    { spec: { limits: [{ type: "Container", max: { cpu: "1" }, default: { memory: "1Gi" } }] } },
    {
      spec: {
        limits: [{ default: { cpu: "1", memory: "1Gi" }, defaultRequest: { cpu: "1", memory: "1Gi" } }],
      },
    },
  ],
  ["/api/v1/namespaces/default/resourcequotas", { spec: { hard: { pods: "10" } } }, { status: {} }],
  [
    "/api/v1/namespaces/default/podtemplates",
    { template: { spec: { containers: [{ name: "c", image: "i:1" }] } } },
    { template: { spec: { restartPolicy: "Always", containers: [{ imagePullPolicy: "IfNotPresent" }] } } },
  ],
  ["/apis/scheduling.k8s.io/v1/priorityclasses", { value: 5 }, { preemptionPolicy: "PreemptLowerPriority" }],
  [
    "/apis/storage.k8s.io/v1/csidrivers",
    { spec: { attachRequired: false } },
    { spec: { attachRequired: false, volumeLifecycleModes: ["Persistent"], podInfoOnMount: false } },
  ],
  [
    "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers",
    {
      spec: {
        scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "d" },
        maxReplicas: 3,
        behavior: { scaleDown: { stabilizationWindowSeconds: 5 } },
      },
    },
    {
      spec: {
        behavior: {
          scaleUp: { stabilizationWindowSeconds: 0, selectPolicy: "Max", policies: [{ type: "Pods" }, {}] },
          scaleDown: { stabilizationWindowSeconds: 5, selectPolicy: "Max" },
        },
      },
    },
  ],
  [
    "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims",
    { spec: { devices } },
    { spec: { devices: defaultedDevices }, status: {} },
  ],
  [
    "/apis/resource.k8s.io/v1/namespaces/default/resourceclaimtemplates",
    { spec: { spec: { devices } } },
    { spec: { metadata: {}, spec: { devices: defaultedDevices } } },
  ],
  [
    "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
    { spec: { priorityLevelConfiguration: { name: "global-default" } } },
    { spec: { matchingPrecedence: 1000 }, status: {} },
  ],
])("%s get the same defaults as on a real server", async (path, object, expected) => {
  const body = { metadata: { name: "defaulted.example.com" }, ...object };
  const created = await send(cluster.kubeconfig, { method: "POST", path, body });
  expect(created).toMatchObject({ code: 201, body: expected });
});
