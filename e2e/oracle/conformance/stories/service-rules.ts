import { get, merge, post, put, type Step, type Story, story } from "../story.ts";
import type { Fields } from "./pod-cases.ts";

const services = "/api/v1/namespaces/{ns}/services";
const claims = "/api/v1/namespaces/{ns}/persistentvolumeclaims";
const secrets = "/api/v1/namespaces/{ns}/secrets";
const maps = "/api/v1/namespaces/{ns}/configmaps";
const web = { ports: [{ port: 80 }] };

function cases(...list: readonly Fields[]): Step[] {
  return list.map((fields, index) =>
    post(services, { metadata: { name: `s${index}` }, spec: { ...web, ...fields } }),
  );
}

const ports = (...list: object[]): Fields => ({ ports: list });

/** Two ports, with these node ports. */
function two(...[a, b]: readonly number[]): Fields {
  return ports({ name: "a", port: 80, nodePort: a }, { name: "b", port: 81, nodePort: b });
}

const replace = (spec: Fields): Step => put(`${services}/a`, { metadata: { name: "a" }, spec });

const storage = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

function claimCases(...list: readonly Fields[]): Step[] {
  return list.map((fields, index) =>
    post(claims, { metadata: { name: `c${index}` }, spec: { ...storage, ...fields } }),
  );
}

const both = ["IPv4", "IPv6"];

