import { merge, post, remove, type Request, type Story } from "../story.ts";

const pods = "/api/v1/namespaces/{ns}/pods";
const priorityClasses = "/apis/scheduling.k8s.io/v1/priorityclasses";
const labels = { app: "s" };

interface NodeOptions {
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly object[];
  readonly unschedulable?: boolean;
  readonly allocatable?: Readonly<Record<string, string>>;
}

/** Seconds after which the controller of nodes has seen that a new one is ready. */
const settled = 8;

/** A ready node with two processors: only the story updates it. */
const node = (
  name: string,
  { labels: own = {}, taints = [], unschedulable, allocatable = {} }: NodeOptions = {},
): Request[] => {
  const path = `/api/v1/nodes/{ns}-node-${name}`;
  const capacity = { cpu: "2", memory: "1Gi", pods: "10", ...allocatable };
  const condition = {
    type: "Ready",
    status: "True",
    reason: "KubeletReady",
    lastHeartbeatTime: "2020-01-01T00:00:00Z",
    lastTransitionTime: "2020-01-01T00:00:00Z",
  };
  return [
    post("/api/v1/nodes", {
      metadata: {
        name: `{ns}-node-${name}`,
        labels: { "kubernetes.io/hostname": `{ns}-node-${name}`, ...own },
      },
    }),
    merge(`${path}/status`, { status: { capacity, allocatable: capacity, conditions: [condition] } }),
    merge(path, {
      spec: { taints: taints.length > 0 ? taints : null, ...(unschedulable && { unschedulable }) },
    }),
  ];
};

/** Without a kubelet, nothing would finish deleting pods on a node. */
const pod = (name: string, spec: object = {}, requests: object = {}): Request =>
  post(pods, {
    metadata: { name, labels },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [{ name: "c", image: "i", resources: { requests } }],
      ...spec,
    },
  });

const container = (own: object) => ({ containers: [{ name: "c", image: "i", ...own }] });
const ports = (...list: readonly object[]) =>
  container({ ports: list.map((port) => ({ containerPort: 80, ...port })) });
const together = (kind: "podAffinity" | "podAntiAffinity", app = "s") => ({
  affinity: {
    [kind]: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app } } },
      ],
    },
  },
});
const spread = (own: object = {}) => ({
  topologySpreadConstraints: [
    {
      maxSkew: 1,
      topologyKey: "zone",
      whenUnsatisfiable: "DoNotSchedule",
      labelSelector: { matchLabels: labels },
      ...own,
    },
  ],
});
const priority = (name: string, value: number, own: object = {}): Request =>
  post(priorityClasses, { metadata: { name: `{ns}-${name}` }, value, ...own });
const classes = [
  priority("low", 10),
  priority("high", 1000),
  priority("polite", 1000, { preemptionPolicy: "Never" }),
];
const withoutClasses = ["low", "high", "polite"].map((name) => remove(`${priorityClasses}/{ns}-${name}`));

