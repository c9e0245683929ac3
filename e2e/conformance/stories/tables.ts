import { get, merge, post, type Step, type Story, story } from "../story.ts";
import { container } from "./pod-cases.ts";

// One list of every built-in kind, longer than other files: split, nobody would see which kind is missing.

const accept = "application/json;as=Table;v=v1;g=meta.k8s.io";
const core = "/api/v1/namespaces/{ns}";
const template = {
  metadata: { labels: { app: "x" } },
  spec: { containers: [container, { ...container, name: "d" }] },
};
const selector = { matchLabels: { app: "x" } };

/** Makes an object, gives it a status perhaps, and shows it as kubectl prints it. */
function shown(path: string, body: { metadata: Named } & object, status?: object): Step[] {
  const at = `${path}/${body.metadata.name}`;
  return [
    post(path, body),
    ...(status ? [merge(`${at}/status`, { status })] : []),
    get(`${at}?includeObject=None`, accept),
  ];
}

interface Named {
  readonly name: string;
  readonly [field: string]: unknown;
}

const named = <T extends object>(name: string, fields: T): T & { metadata: Named } => ({
  metadata: { name },
  ...fields,
});

const apps = "/apis/apps/v1/namespaces/{ns}";
const batch = "/apis/batch/v1/namespaces/{ns}";
const networking = "/apis/networking.k8s.io/v1";
const storage = "/apis/storage.k8s.io/v1";
const waiting = (reason: string): object => ({
  name: "c",
  ready: false,
  restartCount: 3,
  image: "i",
  imageID: "",
  state: { waiting: { reason } },
});
const ended = (exitCode: number, signal?: number, reason?: string): object => ({
  name: "c",
  ready: false,
  restartCount: 0,
  image: "i",
  imageID: "",
  state: { terminated: { exitCode, ...(signal && { signal }), ...(reason && { reason }) } },
});
const running = { name: "c", ready: true, restartCount: 1, image: "i", imageID: "", state: { running: {} } };
const pod = { spec: { containers: [container] } };
const init = { spec: { initContainers: [{ ...container, name: "i" }], containers: [container] } };

