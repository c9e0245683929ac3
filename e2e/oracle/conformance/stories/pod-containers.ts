import { type Story, story } from "../story.ts";
import { container, containers, type Fields, specs } from "./pod-cases.ts";

const ports = (...list: object[]): Fields => ({ ports: list });
const env = (...list: object[]): Fields => ({ env: list });
const from = (valueFrom: object): Fields => env({ name: "A", valueFrom });
const liveness = (fields: object): Fields => ({ livenessProbe: fields });
const get = { httpGet: { port: 80 } };
const limits = (resources: object): Fields => ({ resources });

/** Containers that a real server rejects, and its messages. */
export const podContainers: readonly Story[] = [
  story(
    "names and images",
    containers([
      { name: "" },
      { name: "Upper" },
      { name: "a.b" },
      { name: "x".repeat(64) },
      { image: "" },
      { image: " i" },
      { terminationMessagePolicy: "Nope" },
      { imagePullPolicy: "Nope" },
      { restartPolicy: "Always" },
      { restartPolicy: "Nope" },
      { restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [1] } }] },
      { restartPolicy: "Never", restartPolicyRules: [{ action: "Nope" }] },
      { restartPolicy: "Never", restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "Is" } }] },
    ]),
  ),
  story(
    "lists of containers",
    specs(
      { containers: [] },
      { containers: [container, container] },
      { initContainers: [container] },
      {
        initContainers: [
          { ...container, name: "i" },
          { ...container, name: "i" },
        ],
      },
      { initContainers: [{ ...container, name: "i", ...liveness(get) }] },
      { initContainers: [{ ...container, name: "i", lifecycle: { preStop: { exec: { command: ["x"] } } } }] },
      { initContainers: [{ ...container, name: "i", restartPolicy: "Always", ...liveness(get) }] },
      { initContainers: [{ ...container, name: "i", restartPolicy: "Sometimes" }] },
      { ephemeralContainers: [{ ...container, name: "e" }] },
      {
        ephemeralContainers: [
          { ...container, name: "e", targetContainerName: "missing", ...ports({ containerPort: 1 }) },
        ],
      },
    ),
  ),
  story(
    "ports",
    containers([
      ports({ containerPort: 0 }),
      ports({ containerPort: 65536 }),
      ports({ containerPort: -1 }),
      ports({ containerPort: 80, hostPort: 70000 }),
      ports({ containerPort: 80, protocol: "tcp" }),
      ports({ containerPort: 80, name: "Upper_" }),
      ports({ containerPort: 80, name: "sixteen-letters-x" }),
      ports({ containerPort: 80, name: "1-2" }),
      ports({ containerPort: 80, name: "a--b" }),
      ports({ containerPort: 80, name: "-a-" }),
      ports({ containerPort: 80, name: "web" }, { containerPort: 81, name: "web" }),
      ports({ containerPort: 80, hostPort: 8080 }, { containerPort: 81, hostPort: 8080 }),
      ports({ containerPort: 80 }, { containerPort: 80 }),
      ports({ containerPort: 80, hostPort: 1 }, { containerPort: 80 }),
      ports(
        { containerPort: 80, hostIP: "10.0.0.1" },
        { containerPort: 80, hostPort: 1, hostIP: "10.0.0.1" },
      ),
      ports({ containerPort: 80, name: "web", protocol: "UDP", hostIP: "::1" }),
    ]),
  ),
  story(
    "ports of the node's network",
    specs(
      { hostNetwork: true, containers: [{ ...container, ...ports({ containerPort: 80, hostPort: 81 }) }] },
      { hostNetwork: true, containers: [{ ...container, ...ports({ containerPort: 80 }) }] },
    ),
  ),
  story(
    "environment",
    containers([
      env({ value: "x" }),
      env({ name: "A=B", value: "x" }),
      env({ name: "ä", value: "x" }),
      env({ name: "1 odd", value: "x" }),
      from({}),
      env({ name: "A", value: "x", valueFrom: { secretKeyRef: { name: "s", key: "k" } } }),
      from({ secretKeyRef: { name: "s", key: "k" }, configMapKeyRef: { name: "s", key: "k" } }),
      from({ secretKeyRef: { name: "", key: "" } }),
      from({ secretKeyRef: { name: "S_", key: "a/b" } }),
      from({ configMapKeyRef: { name: "s", key: ".." } }),
      from({ fieldRef: { fieldPath: "" } }),
      from({ fieldRef: { fieldPath: "metadata.nope" } }),
      from({ fieldRef: { fieldPath: "spec.restartPolicy" } }),
      from({ fieldRef: { fieldPath: "metadata.labels" } }),
      from({ fieldRef: { fieldPath: "metadata.labels['app']" } }),
      from({ fieldRef: { fieldPath: "metadata.labels['a b']" } }),
      from({ fieldRef: { fieldPath: "metadata.name['x']" } }),
      from({ fieldRef: { apiVersion: "v2", fieldPath: "metadata.name" } }),
      from({ resourceFieldRef: { resource: "" } }),
      from({ resourceFieldRef: { resource: "limits.gpu" } }),
      from({ resourceFieldRef: { resource: "limits.cpu", divisor: "2" } }),
      from({ resourceFieldRef: { resource: "limits.memory", divisor: "3Mi" } }),
      from({ resourceFieldRef: { resource: "requests.ephemeral-storage", divisor: "2" } }),
      from({ resourceFieldRef: { resource: "limits.memory", divisor: "1Mi" } }),
      from({ fileKeyRef: { key: "A", volumeName: "missing", path: "../x" } }),
      env({ name: "A", value: "1" }, { name: "A", value: "2" }),
      env({ name: "A", value: "1" }, { name: "A", value: "$(A)2" }),
      { envFrom: [{}] },
      { envFrom: [{ configMapRef: { name: "" } }] },
      { envFrom: [{ secretRef: { name: "S_" } }] },
      { envFrom: [{ prefix: "=", configMapRef: { name: "x" } }] },
      { envFrom: [{ configMapRef: { name: "x" }, secretRef: { name: "x" } }] },
    ]),
  ),
  story(
    "probes and hooks",
    containers([
      liveness({}),
      liveness({ exec: {} }),
      liveness({ ...get, tcpSocket: { port: 80 } }),
      liveness({ httpGet: { port: 0 } }),
      liveness({ httpGet: { port: "Upper" } }),
      liveness({ httpGet: { port: 80, scheme: "FTP" } }),
      liveness({ httpGet: { port: 80, httpHeaders: [{ name: "a b", value: "" }] } }),
      liveness({ tcpSocket: { port: 70000 } }),
      liveness({ grpc: { port: 0 } }),
      liveness({ ...get, successThreshold: 2 }),
      liveness({ ...get, periodSeconds: -1, timeoutSeconds: -1, initialDelaySeconds: -1 }),
      liveness({ ...get, terminationGracePeriodSeconds: 0 }),
      { readinessProbe: { ...get, successThreshold: 2 } },
      { readinessProbe: { ...get, terminationGracePeriodSeconds: 5 } },
      { startupProbe: { ...get, successThreshold: 2 } },
      { lifecycle: { preStop: {} } },
      { lifecycle: { preStop: { sleep: { seconds: 31 } } } },
      { lifecycle: { preStop: { sleep: { seconds: -1 } } } },
      { lifecycle: { postStart: { httpGet: { port: 80 }, exec: { command: ["x"] } } } },
    ]),
  ),
  story(
    "resources",
    containers([
      limits({ limits: { cpu: "1" }, requests: { cpu: "2" } }),
      limits({ limits: { cpu: "-1" } }),
      limits({ requests: { memory: "-1Mi" } }),
      limits({ limits: { gpu: "1" } }),
      limits({ limits: { "a b": "1" } }),
      limits({ limits: { pods: "1" } }),
      limits({ limits: { "example.com/gpu": "1500m" } }),
      limits({ requests: { "example.com/gpu": "1" } }),
      limits({ limits: { "example.com/gpu": "2" }, requests: { "example.com/gpu": "1" } }),
      limits({ limits: { "kubernetes.io/thing": "2" } }),
      limits({ limits: { "requests.example.com/gpu": "2" } }),
      limits({ limits: { "hugepages-2Mi": "4Mi" } }),
      limits({ limits: { "hugepages-2Mi": "3Mi", cpu: "1" } }),
      limits({ limits: { cpu: "1", memory: "1500m" } }),
      limits({ limits: { cpu: "0.0001" } }),
      limits({ limits: { cpu: "nonsense" } }),
      limits({ claims: [{ name: "missing" }] }),
      { resizePolicy: [{ resourceName: "gpu", restartPolicy: "Nope" }] },
      {
        resizePolicy: [
          { resourceName: "cpu", restartPolicy: "NotRequired" },
          { resourceName: "cpu", restartPolicy: "NotRequired" },
        ],
      },
    ]),
  ),
  story(
    "resources of the pod",
    specs(
      {
        resources: { requests: { cpu: "1" } },
        containers: [{ ...container, resources: { requests: { cpu: "2" } } }],
      },
      {
        resources: { limits: { cpu: "1" } },
        containers: [{ ...container, resources: { limits: { cpu: "2" } } }],
      },
      { resources: { limits: { "ephemeral-storage": "1" } } },
      { resourceClaims: [{ name: "a" }] },
      { resourceClaims: [{ name: "a", resourceClaimName: "x", resourceClaimTemplateName: "y" }] },
      { overhead: { cpu: "-1" } },
    ),
  ),
];
