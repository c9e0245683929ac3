import { merge, post, ready, type Request, type Story } from "../story.ts";

const pods = "/api/v1/namespaces/{ns}/pods";
const node = "/api/v1/nodes/{ns}";
const labels = { app: "s" };
const taint = { key: "example.com/broken", value: "yes", effect: "NoExecute" };

const pod = (name: string, tolerations: readonly object[] = []): Request =>
  post(pods, {
    metadata: { name, labels },
    spec: { nodeName: "{ns}", containers: [{ name: "c", image: "i" }], tolerations },
  });
const tolerating = (more: object): object[] => [
  { key: taint.key, operator: "Exists", effect: taint.effect, ...more },
];
const taints = (...all: readonly object[]): Request => merge(node, { spec: { taints: all } });

/** The taint eviction controller deletes pods from nodes whose taints have the effect `NoExecute`. */
export const evictionStories: readonly Story[] = [
  {
    name: "pods on a node with a taint",
    steps: [
      {
        name: "ready",
        requests: [
          post("/api/v1/nodes", { metadata: { name: "{ns}" } }),
          pod("plain"),
          pod("tolerant", tolerating({})),
          pod("brief", tolerating({ tolerationSeconds: 1 })),
          pod("patient", tolerating({ tolerationSeconds: 20 })),
          pod("impatient", tolerating({ tolerationSeconds: 0 })),
          pod("other-value", [{ key: taint.key, value: "no", effect: "NoExecute" }]),
          pod("other-effect", tolerating({ effect: "NoSchedule" })),
          pod("briefest", [
            ...tolerating({ tolerationSeconds: 3600 }),
            ...tolerating({ tolerationSeconds: 1 }),
          ]),
        ],
      },
      { name: "reported", reports: [{ labels, status: ready }] },
      { name: "a taint of another effect", requests: [taints({ ...taint, effect: "NoSchedule" })] },
      { name: "the taint", requests: [taints(taint)] },
      { name: "a pod that comes later", requests: [pod("late"), pod("late-tolerant", tolerating({}))] },
      { name: "no taint", requests: [taints()] },
      { name: "another one, too", requests: [taints(taint, { ...taint, key: "example.com/other" })] },
    ],
  },
];