/** Every built-in kind as kubectl shows it. */
export const tables: readonly Story[] = [
  story("pods", [
    ...shown(`${core}/pods`, named("pending", pod)),
    ...shown(`${core}/pods`, named("running", pod), {
      phase: "Running",
      podIP: "10.1.2.3",
      podIPs: [{ ip: "10.1.2.3" }],
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: [running],
    }),
    ...shown(`${core}/pods`, named("crashing", pod), {
      phase: "Running",
      containerStatuses: [waiting("CrashLoopBackOff")],
    }),
    ...shown(`${core}/pods`, named("completed", pod), {
      phase: "Succeeded",
      containerStatuses: [ended(0, undefined, "Completed")],
    }),
    ...shown(`${core}/pods`, named("failed", pod), { phase: "Failed", containerStatuses: [ended(3)] }),
    ...shown(`${core}/pods`, named("killed", pod), { phase: "Failed", containerStatuses: [ended(137, 9)] }),
    ...shown(`${core}/pods`, named("evicted", pod), { phase: "Failed", reason: "Evicted" }),
    ...shown(`${core}/pods`, named("initializing", init), {
      phase: "Pending",
      initContainerStatuses: [{ ...running, name: "i", ready: false }],
    }),
    ...shown(`${core}/pods`, named("init-failed", init), {
      phase: "Pending",
      initContainerStatuses: [{ ...ended(2), name: "i" }],
    }),
    ...shown(`${core}/pods`, named("init-waits", init), {
      phase: "Pending",
      initContainerStatuses: [{ ...waiting("ImagePullBackOff"), name: "i" }],
    }),
    ...shown(`${core}/pods`, named("gated", { spec: { ...pod.spec, schedulingGates: [{ name: "a" }] } })),
    ...shown(
      `${core}/pods`,
      named("ready-gates", { spec: { ...pod.spec, readinessGates: [{ conditionType: "a/b" }] } }),
      { phase: "Running", conditions: [{ type: "a/b", status: "True" }], containerStatuses: [running] },
    ),
  ]),
  story("workloads", [
    ...shown(`${apps}/deployments`, named("a", { spec: { selector, template, replicas: 3 } }), {
      replicas: 3,
      readyReplicas: 2,
      updatedReplicas: 3,
      availableReplicas: 1,
    }),
    ...shown(`${apps}/replicasets`, named("a", { spec: { selector, template } }), {
      replicas: 1,
      readyReplicas: 1,
    }),
    ...shown(`${apps}/statefulsets`, named("a", { spec: { selector, template, serviceName: "a" } })),
    ...shown(`${apps}/daemonsets`, named("a", { spec: { selector, template } }), {
      currentNumberScheduled: 1,
      numberMisscheduled: 0,
      desiredNumberScheduled: 2,
      numberReady: 1,
      updatedNumberScheduled: 1,
      numberAvailable: 1,
    }),
    ...shown(`${apps}/controllerrevisions`, named("a", { revision: 3, data: {} })),
    ...shown(`${core}/replicationcontrollers`, named("a", { spec: { template } })),
    ...shown(`${core}/podtemplates`, named("a", { template })),
    ...shown(
      `${batch}/jobs`,
      named("a", { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } }),
    ),
    ...shown(
      `${batch}/jobs`,
      named("b", {
        spec: {
          suspend: true,
          parallelism: 2,
          template: { spec: { ...template.spec, restartPolicy: "Never" } },
        },
      }),
    ),
    ...shown(
      `${batch}/cronjobs`,
      named("a", {
        spec: {
          schedule: "0 * * * *",
          timeZone: "Etc/UTC",
          jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
        },
      }),
    ),
    ...shown(
      "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers",
      named("a", {
        spec: { maxReplicas: 3, scaleTargetRef: { kind: "Deployment", name: "x", apiVersion: "apps/v1" } },
      }),
    ),
    ...shown(
      "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
      named("a", { spec: { minAvailable: 1, selector } }),
    ),
    ...shown(
      "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
      named("b", { spec: { maxUnavailable: "50%", selector } }),
    ),
  ]),
  story("services", [
    ...shown(`${core}/services`, named("a", { spec: { selector: { app: "x" }, ports: [{ port: 80 }] } })),
    ...shown(
      `${core}/services`,
      named("b", { spec: { clusterIP: "None", ports: [{ port: 53, protocol: "UDP" }] } }),
    ),
    ...shown(`${core}/services`, named("c", { spec: { type: "ExternalName", externalName: "example.com" } })),
    ...shown(
      `${core}/services`,
      named("d", {
        spec: { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ports: [{ port: 80 }] },
      }),
    ),
    ...shown(
      `${core}/services`,
      named("e", {
        spec: { type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ports: [{ port: 80 }] },
      }),
      { loadBalancer: { ingress: [{ ip: "1.2.3.4" }, { hostname: "lb.example.com" }] } },
    ),
    ...shown(
      `${core}/endpoints`,
      named("x", { subsets: [{ addresses: [{ ip: "1.2.3.4" }], ports: [{ port: 80 }] }] }),
    ),
    ...shown(`${core}/endpoints`, named("empty", {})),
    ...shown(
      "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices",
      named("x", {
        addressType: "IPv4",
        endpoints: [{ addresses: ["1.2.3.4"] }, { addresses: ["1.2.3.5"] }],
        ports: [{ port: 80 }],
      }),
    ),
    ...shown(
      `${networking}/namespaces/{ns}/ingresses`,
      named("a", {
        spec: {
          ingressClassName: "nginx",
          tls: [{ hosts: ["h"] }],
          rules: [
            {
              host: "h",
              http: {
                paths: [
                  {
                    path: "/",
                    pathType: "Prefix",
                    backend: { service: { name: "s", port: { number: 80 } } },
                  },
                ],
              },
            },
          ],
        },
      }),
    ),
    ...shown(
      `${networking}/namespaces/{ns}/networkpolicies`,
      named("a", { spec: { podSelector: selector } }),
    ),
    ...shown(
      `${networking}/ingressclasses`,
      named("{ns}-a", {
        spec: { controller: "example.com/c", parameters: { kind: "K", name: "p", apiGroup: "example.com" } },
      }),
    ),
  ]),
  story("configuration", [
    ...shown(`${core}/configmaps`, named("a", { data: { k: "v" }, binaryData: { b: "" } })),
    ...shown(`${core}/secrets`, named("a", { stringData: { k: "v" } })),
    ...shown(`${core}/serviceaccounts`, named("a", { secrets: [{ name: "x" }] })),
    ...shown(
      `${core}/limitranges`,
      named("a", { spec: { limits: [{ type: "Container", default: { cpu: "1" } }] } }),
    ),
    ...shown(
      `${core}/resourcequotas`,
      named("a", { spec: { hard: { pods: "3", "requests.cpu": "2", "limits.cpu": "4" } } }),
      {
        hard: { pods: "3", "requests.cpu": "2", "limits.cpu": "4" },
        used: { pods: "1", "requests.cpu": "1", "limits.cpu": "2" },
      },
    ),
    ...shown(
      "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases",
      named("a", { spec: { holderIdentity: "me" } }),
    ),
    ...shown(
      `${core}/events`,
      named("e", {
        involvedObject: { kind: "Pod", name: "p", namespace: "{ns}", fieldPath: "spec.containers{c}" },
        reason: "Test",
        message: " hello ",
        type: "Normal",
        count: 2,
        source: { component: "me", host: "here" },
      }),
    ),
    get("/apis/events.k8s.io/v1/namespaces/{ns}/events/e?includeObject=None", accept),
    get("/api/v1/namespaces/{ns}?includeObject=None", accept),
  ]),
  story("access", [
    ...shown("/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles", named("a", { rules: [] })),
    ...shown("/apis/rbac.authorization.k8s.io/v1/clusterroles", named("{ns}", { rules: [] })),
    ...shown(
      "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings",
      named("a", {
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "a" },
        subjects: [
          { kind: "User", name: "u", apiGroup: "rbac.authorization.k8s.io" },
          { kind: "Group", name: "g", apiGroup: "rbac.authorization.k8s.io" },
          { kind: "ServiceAccount", name: "s", namespace: "n" },
        ],
      }),
    ),
    ...shown(
      "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
      named("{ns}", {
        roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "a" },
      }),
    ),
    ...shown("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", named("{ns}", {})),
    ...shown("/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", named("{ns}", {})),
    ...shown(
      "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies",
      named("{ns}", {
        spec: {
          matchConstraints: {
            resourceRules: [
              { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["nothing"] },
            ],
          },
          validations: [{ expression: "true" }],
        },
      }),
    ),
    ...shown(
      "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings",
      named("{ns}", {
        spec: { policyName: "missing", validationActions: ["Deny"] },
      }),
    ),
    // A real server finds out for itself, some time later, whether the level is there.
    post(
      "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas",
      named("{ns}", {
        spec: {
          priorityLevelConfiguration: { name: "exempt" },
          matchingPrecedence: 500,
          distinguisherMethod: { type: "ByUser" },
        },
      }),
    ),
    ...shown(
      "/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations",
      named("{ns}", {
        spec: {
          type: "Limited",
          limited: { nominalConcurrencyShares: 5, limitResponse: { type: "Reject" } },
        },
      }),
    ),
    ...shown("/apis/scheduling.k8s.io/v1/priorityclasses", named("{ns}", { value: 5 })),
    ...shown("/apis/node.k8s.io/v1/runtimeclasses", named("{ns}", { handler: "runc" })),
    get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/missing", accept),
  ]),
  story("nodes and storage", [
    ...shown(
      "/api/v1/nodes",
      named("{ns}", {
        metadata: { name: "{ns}", labels: { "node-role.kubernetes.io/worker": "" } },
        spec: { unschedulable: true },
        status: {
          conditions: [{ type: "Ready", status: "True" }],
          addresses: [{ type: "InternalIP", address: "1.2.3.4" }],
          nodeInfo: {
            kubeletVersion: "v1.2.3",
            osImage: "Linux",
            kernelVersion: "6",
            containerRuntimeVersion: "cri",
          },
        },
      }),
    ),
    ...shown(
      `${core}/persistentvolumeclaims`,
      named("a", {
        spec: {
          accessModes: ["ReadWriteOnce"],
          resources: { requests: { storage: "1Gi" } },
          storageClassName: "s",
        },
      }),
    ),
    ...shown(
      "/api/v1/persistentvolumes",
      named("{ns}", {
        spec: {
          accessModes: ["ReadWriteOnce", "ReadOnlyMany"],
          capacity: { storage: "1Gi" },
          hostPath: { path: "/x" },
        },
      }),
    ),
    ...shown(`${storage}/storageclasses`, named("{ns}", { provisioner: "example.com/p" })),
    ...shown(`${storage}/csidrivers`, named("{ns}", { spec: {} })),
    ...shown(
      `${storage}/csinodes`,
      named("{ns}", { spec: { drivers: [{ name: "example.com", nodeID: "n", topologyKeys: ["z"] }] } }),
    ),
    ...shown(
      `${storage}/namespaces/{ns}/csistoragecapacities`,
      named("a", { storageClassName: "s", capacity: "1Gi" }),
    ),
    ...shown(
      `${storage}/volumeattachments`,
      named("{ns}", { spec: { attacher: "a", nodeName: "n", source: { persistentVolumeName: "p" } } }),
    ),
    ...shown(
      `${storage}/volumeattributesclasses`,
      named("{ns}", {
        driverName: "example.com",
        parameters: { a: "b" },
        metadata: { name: "{ns}", finalizers: ["kubernetes.io/vac-protection"] },
      }),
    ),
    ...shown(`${networking}/servicecidrs`, named("{ns}", { spec: { cidrs: ["10.77.0.0/24"] } })),
    ...shown("/apis/resource.k8s.io/v1/deviceclasses", named("{ns}", { spec: {} })),
    ...shown("/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims", named("a", { spec: {} })),
    ...shown(
      "/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaimtemplates",
      named("a", { spec: { spec: {} } }),
    ),
    ...shown(
      "/apis/resource.k8s.io/v1/resourceslices",
      named("{ns}", {
        spec: {
          driver: "example.com",
          nodeName: "n",
          pool: { name: "p", generation: 1, resourceSliceCount: 1 },
        },
      }),
    ),
  ]),
];
