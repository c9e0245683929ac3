/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { createHash } from "node:crypto";
import type { Desired, Stored } from "@tsbuilder/runtime";
import type { Deployment } from "@tsbuilder/runtime/k8s/apps/v1";
import type { HorizontalPodAutoscaler } from "@tsbuilder/runtime/k8s/autoscaling/v2";
import type {
  ConfigMap,
  Container,
  ContainerPort,
  Probe,
  Service,
  ServicePort,
  Volume,
} from "@tsbuilder/runtime/k8s/core/v1";
import type { Ingress } from "@tsbuilder/runtime/k8s/networking/v1";
import type { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import type {
  AppIngress,
  AppPort,
  AppVolume,
  AppService,
  AppServiceSpec,
  Autoscaling,
} from "../../api/v1/appservice_types.ts";

/** The domain under which this operator annotates objects. */
export const DOMAIN = "apps.example.com";

/** Labels that select an app's pods; they never change, because selectors are immutable. */
export function selectorLabels({ metadata }: Stored<AppService>): Record<string, string> {
  return {
    "app.kubernetes.io/name": "appservice",
    "app.kubernetes.io/instance": metadata.name,
  };
}

/** The ConfigMap with the app's environment variables. */
export function configMapFor(
  app: Stored<AppService>,
  config: Record<string, string>,
): Desired<ConfigMap> {
  return { metadata: { name: configName(app), labels: labelsOf(app) }, data: config };
}

/** The app's Deployment. An autoscaler sets its number of replicas, if there is one. */
export function deploymentFor(app: Stored<AppService>): Desired<Deployment> {
  const { spec } = app;
  const isRestricted = spec.podSecurity === "restricted";
  return {
    metadata: {
      name: app.metadata.name,
      labels: labelsOf(app),
      annotations: specAnnotation(spec),
    },
    spec: {
      replicas: spec.autoscaling ? undefined : (spec.replicas ?? 1),
      selector: { matchLabels: selectorLabels(app) },
      template: {
        metadata: { labels: labelsOf(app), annotations: configAnnotation(spec.config) },
        spec: {
          // The API server keeps the former account of a Deployment that names none.
          serviceAccountName: spec.serviceAccountName ?? "default",
          imagePullSecrets: spec.imagePullSecrets,
          securityContext: isRestricted
            ? { runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } }
            : undefined,
          containers: [containerFor(app, isRestricted)],
          volumes: spec.volumes?.map(podVolume),
          nodeSelector: spec.nodeSelector,
          tolerations: spec.tolerations,
          topologySpreadConstraints: spec.topologySpreadConstraints,
        },
      },
    },
  };
}

/** The app's Service. Default type: NodePort if a port has a node port, otherwise ClusterIP. */
export function serviceFor(app: Stored<AppService>, ports: readonly AppPort[]): Desired<Service> {
  return {
    metadata: { name: app.metadata.name, labels: labelsOf(app) },
    spec: {
      type: serviceTypeOf(app),
      selector: selectorLabels(app),
      ports: ports.map((port) => servicePort(port, ports)),
    },
  };
}

/** The app's Ingress, for its first port. */
export function ingressFor(
  app: Stored<AppService>,
  ingress: AppIngress,
  port: AppPort,
): Desired<Ingress> {
  const { host, path = "/", pathType = "Prefix", className, tlsSecretName, annotations } = ingress;
  const service = { name: app.metadata.name, port: { number: port.port } };
  return {
    metadata: { name: app.metadata.name, labels: labelsOf(app), annotations },
    spec: {
      ingressClassName: className,
      tls: tlsSecretName ? [{ hosts: [host], secretName: tlsSecretName }] : undefined,
      rules: [{ host, http: { paths: [{ path, pathType, backend: { service } }] } }],
    },
  };
}

/** The app's HorizontalPodAutoscaler. */
export function autoscalerFor(
  app: Stored<AppService>,
  autoscaling: Autoscaling,
): Desired<HorizontalPodAutoscaler> {
  const { minReplicas = 1, maxReplicas, cpuPercent = 80 } = autoscaling;
  return {
    metadata: { name: app.metadata.name, labels: labelsOf(app) },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: app.metadata.name },
      minReplicas,
      maxReplicas,
      metrics: [
        {
          type: "Resource",
          resource: {
            name: "cpu",
            target: { type: "Utilization", averageUtilization: cpuPercent },
          },
        },
      ],
    },
  };
}

