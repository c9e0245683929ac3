import { get, merge, post, put, type Step, type Story, story } from "../story.ts";

/** The effect of a namespace's LimitRange and ResourceQuota on new objects. */

const core = "/api/v1/namespaces/{ns}";
const pods = `${core}/pods`;
const claims = `${core}/persistentvolumeclaims`;
const quotas = `${core}/resourcequotas`;

const pod = (name: string, resources: object = {}, more: object = {}) => ({
  metadata: { name },
  spec: { containers: [{ name: "main", image: "nginx:1.29", resources }], ...more },
});
const claim = (name: string, storage: string) => ({
  metadata: { name },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
});
/** Admission of a real server observes new limits a moment later. */
const pause: readonly Step[] = Array.from({ length: 15 }, () => get(core));

/** A quota without its controller: the story sets the usage. */
const quota = (name: string, hard: object, used: object, more: object = {}): readonly Step[] => [
  post(quotas, { metadata: { name }, spec: { hard, ...more } }),
  merge(`${quotas}/${name}/status`, { status: { hard, used } }),
];

export const limits: readonly Story[] = [
  story("containers get defaults and stay within limits", [
    post(`${core}/limitranges`, {
      metadata: { name: "containers" },
      spec: {
        limits: [
          {
            type: "Container",
            default: { cpu: "500m", memory: "256Mi" },
            defaultRequest: { cpu: "100m" },
            min: { cpu: "50m" },
            max: { cpu: "2", memory: "1Gi" },
          },
        ],
      },
    }),
    ...pause,
    post(pods, pod("plain")),
    post(pods, pod("own", { requests: { cpu: "200m" }, limits: { cpu: "1" } })),
    post(
      pods,
      pod("sidecars", {}, { initContainers: [{ name: "first", image: "busybox:1", resources: {} }] }),
    ),
    post(pods, pod("small", { requests: { cpu: "10m" } })),
    post(pods, pod("large", { limits: { cpu: "3" } })),
    post(pods, pod("memory", { limits: { memory: "2Gi" } })),
    post(pods, pod("odd", { requests: { cpu: "600m" } })),
    get(`${core}/limitranges/containers`),
  ]),
  story("pods, claims and ratios stay within limits", [
    post(`${core}/limitranges`, {
      metadata: { name: "all" },
      spec: {
        limits: [
          { type: "Pod", max: { cpu: "1" } },
          { type: "Container", maxLimitRequestRatio: { memory: "2" } },
          { type: "PersistentVolumeClaim", min: { storage: "1Gi" }, max: { storage: "5Gi" } },
        ],
      },
    }),
    ...pause,
    post(pods, pod("none")),
    post(pods, pod("enough", { requests: { memory: "64Mi" }, limits: { cpu: "1", memory: "128Mi" } })),
    post(pods, pod("much", { requests: { memory: "64Mi" }, limits: { cpu: "1500m", memory: "128Mi" } })),
    post(pods, pod("ratio", { requests: { memory: "64Mi" }, limits: { cpu: "1", memory: "1Gi" } })),
    post(claims, claim("small", "500Mi")),
    post(claims, claim("large", "6Gi")),
    post(claims, claim("good", "2Gi")),
  ]),
  story("quotas of counts", [
    ...quota(
      "counts",
      { "count/configmaps": "2", secrets: "1", "services.nodeports": "1", services: "2", pods: "1" },
      { "count/configmaps": "1", secrets: "0", "services.nodeports": "0", services: "0", pods: "0" },
    ),
    ...pause,
    post(`${core}/configmaps`, { metadata: { name: "a" } }),
    post(`${core}/configmaps`, { metadata: { name: "b" } }),
    post(`${core}/secrets`, { metadata: { name: "a" } }),
    post(`${core}/secrets`, { metadata: { name: "b" } }),
    post(`${core}/secrets?dryRun=All`, { metadata: { name: "b" } }),
    post(`${core}/services`, { metadata: { name: "a" }, spec: { ports: [{ port: 80 }] } }),
    merge(`${core}/services/a`, {
      spec: {
        type: "NodePort",
        ports: [
          { name: "x", port: 80 },
          { name: "y", port: 81 },
        ],
      },
    }),
    post(pods, pod("one")),
    post(pods, pod("two")),
    put(`${core}/configmaps/a`, { metadata: { name: "a" }, data: { a: "b" } }),
    get(`${quotas}/counts`),
  ]),
  story("quotas of computing and storage", [
    ...quota(
      "compute",
      { "requests.cpu": "1", "limits.memory": "1Gi", cpu: "1", "requests.storage": "5Gi" },
      { "requests.cpu": "500m", "limits.memory": "0", cpu: "500m", "requests.storage": "1Gi" },
    ),
    ...pause,
    post(pods, pod("unsaid")),
    post(pods, pod("half", { requests: { cpu: "400m" } })),
    post(pods, pod("fits", { requests: { cpu: "400m" }, limits: { memory: "512Mi" } })),
    post(pods, pod("more", { requests: { cpu: "200m" }, limits: { memory: "1Gi" } })),
    post(claims, claim("fits", "3Gi")),
    post(claims, claim("more", "3Gi")),
    get(`${quotas}/compute`),
  ]),
  story("quotas with scopes, and without usage", [
    ...quota("best", { pods: "0" }, { pods: "0" }, { scopes: ["BestEffort"] }),
    ...quota("deadline", { pods: "0" }, { pods: "0" }, { scopes: ["Terminating"] }),
    ...pause,
    post(pods, pod("best")),
    post(pods, pod("good", { requests: { cpu: "1m" } })),
    post(pods, pod("ends", { requests: { cpu: "1m" } }, { activeDeadlineSeconds: 60 })),
    ...quota("unknown", { "count/configmaps": "1", secrets: "2" }, { secrets: "0" }),
    ...pause,
    post(`${core}/configmaps`, { metadata: { name: "a" } }),
    post(`${core}/secrets`, { metadata: { name: "a" } }),
    post(quotas, { metadata: { name: "fresh" }, spec: { hard: { secrets: "0" } } }),
    ...pause,
    post(`${core}/secrets`, { metadata: { name: "b" } }),
  ]),
];
