import { merge, post, remove, type Story, story } from "../story.ts";
import { container, containers, type Fields, pods, specs } from "./pod-cases.ts";

const node = (term: object): Fields => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
  },
});
const expression = (requirement: object): Fields => node({ matchExpressions: [requirement] });
const beside = (term: object): Fields => ({
  affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
});
const tolerate = (toleration: object): Fields => ({ tolerations: [toleration] });
const spread = (...list: object[]): Fields => ({ topologySpreadConstraints: list });
const zone = { maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule", labelSelector: {} };
const security = (securityContext: object): Fields => ({ securityContext });

/** Scheduling, names, security contexts and updates of pods that a real server rejects. */
export const podPlacement: readonly Story[] = [
  story(
    "plain fields",
    specs(
      { restartPolicy: "Maybe" },
      { dnsPolicy: "Maybe" },
      { nodeSelector: { "a b": "c d" } },
      { activeDeadlineSeconds: 0 },
      { hostname: "Upper.x" },
      { subdomain: "under_score" },
      { serviceAccountName: "Upper" },
      { nodeName: "Upper" },
      { priorityClassName: "missing" },
      { runtimeClassName: "missing" },
      { preemptionPolicy: "Maybe" },
      { os: {} },
      { os: { name: "beos" } },
      { hostAliases: [{ ip: "nope", hostnames: ["UPPER"] }] },
      { hostAliases: [{ ip: "1.2.3.4" }, { ip: "1.2.3.4" }] },
      { imagePullSecrets: [{ name: "a" }, { name: "a" }] },
      { readinessGates: [{ conditionType: "a b" }] },
      { schedulingGates: [{ name: "a" }, { name: "a" }] },
      { schedulingGates: [{ name: "a" }], nodeName: "n" },
      { terminationGracePeriodSeconds: -5 },
      { hostnameOverride: "x", hostNetwork: true },
      { hostUsers: false, hostNetwork: true },
    ),
  ),
  story(
    "DNS",
    specs(
      { dnsPolicy: "None" },
      { dnsPolicy: "None", dnsConfig: {} },
      { dnsConfig: { nameservers: ["1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"] } },
      { dnsConfig: { nameservers: ["nope"] } },
      { dnsConfig: { searches: ["a b"] } },
      { dnsConfig: { options: [{ value: "x" }] } },
    ),
  ),
  story(
    "tolerations",
    specs(
      tolerate({ operator: "Equal", value: "x" }),
      tolerate({ key: "a b", operator: "Exists" }),
      tolerate({ key: "a", operator: "Exists", value: "x" }),
      tolerate({ key: "a", operator: "Maybe" }),
      tolerate({ key: "a", operator: "Gt", value: "1" }),
      tolerate({ key: "a", value: "x y" }),
      tolerate({ key: "a", operator: "Exists", effect: "Maybe" }),
      tolerate({ key: "a", operator: "Exists", effect: "NoSchedule", tolerationSeconds: 5 }),
    ),
  ),
  story(
    "affinity",
    specs(
      {
        affinity: {
          nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] } },
        },
      },
      expression({ key: "a", operator: "In" }),
      expression({ key: "a", operator: "Exists", values: ["x"] }),
      expression({ key: "a", operator: "Gt", values: ["1", "2"] }),
      expression({ key: "a b", operator: "Maybe" }),
      expression({ key: "a", operator: "In", values: ["x y"] }),
      node({ matchFields: [{ key: "spec.x", operator: "Exists" }] }),
      node({ matchFields: [{ key: "metadata.name", operator: "In", values: ["a", "b"] }] }),
      {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 101, preference: {} }],
          },
        },
      },
      beside({ topologyKey: "" }),
      beside({ topologyKey: "a", labelSelector: { matchExpressions: [{ key: "k", operator: "In" }] } }),
      beside({ topologyKey: "a", labelSelector: { matchLabels: { k: "a b" } } }),
      beside({ topologyKey: "a", namespaces: ["Upper"], labelSelector: {} }),
      beside({ topologyKey: "a", matchLabelKeys: ["k"] }),
      {
        affinity: {
          podAntiAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 0, podAffinityTerm: { topologyKey: "a" } },
            ],
          },
        },
      },
    ),
  ),
  story(
    "spreading",
    specs(
      spread({ ...zone, maxSkew: 0 }),
      spread({ ...zone, topologyKey: "" }),
      spread({ ...zone, whenUnsatisfiable: "Maybe" }),
      spread(zone, zone),
      spread({ ...zone, minDomains: 0 }),
      spread({ ...zone, whenUnsatisfiable: "ScheduleAnyway", minDomains: 2 }),
      spread({ ...zone, nodeAffinityPolicy: "Maybe" }),
      spread({ maxSkew: 1, topologyKey: "zone", whenUnsatisfiable: "DoNotSchedule" }),
    ),
  ),
  story(
    "security of the pod",
    specs(
      security({ runAsUser: -1 }),
      security({ runAsGroup: 2147483648 }),
      security({ fsGroup: -1 }),
      security({ supplementalGroups: [0, -1] }),
      security({ fsGroupChangePolicy: "Maybe" }),
      security({ seccompProfile: {} }),
      security({ seccompProfile: { type: "Maybe" } }),
      security({ seccompProfile: { type: "Localhost" } }),
      security({ seccompProfile: { type: "Localhost", localhostProfile: "/abs" } }),
      security({ seccompProfile: { type: "Unconfined", localhostProfile: "x" } }),
      security({ appArmorProfile: { type: "Maybe" } }),
      security({ appArmorProfile: { type: "Localhost" } }),
      security({ appArmorProfile: { type: "Unconfined", localhostProfile: "x" } }),
      security({ sysctls: [{ name: "", value: "1" }] }),
      security({ sysctls: [{ name: "A", value: "1" }] }),
      security({
        sysctls: [
          { name: "net.a", value: "1" },
          { name: "net.a", value: "1" },
        ],
      }),
      { hostNetwork: true, ...security({ sysctls: [{ name: "net.a", value: "1" }] }) },
      { hostPID: true, shareProcessNamespace: true },
    ),
  ),
  story(
    "security of a container",
    containers([
      security({ runAsUser: -1 }),
      security({ procMount: "Maybe" }),
      security({ procMount: "Unmasked" }),
      security({ privileged: true, allowPrivilegeEscalation: false }),
      security({ allowPrivilegeEscalation: false, capabilities: { add: ["CAP_SYS_ADMIN"] } }),
      security({ seccompProfile: { type: "Localhost", localhostProfile: "../up" } }),
    ]),
  ),
  story("annotations", [
    post(pods, {
      metadata: { name: "a", annotations: { "kubernetes.io/config.mirror": "x" } },
      spec: { containers: [container] },
    }),
    post(pods, {
      metadata: { name: "a", annotations: { "controller.kubernetes.io/pod-deletion-cost": "+5" } },
      spec: { containers: [container] },
    }),
    post(pods, {
      metadata: { name: "dots.in.name", annotations: { "seccomp.security.alpha.kubernetes.io/pod": "nope" } },
      spec: { containers: [container] },
    }),
    post(pods, { metadata: { name: "dots.in.name" }, spec: { containers: [container] } }),
  ]),
  story("changes", [
    post(pods, {
      metadata: { name: "a" },
      spec: {
        containers: [container],
        activeDeadlineSeconds: 100,
        tolerations: [{ key: "a", operator: "Exists" }],
      },
    }),
    merge(`${pods}/a`, { spec: { containers: [container, { ...container, name: "d" }] } }),
    merge(`${pods}/a`, { spec: { containers: [{ ...container, image: " " }] } }),
    merge(`${pods}/a`, { spec: { containers: [{ ...container, image: "i:2" }] } }),
    merge(`${pods}/a`, { spec: { activeDeadlineSeconds: 200 } }),
    merge(`${pods}/a`, { spec: { activeDeadlineSeconds: null } }),
    merge(`${pods}/a`, { spec: { activeDeadlineSeconds: 50 } }),
    merge(`${pods}/a`, { spec: { tolerations: [] } }),
    merge(`${pods}/a`, { spec: { schedulingGates: [{ name: "new" }] } }),
    merge(`${pods}/a`, { spec: { hostname: "x" } }),
    merge(`${pods}/a`, { spec: { terminationGracePeriodSeconds: 1 } }),
    merge(`${pods}/a`, { metadata: { labels: { "a b": "c" } } }),
    remove(`${pods}/a`),
    post(pods, {
      metadata: { name: "gated" },
      spec: { containers: [container], schedulingGates: [{ name: "a" }, { name: "b" }] },
    }),
    merge(`${pods}/gated`, { spec: { schedulingGates: [{ name: "b" }] } }),
    merge(`${pods}/gated`, { spec: { nodeSelector: { a: "b" } } }),
    merge(`${pods}/gated`, { spec: { nodeSelector: { a: "c" } } }),
    merge(`${pods}/gated`, { spec: { schedulingGates: null } }),
    merge(`${pods}/gated`, { spec: { nodeSelector: { a: "b", d: "e" } } }),
  ]),
];