/** The app's PodDisruptionBudget: node drains evict at most one pod at a time. */
export function disruptionBudgetFor(app: Stored<AppService>): Desired<PodDisruptionBudget> {
  return {
    metadata: { name: app.metadata.name, labels: labelsOf(app) },
    spec: { maxUnavailable: 1, selector: { matchLabels: selectorLabels(app) } },
  };
}

/** The minimum number of pods. */
export function fewestReplicas({ spec }: Stored<AppService>): number {
  return spec.autoscaling ? (spec.autoscaling.minReplicas ?? 1) : (spec.replicas ?? 1);
}

/** The name of the app's ConfigMap. */
export function configName({ metadata }: Stored<AppService>): string {
  return `${metadata.name}-config`;
}

function containerFor(app: Stored<AppService>, isRestricted: boolean): Container {
  const { spec } = app;
  const ports = spec.ports ?? [];
  return {
    name: app.metadata.name,
    image: spec.image,
    imagePullPolicy: spec.imagePullPolicy ?? "IfNotPresent",
    command: spec.command,
    args: spec.args,
    env: spec.envs,
    envFrom: spec.config
      ? [{ configMapRef: { name: configName(app) } }, ...(spec.envFrom ?? [])]
      : spec.envFrom,
    resources: spec.resources,
    ports: containerPorts(ports),
    volumeMounts: spec.volumes?.map((volume) => {
      const { mountPath, readOnly } = volume;
      return { name: podVolume(volume).name, mountPath, readOnly };
    }),
    livenessProbe: spec.probes?.liveness,
    readinessProbe: spec.probes?.readiness ?? connectTo(ports),
    startupProbe: spec.probes?.startup,
    securityContext: isRestricted
      ? { allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } }
      : undefined,
  };
}

/** Its name has its type: another type makes another volume, which has no fields of the former one that the API server set. */
function podVolume({ name, claim, secret, configMap }: AppVolume): Volume {
  if (claim) return { name: `claim-${name}`, persistentVolumeClaim: { claimName: claim } };
  if (secret) return { name: `secret-${name}`, secret: { secretName: secret } };
  if (configMap) return { name: `config-map-${name}`, configMap: { name: configMap } };
  return { name: `empty-${name}`, emptyDir: {} };
}

/** Several ports of the Service may target one container port, which is listed once, under the first name. */
function containerPorts(ports: readonly AppPort[]): ContainerPort[] {
  const opened = new Map<string, ContainerPort>();
  for (const { name, protocol = "TCP", ...port } of ports) {
    const containerPort = targetOf(port, ports);
    const key = `${containerPort}/${protocol}`;
    if (!opened.has(key)) opened.set(key, { name, containerPort, protocol });
  }
  return [...opened.values()];
}

/** The protocol is one of the list's merge keys, so it is always set. */
function servicePort(appPort: AppPort, ports: readonly AppPort[]): ServicePort {
  const { name, port, protocol = "TCP", nodePort } = appPort;
  return { name, port, targetPort: targetOf(appPort, ports), protocol, nodePort };
}

/** The number of the container port that a port targets, by number or name. */
function targetOf({ port, targetPort = port }: AppPort, ports: readonly AppPort[]): number {
  if (typeof targetPort === "number") return targetPort;
  const named = ports.find(({ name }) => name === targetPort);
  return typeof named?.targetPort === "number" ? named.targetPort : (named?.port ?? port);
}

function connectTo(ports: readonly AppPort[]): Probe | undefined {
  const [first] = ports;
  if (!first || (first.protocol ?? "TCP") !== "TCP") return undefined;
  return { tcpSocket: { port: targetOf(first, ports) } };
}

function serviceTypeOf({ spec }: Stored<AppService>): "ClusterIP" | "NodePort" | "LoadBalancer" {
  if (spec.serviceType) return spec.serviceType;
  return spec.ports?.some(({ nodePort }) => nodePort !== undefined) ? "NodePort" : "ClusterIP";
}

function labelsOf(app: Stored<AppService>): Record<string, string> {
  return { ...selectorLabels(app), "app.kubernetes.io/managed-by": "app-operator" };
}

/** For users: the spec that was last applied. The operator does not read it, so it is omitted if too large. */
function specAnnotation(spec: AppServiceSpec): Record<string, string> | undefined {
  const text = JSON.stringify(spec);
  return text.length < 10_000 ? { [`${DOMAIN}/last-applied-spec`]: text } : undefined;
}

function configAnnotation(
  config: Record<string, string> | undefined,
): Record<string, string> | undefined {
  if (!config) return undefined;
  const hash = createHash("sha256").update(JSON.stringify(Object.entries(config).toSorted()));
  return { [`${DOMAIN}/config-hash`]: hash.digest("hex").slice(0, 16) };
}