export const schedulingStories: readonly Story[] = [
  {
    name: "pods for which no node has room",
    steps: [
      { name: "no node", requests: [pod("early")] },
      { name: "a node", requests: [remove(`${pods}/early`), ...node("a")], rest: settled },
      { name: "more than the node has", requests: [pod("huge", {}, { cpu: "4", memory: "2Gi" })] },
      { name: "as much as fits", requests: [pod("first", {}, { cpu: "1500m" })] },
      { name: "no more than that", requests: [pod("second", {}, { cpu: "501m", memory: "512Mi" })] },
      {
        name: "a resource that no node has",
        requests: [pod("gpu", container({ resources: { limits: { "example.com/gpu": "1" } } }))],
      },
      { name: "the first is gone", requests: [remove(`${pods}/first`)] },
      {
        name: "an init container counts if it needs more",
        requests: [
          pod("init", {
            initContainers: [{ name: "i", image: "i", resources: { requests: { cpu: "1800m" } } }],
          }),
        ],
      },
      {
        name: "pods that have ended count no more",
        requests: [merge(`${pods}/second/status`, { status: { phase: "Succeeded" } })],
      },
    ],
  },
  {
    name: "each node has its reason",
    steps: [
      {
        name: "nodes",
        requests: [
          ...node("a", { taints: [{ key: "own", value: "yes", effect: "NoSchedule" }] }),
          ...node("b", { labels: { disk: "hdd" } }),
          ...node("c", { labels: { disk: "ssd" }, unschedulable: true }),
          ...node("d", { labels: { disk: "ssd" }, allocatable: { cpu: "1", memory: "1Mi" } }),
          ...node("e", { labels: { disk: "ssd" }, allocatable: { pods: "0" } }),
        ],
        rest: settled,
      },
      {
        name: "refused by all",
        requests: [pod("p", { nodeSelector: { disk: "ssd" } }, { cpu: "1500m", memory: "2Mi" })],
      },
      {
        name: "a node gets the label",
        requests: [merge("/api/v1/nodes/{ns}-node-b", { metadata: { labels: { disk: "ssd" } } })],
      },
    ],
  },
  {
    name: "pods that wait for claims",
    steps: [
      { name: "a node", requests: node("a"), rest: settled },
      {
        name: "no such claim",
        requests: [pod("p", { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "c" } }] })],
      },
      {
        name: "one that nothing binds",
        requests: [
          post("/api/v1/namespaces/{ns}/persistentvolumeclaims", {
            metadata: { name: "c" },
            spec: {
              accessModes: ["ReadWriteOnce"],
              resources: { requests: { storage: "1Gi" } },
              storageClassName: "",
            },
          }),
        ],
      },
    ],
  },
  {
    name: "host ports",
    steps: [
      { name: "a node", requests: node("a"), rest: settled },
      { name: "one pod has it", requests: [pod("first", ports({ hostPort: 8080 }))] },
      { name: "no other gets it", requests: [pod("second", ports({ hostPort: 8080 }))] },
      {
        name: "another protocol, another port",
        requests: [
          pod("udp", ports({ hostPort: 8080, protocol: "UDP" })),
          pod("other", ports({ hostPort: 8081, hostIP: "127.0.0.1" })),
        ],
      },
      {
        name: "an address of its own",
        requests: [pod("address", ports({ hostPort: 8081, hostIP: "127.0.0.2" }))],
      },
      { name: "all addresses", requests: [pod("all", ports({ hostPort: 8081 }))] },
      { name: "it is free again", requests: [remove(`${pods}/first`)] },
    ],
  },
  {
    name: "pods that keep apart, and pods that follow",
    steps: [
      { name: "nodes", requests: [...node("a"), ...node("b")], rest: settled },
      {
        name: "as many as nodes",
        requests: [pod("one", together("podAntiAffinity")), pod("two", together("podAntiAffinity"))],
      },
      { name: "one more", requests: [pod("three", together("podAntiAffinity"))] },
      { name: "one that they keep away", requests: [pod("plain")] },
      {
        name: "one that follows nobody",
        requests: [
          post(pods, {
            metadata: { name: "lonely", labels: { app: "other" } },
            spec: {
              terminationGracePeriodSeconds: 0,
              ...container({}),
              ...together("podAffinity", "nobody"),
            },
          }),
        ],
      },
      {
        name: "the first that follows its own kind",
        requests: [
          post(pods, {
            metadata: { name: "self", labels: { app: "selves" } },
            spec: {
              terminationGracePeriodSeconds: 0,
              ...container({}),
              ...together("podAffinity", "selves"),
            },
          }),
        ],
      },
    ],
  },
  {
    name: "pods that spread",
    steps: [
      {
        name: "nodes",
        requests: [...node("a", { labels: { zone: "1" } }), ...node("b", { labels: { zone: "2" } })],
        rest: settled,
      },
      { name: "over two zones", requests: [pod("one", spread()), pod("two", spread())] },
      {
        name: "a zone is closed",
        requests: [
          merge("/api/v1/nodes/{ns}-node-b", { spec: { unschedulable: true } }),
          pod("three", spread()),
        ],
      },
      { name: "and holds the others back", requests: [pod("four", spread())] },
      { name: "more zones than there are", requests: [pod("five", spread({ minDomains: 3 }))] },
      { name: "a label that no node has", requests: [pod("six", spread({ topologyKey: "rack" }))] },
    ],
  },
  {
    name: "pods of higher priority",
    steps: [
      { name: "a node", requests: [...classes, ...node("a")], rest: settled },
      {
        name: "a full node",
        requests: [
          pod("low", { priorityClassName: "{ns}-low" }, { cpu: "1500m" }),
          pod("small", { priorityClassName: "{ns}-low" }, { cpu: "100m" }),
        ],
      },
      {
        name: "one that may not preempt",
        requests: [pod("polite", { priorityClassName: "{ns}-polite" }, { cpu: "1" })],
      },
      {
        name: "one that preempts what it needs",
        requests: [pod("high", { priorityClassName: "{ns}-high" }, { cpu: "1" })],
        rest: 5,
      },
      {
        name: "one that preemption does not help",
        requests: [pod("huge", { priorityClassName: "{ns}-high" }, { cpu: "4" })],
      },
      {
        name: "one whose equals stay",
        requests: [pod("equal", { priorityClassName: "{ns}-high" }, { cpu: "1950m" })],
      },
      { name: "without the classes", requests: withoutClasses },
    ],
  },
  {
    name: "a victim that takes its time",
    steps: [
      { name: "a node", requests: [...classes, ...node("a")], rest: settled },
      {
        name: "a full node",
        requests: [
          pod("low", { priorityClassName: "{ns}-low", terminationGracePeriodSeconds: 30 }, { cpu: "1500m" }),
        ],
      },
      {
        name: "preempted",
        requests: [pod("high", { priorityClassName: "{ns}-high" }, { cpu: "1" })],
        rest: 5,
      },
      { name: "a pod that would take the room", requests: [pod("late", {}, { cpu: "1" })] },
      { name: "gone", requests: [remove(`${pods}/low`, { gracePeriodSeconds: 0 })], rest: 5 },
      { name: "without the classes", requests: withoutClasses },
    ],
  },
];
