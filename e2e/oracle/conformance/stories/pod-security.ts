import { get, merge, post, type Step, type Story, story } from "../story.ts";

/** Namespaces whose labels set the Pod Security Standard of their pods. */

const namespace = "/api/v1/namespaces/{ns}";
const pods = `${namespace}/pods`;
const label = (labels: object): Step => merge(namespace, { metadata: { labels } });
/** Admission of a real server observes new labels a moment later. */
const pause: readonly Step[] = Array.from({ length: 15 }, () => get(namespace));
const standard = (labels: Record<string, string>): readonly Step[] => [
  label(
    Object.fromEntries(
      Object.entries(labels).map(([mode, value]) => [`pod-security.kubernetes.io/${mode}`, value]),
    ),
  ),
  ...pause,
];

const container = (securityContext?: object, more: object = {}) => ({
  name: "main",
  image: "nginx:1.29",
  ...(securityContext && { securityContext }),
  ...more,
});
const pod = (name: string, spec: object = {}, containers: object[] = [container()]) => ({
  metadata: { name },
  spec: { containers, ...spec },
});
const hardened = {
  allowPrivilegeEscalation: false,
  capabilities: { drop: ["ALL"] },
  runAsNonRoot: true,
  seccompProfile: { type: "RuntimeDefault" },
};
const deployment = (name: string) => ({
  metadata: { name },
  spec: {
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [container()] } },
  },
});

export const podSecurity: readonly Story[] = [
  story("the baseline keeps pods off their node", [
    ...standard({ enforce: "baseline" }),
    post(pods, pod("plain")),
    post(pods, pod("privileged", {}, [container({ privileged: true })])),
    post(pods, pod("host", { hostNetwork: true, hostPID: true, hostIPC: true })),
    post(
      pods,
      pod("paths", {
        volumes: [
          { name: "a", hostPath: { path: "/" } },
          { name: "b", hostPath: { path: "/tmp" } },
        ],
      }),
    ),
    post(
      pods,
      pod("ports", {}, [
        container(undefined, { ports: [{ containerPort: 80, hostPort: 80 }] }),
        { name: "side", image: "a", ports: [{ containerPort: 81, hostPort: 81 }] },
      ]),
    ),
    post(
      pods,
      pod("capable", {}, [
        container({ capabilities: { add: ["NET_ADMIN", "CHOWN"] } }),
        { name: "side", image: "a", securityContext: { capabilities: { add: ["SYS_TIME"] } } },
      ]),
    ),
    post(
      pods,
      pod("linux", { securityContext: { seLinuxOptions: { type: "spc_t", user: "u", role: "r" } } }, [
        container({ seLinuxOptions: { type: "other_t" } }),
      ]),
    ),
    post(
      pods,
      pod(
        "profiles",
        {
          securityContext: {
            seccompProfile: { type: "Unconfined" },
            appArmorProfile: { type: "Unconfined" },
          },
        },
        [container({ seccompProfile: { type: "Unconfined" } })],
      ),
    ),
    post(
      pods,
      pod("sysctls", {
        securityContext: {
          sysctls: [
            { name: "kernel.shm_rmid_forced", value: "1" },
            { name: "kernel.msgmax", value: "1" },
            { name: "net.core.somaxconn", value: "1" },
          ],
        },
      }),
    ),
    post(
      pods,
      pod("probes", {}, [
        container(undefined, {
          livenessProbe: { httpGet: { port: 80, host: "b.example.com" } },
          lifecycle: { preStop: { tcpSocket: { port: 80, host: "a.example.com" } } },
        }),
      ]),
    ),
    post(pods, pod("mounts", {}, [container({ procMount: "Unmasked" })])),
    post(pods, pod("root", { securityContext: { runAsUser: 0, runAsNonRoot: false } })),
  ]),
  story("restricted pods are hardened", [
    ...standard({ enforce: "restricted" }),
    post(pods, pod("plain")),
    post(pods, pod("hardened", {}, [container(hardened)])),
    post(
      pods,
      pod("by-pod", { securityContext: { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } } }, [
        container({ allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } }),
      ]),
    ),
    post(
      pods,
      pod("several", { initContainers: [{ name: "first", image: "busybox:1" }] }, [
        container(hardened),
        { name: "side", image: "a" },
      ]),
    ),
    post(
      pods,
      pod("root", { securityContext: { runAsUser: 0, runAsNonRoot: false } }, [container(hardened)]),
    ),
    post(
      pods,
      pod("half", {}, [
        container({
          ...hardened,
          runAsUser: 0,
          capabilities: { drop: ["ALL"], add: ["NET_RAW", "NET_BIND_SERVICE"] },
        }),
      ]),
    ),
    post(
      pods,
      pod(
        "volumes",
        {
          volumes: [
            { name: "a", hostPath: { path: "/" } },
            { name: "b", nfs: { server: "s", path: "/" } },
            { name: "c", emptyDir: {} },
          ],
        },
        [container(hardened)],
      ),
    ),
    post(pods, pod("unconfined", {}, [container({ ...hardened, seccompProfile: { type: "Unconfined" } })])),
    post(pods, pod("windows", { os: { name: "windows" }, securityContext: { runAsNonRoot: true } })),
    post(
      pods,
      pod("users", { hostUsers: false }, [container({ ...hardened, runAsUser: 0, runAsNonRoot: undefined })]),
    ),
    post("/apis/apps/v1/namespaces/{ns}/deployments", deployment("web")),
    post("/apis/batch/v1/namespaces/{ns}/cronjobs", {
      metadata: { name: "tick" },
      spec: {
        schedule: "* * * * *",
        jobTemplate: {
          spec: { template: { spec: { restartPolicy: "Never", containers: [container(hardened)] } } },
        },
      },
    }),
    merge(`${pods}/hardened`, { spec: { containers: [{ ...container(hardened), image: "nginx:1.30" }] } }),
    merge(`${pods}/hardened`, { metadata: { labels: { a: "b" } } }),
  ]),
  story("warnings, versions and labels that mean nothing", [
    ...standard({ warn: "restricted", "warn-version": "v1.33" }),
    post(pods, pod("plain")),
    post("/apis/apps/v1/namespaces/{ns}/deployments", deployment("web")),
    post(pods, pod("other")),
    post(pods, pod("privileged", {}, [container({ privileged: true })])),
    ...pause,
    ...standard({ enforce: "restricted" }),
    ...standard({ enforce: "baseline" }),
    ...standard({ "enforce-version": "v1.31" }),
    label({ "pod-security.kubernetes.io/enforce": "strict" }),
    label({ "pod-security.kubernetes.io/enforce-version": "1.31" }),
    label({ "pod-security.kubernetes.io/audit": "none", "pod-security.kubernetes.io/warn-version": "v2" }),
    post("/api/v1/namespaces", {
      metadata: { name: "{ns}-b", labels: { "pod-security.kubernetes.io/warn": "x" } },
    }),
    label({ "pod-security.kubernetes.io/enforce": null }),
    ...pause,
    post(pods, pod("free", {}, [container({ privileged: true })])),
  ]),
];