/** Services, claims, Secrets and ConfigMaps that a real server rejects. */
export const serviceRules: readonly Story[] = [
  story(
    "ports of Services",
    cases(
      ports({ port: 80, name: "Upper" }),
      ports({ port: 80, name: "a" }, { port: 81, name: "a" }),
      ports({ port: 80, name: "a" }, { port: 80, name: "b" }),
      ports({ port: 80, name: "a" }, { port: 80, name: "b", protocol: "UDP" }),
      ports({ port: 80, protocol: "tcp" }),
      ports({ port: 80, targetPort: "Upper_" }),
      ports({ port: 80, targetPort: 70000 }),
      ports({ port: 80, appProtocol: "a b" }),
      ports({ port: 80, nodePort: 30080 }),
    ),
  ),
  story(
    "kinds of Services",
    cases(
      { selector: { "a b": "c" } },
      { sessionAffinity: "Maybe" },
      { sessionAffinity: "ClientIP", sessionAffinityConfig: { clientIP: { timeoutSeconds: 0 } } },
      { type: "NodePort", clusterIP: "None" },
      { type: "LoadBalancer", clusterIP: "None" },
      { type: "ExternalName", externalName: "under_score" },
      { type: "ExternalName", externalName: "a.example.com", clusterIP: "10.0.0.9" },
      { type: "NodePort", ports: [{ port: 80, name: "a", nodePort: 80 }] },
      {
        type: "NodePort",
        ports: [
          { port: 80, name: "a", nodePort: 31999 },
          { port: 81, name: "b", nodePort: 31999 },
        ],
      },
      {
        type: "NodePort",
        ports: [
          { port: 53, name: "a", nodePort: 31998, protocol: "TCP" },
          { port: 53, name: "b", nodePort: 31998, protocol: "UDP" },
        ],
      },
      { type: "LoadBalancer", externalTrafficPolicy: "Local", healthCheckNodePort: 31997 },
      { externalIPs: ["nope"] },
      { externalIPs: ["127.0.0.1"] },
      { externalTrafficPolicy: "Local" },
      { type: "NodePort", externalTrafficPolicy: "Maybe" },
      { internalTrafficPolicy: "Maybe" },
      { trafficDistribution: "Maybe" },
      { trafficDistribution: "PreferClose" },
      { healthCheckNodePort: 30000 },
      { allocateLoadBalancerNodePorts: false },
      { loadBalancerClass: "a/b" },
      { type: "LoadBalancer", loadBalancerClass: "a b" },
      { loadBalancerSourceRanges: ["10.0.0.0/8"] },
      { type: "LoadBalancer", loadBalancerSourceRanges: ["nope"] },
      { ipFamilies: ["IPv5"] },
      { ipFamilies: ["IPv4", "IPv4"] },
      { ipFamilyPolicy: "Maybe" },
      { clusterIP: "10.0.0.9", clusterIPs: ["10.0.0.10"] },
      { clusterIP: "nope" },
      { clusterIP: "192.168.1.1" },
      { clusterIP: "None", sessionAffinity: "ClientIP" },
      { externalName: "ignored.example.com" },
    ),
  ),
  story("changes of Services", [
    post(services, { metadata: { name: "a" }, spec: web }),
    merge(`${services}/a`, { spec: { clusterIP: null } }),
    merge(`${services}/a`, { spec: { clusterIP: "None", clusterIPs: ["None"] } }),
    merge(`${services}/a`, { spec: { ipFamilies: ["IPv6"] } }),
    merge(`${services}/a`, { spec: { type: "NodePort" } }),
    merge(`${services}/a`, { spec: { type: "ClusterIP" } }),
    merge(`${services}/a`, { spec: { type: "ExternalName", externalName: "x.example.com" } }),
    merge(`${services}/a`, { spec: { type: "LoadBalancer", loadBalancerClass: "a/b" } }),
    merge(`${services}/a`, { spec: { loadBalancerClass: "a/c" } }),
    merge(`${services}/a/status`, { status: { loadBalancer: { ingress: [{ ip: "nope" }] } } }),
    merge(`${services}/a/status`, {
      status: { loadBalancer: { ingress: [{ ip: "1.2.3.4", ipMode: "Maybe" }] } },
    }),
    merge(`${services}/a/status`, { status: { loadBalancer: { ingress: [{ hostname: "1.2.3.4" }] } } }),
    put(`${services}/a`, { metadata: { name: "a" }, spec: web }),
    post(services, { metadata: { name: "Upper" }, spec: web }),
  ]),
  story("node ports of Services that change", [
    post(services, { metadata: { name: "a" }, spec: { type: "NodePort", ...two(31_111, 31_112) } }),
    // Omitted fields keep the value of the port with the same name.
    replace({
      type: "NodePort",
      ports: [
        { name: "a", port: 90 },
        { name: "b", port: 81, nodePort: 31_111 },
      ],
    }),
    replace({
      type: "NodePort",
      ports: [
        { name: "b", port: 80 },
        { name: "a", port: 81 },
      ],
    }),
    replace({ type: "LoadBalancer", allocateLoadBalancerNodePorts: false, ...two() }),
    replace({ type: "NodePort", ...two(31_111, 31_112) }),
    // One is given up, another one stays: neither is used any more.
    replace({
      type: "ClusterIP",
      ports: [
        { name: "a", port: 80 },
        { name: "b", port: 81, nodePort: 31_112 },
      ],
    }),
    replace({ type: "NodePort", ...two(31_111, 31_112) }),
    replace({ type: "ClusterIP", ...two(31_111, 31_113) }),
    replace({ type: "ClusterIP", ports: [{ name: "b", port: 81, nodePort: 31_111 }] }),
    replace({
      type: "LoadBalancer",
      externalTrafficPolicy: "Local",
      healthCheckNodePort: 31_115,
      ...two(31_111, 31_112),
    }),
    replace({
      type: "LoadBalancer",
      externalTrafficPolicy: "Local",
      healthCheckNodePort: 0,
      ...two(31_111, 31_112),
    }),
    replace({ type: "LoadBalancer", healthCheckNodePort: 31_115, ...two(31_111, 31_112) }),
    replace({ type: "ClusterIP", healthCheckNodePort: 31_116, ...two() }),
    replace({ type: "ClusterIP", ...two() }),
  ]),
  story("addresses of Services that change", [
    post(services, { metadata: { name: "a" }, spec: { ...web, clusterIP: "10.0.0.77" } }),
    replace({ ...web, clusterIP: "10.0.0.78", clusterIPs: ["10.0.0.77"] }),
    replace({ ...web, clusterIP: "", clusterIPs: ["10.0.0.77"] }),
    replace({ ...web, clusterIP: "10.0.0.77" }),
    replace({ ...web, clusterIPs: ["10.0.0.78"] }),
    replace({ type: "ExternalName", externalName: "x.example.com", clusterIP: "10.0.0.77" }),
    replace({
      type: "ExternalName",
      externalName: "x.example.com",
      clusterIP: "",
      clusterIPs: ["10.0.0.77"],
    }),
    replace({ ...web, clusterIP: "None" }),
    replace({ type: "ExternalName", externalName: "x.example.com", clusterIP: "None", clusterIPs: ["None"] }),
    post(services, {
      metadata: { name: "b" },
      spec: { type: "ExternalName", externalName: "x.example.com", internalTrafficPolicy: "Local" },
    }),
    get(`${services}/b`),
    post(services, {
      metadata: { name: "c" },
      spec: { type: "ExternalName", externalName: "x.example.com", internalTrafficPolicy: "Maybe" },
    }),
  ]),
  story("claims", [
    ...claimCases(
      { accessModes: [] },
      { accessModes: ["Maybe"] },
      { accessModes: ["ReadWriteOncePod", "ReadWriteOnce"] },
      { resources: {} },
      { resources: { requests: { storage: "0" } } },
      { resources: { requests: { storage: "-1Gi" } } },
      { resources: { requests: { storage: "1500m" } } },
      { storageClassName: "Upper" },
      { volumeMode: "Maybe" },
      { selector: { matchLabels: { "a b": "c" } } },
      { dataSource: { kind: "Pod", name: "x" } },
      { dataSource: { apiGroup: "snapshot.storage.k8s.io", kind: "VolumeSnapshot", name: "" } },
      { volumeAttributesClassName: "Upper" },
      { storageClassName: "" },
    ),
    merge(`${claims}/c13`, { spec: { accessModes: ["ReadWriteMany"] } }),
    merge(`${claims}/c13`, { spec: { resources: { requests: { storage: "2Gi" } } } }),
    merge(`${claims}/c13`, { spec: { volumeName: "pv" } }),
    merge(`${claims}/c13`, { spec: { volumeName: "other" } }),
    merge(`${claims}/c13/status`, { status: { phase: "Bound", capacity: { storage: "1Gi" } } }),
    merge(`${claims}/c13`, { spec: { resources: { requests: { storage: "2Gi" } } } }),
    merge(`${claims}/c13`, { spec: { resources: { requests: { storage: "1Gi" } } } }),
    merge(`${claims}/c13`, { spec: { resources: { requests: { storage: "512Mi" } } } }),
    merge(`${claims}/c13/status`, { status: { capacity: { storage: "-1" } } }),
    merge(`${claims}/c13`, { spec: { storageClassName: "other" } }),
  ]),
  story("Secrets and ConfigMaps", [
    post(secrets, { metadata: { name: "a" }, data: { "a/b": "" } }),
    post(secrets, { metadata: { name: "a" }, data: { "..x": "" } }),
    post(secrets, { metadata: { name: "a" }, data: { k: "no base64" } }),
    post(secrets, { metadata: { name: "a" }, type: "kubernetes.io/dockerconfigjson" }),
    post(secrets, {
      metadata: { name: "a" },
      type: "kubernetes.io/dockerconfigjson",
      stringData: { ".dockerconfigjson": "nope" },
    }),
    post(secrets, { metadata: { name: "a" }, type: "kubernetes.io/basic-auth" }),
    post(secrets, { metadata: { name: "a" }, type: "kubernetes.io/tls", stringData: { "tls.crt": "x" } }),
    post(secrets, { metadata: { name: "a" }, type: "kubernetes.io/ssh-auth" }),
    post(secrets, { metadata: { name: "a" }, type: "kubernetes.io/service-account-token" }),
    post(secrets, {
      metadata: { name: "tls" },
      type: "kubernetes.io/tls",
      stringData: { "tls.crt": "x", "tls.key": "y" },
    }),
    merge(`${secrets}/tls`, { type: "Opaque" }),
    merge(`${secrets}/tls`, { immutable: true }),
    // A real server tries a patch on what it has cached first, which may be older and then gets a warning. A list waits
    // until its cache is up to date.
    get(`${secrets}?labelSelector=absent`),
    merge(`${secrets}/tls`, { stringData: { "tls.key": "z" } }),
    merge(`${secrets}/tls`, { immutable: false }),
    merge(`${secrets}/tls`, { metadata: { labels: { a: "b" } } }),
    post(maps, { metadata: { name: "a" }, data: { "a b": "" } }),
    post(maps, { metadata: { name: "a" }, data: { "..": "" } }),
    post(maps, { metadata: { name: "a" }, data: { k: "v" }, binaryData: { k: "" } }),
    post(maps, { metadata: { name: "b" }, data: { k: "v" }, immutable: true }),
    merge(`${maps}/b`, { data: { k: "w" } }),
    merge(`${maps}/b`, { immutable: null }),
  ]),
  story("IP families", [
    ...[
      { ipFamilyPolicy: "RequireDualStack" },
      { ipFamilyPolicy: "PreferDualStack" },
      { ipFamilies: ["IPv6"] },
      { ipFamilies: both },
      { ipFamilies: both, ipFamilyPolicy: "RequireDualStack" },
      { ipFamilies: both, ipFamilyPolicy: "PreferDualStack" },
      { clusterIP: "fd00::1" },
      { clusterIP: "None" },
      { clusterIP: "None", ipFamilies: ["IPv6"] },
      { clusterIP: "None", ipFamilies: ["IPv6"], selector: { a: "b" } },
      { clusterIP: "None", ipFamilyPolicy: "SingleStack" },
      { clusterIP: "None", ipFamilyPolicy: "SingleStack", ipFamilies: both },
    ].map((spec, index) =>
      post(services, { metadata: { name: `f${index}` }, spec: { ports: [{ port: 80 }], ...spec } }),
    ),
    merge(`${services}/f7`, { spec: { selector: { a: "b" } } }),
    merge(`${services}/f7`, { spec: { selector: { a: "b" }, ipFamilyPolicy: "SingleStack" } }),
    merge(`${services}/f1`, { spec: { ipFamilyPolicy: "RequireDualStack" } }),
    merge(`${services}/f1`, { spec: { ipFamilies: both } }),
    merge(`${services}/f1`, { spec: { ipFamilies: null, ipFamilyPolicy: null } }),
  ]),
];
