/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { Desired, Stored } from "@tsbuilder/runtime";
import type { StatefulSet } from "@tsbuilder/runtime/k8s/apps/v1";
import type {
  Container,
  PersistentVolumeClaim,
  PodSecurityContext,
  Service,
  Volume,
} from "@tsbuilder/runtime/k8s/core/v1";
import type { NetworkPolicy, NetworkPolicyPeer } from "@tsbuilder/runtime/k8s/networking/v1";
import type { PodDisruptionBudget } from "@tsbuilder/runtime/k8s/policy/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import { CONFIG_PATH } from "./maria_config.ts";
import {
  commonLabelsOf,
  DOMAIN,
  labelsOf,
  namesOf,
  ownerOfData,
  PORT,
  selectorLabels,
  storageOf,
  TLS_ANNOTATION,
} from "./maria_names.ts";

/**
 * The Services: for writes, which selects the primary; for reads, which selects all ready servers; and a headless one,
 * which gives each server a DNS name before it is ready, so that replicas reach the primary.
 */
export function servicesFor(mysql: Stored<Maria>, primaryPod: string): Desired<Service>[] {
  const { type = "ClusterIP", annotations } = mysql.spec.service ?? {};
  const names = namesOf(mysql);
  const labels = labelsOf(mysql, "server");
  const selector = selectorLabels(mysql, "server");
  const primary = { ...selector, "statefulset.kubernetes.io/pod-name": primaryPod };
  const ports = [{ name: "mysql", port: PORT, targetPort: "mysql", protocol: "TCP" as const }];
  return [
    {
      metadata: { name: names.headlessService, labels },
      spec: { clusterIP: "None", publishNotReadyAddresses: true, selector, ports },
    },
    {
      metadata: { name: names.primaryService, labels, annotations },
      spec: { type, selector: primary, ports },
    },
    { metadata: { name: names.readService, labels }, spec: { selector, ports } },
  ];
}

/** Node drains evict at most one server at a time. */
export function disruptionBudgetFor(mysql: Stored<Maria>): Desired<PodDisruptionBudget> {
  return {
    metadata: { name: namesOf(mysql).disruptionBudget, labels: labelsOf(mysql, "server") },
    spec: { maxUnavailable: 1, selector: { matchLabels: selectorLabels(mysql, "server") } },
  };
}

/** Only clients, the servers themselves and our Jobs reach the servers, and only at their port. */
export function networkPolicyFor(
  mysql: Stored<Maria>,
  peers: NetworkPolicyPeer[],
): Desired<NetworkPolicy> {
  const from = [{ podSelector: { matchLabels: commonLabelsOf(mysql) } }, ...peers];
  return {
    metadata: { name: namesOf(mysql).networkPolicy, labels: labelsOf(mysql, "server") },
    spec: {
      podSelector: { matchLabels: selectorLabels(mysql, "server") },
      policyTypes: ["Ingress"],
      ingress: [{ from, ports: [{ protocol: "TCP", port: PORT }] }],
    },
  };
}

/**
 * The servers: replaced one at a time, and server 0 last: the primary, unless somebody switched over.
 * Claim templates are immutable, so an existing StatefulSet keeps its own.
 */
export function statefulSetFor(
  mysql: Stored<Maria>,
  settings: string,
  replicas: number,
  existing?: Stored<StatefulSet>,
): Desired<StatefulSet> {
  const names = namesOf(mysql);
  const { spec } = mysql;
  return {
    metadata: { name: names.statefulSet, labels: labelsOf(mysql, "server") },
    spec: {
      replicas,
      serviceName: names.headlessService,
      // A server that can't start keeps no other from starting.
      podManagementPolicy: "Parallel",
      updateStrategy: { type: "RollingUpdate" },
      selector: { matchLabels: selectorLabels(mysql, "server") },
      template: {
        metadata: {
          labels: labelsOf(mysql, "server"),
          annotations: {
            [SETTINGS_HASH]: settings,
            ...(spec.tls ? { [TLS_ANNOTATION]: "true" } : {}),
          },
        },
        spec: {
          imagePullSecrets: spec.imagePullSecrets,
          terminationGracePeriodSeconds: spec.terminationGracePeriodSeconds ?? 300,
          automountServiceAccountToken: false,
          securityContext: podSecurity,
          nodeSelector: spec.nodeSelector,
          tolerations: spec.tolerations,
          topologySpreadConstraints: spec.topologySpreadConstraints,
          affinity: {
            podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [apart(mysql)] },
          },
          initContainers: [
            { ...serverContainer(mysql, "init"), command: [`${CONFIG_PATH}/init.sh`] },
          ],
          containers: [
            {
              ...serverContainer(mysql, "mysql"),
              command: [`${CONFIG_PATH}/start.sh`],
              ports: [{ name: "mysql", containerPort: PORT, protocol: "TCP" }],
              // The first start may recover a log or load a dump: allow half an hour before liveness applies.
              startupProbe: {
                tcpSocket: { port: "mysql" },
                periodSeconds: 5,
                failureThreshold: 360,
              },
              livenessProbe: {
                tcpSocket: { port: "mysql" },
                periodSeconds: 20,
                failureThreshold: 3,
              },
              readinessProbe: {
                exec: { command: [`${CONFIG_PATH}/ready.sh`] },
                periodSeconds: 5,
                timeoutSeconds: 5,
                failureThreshold: 3,
              },
            },
          ],
          volumes: podVolumes(mysql),
        },
      },
      volumeClaimTemplates: existing?.spec?.volumeClaimTemplates ?? [dataVolumeFor(mysql)],
    },
  };
}

/** Pods are replaced when this annotation changes. */
export const SETTINGS_HASH = `${DOMAIN}/settings-hash`;

function dataVolumeFor(mysql: Stored<Maria>): Desired<PersistentVolumeClaim> {
  return {
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { name: "data", labels: labelsOf(mysql, "server"), annotations: ownerOfData(mysql) },
    spec: {
      accessModes: ["ReadWriteOnce"],
      storageClassName: mysql.spec.storage?.className,
      resources: { requests: { storage: storageOf(mysql) } },
    },
  };
}

/** The user `mysql` of the official MariaDB and MySQL images. */
const SERVER_USER = 999;

/** Security settings of all pods that run our scripts. */
export const podSecurity: PodSecurityContext = {
  runAsNonRoot: true,
  runAsUser: SERVER_USER,
  runAsGroup: SERVER_USER,
  fsGroup: SERVER_USER,
  // Volumes with many files would take long otherwise.
  fsGroupChangePolicy: "OnRootMismatch",
  seccompProfile: { type: "RuntimeDefault" },
};

/** Settings of every container that runs our scripts. */
export function serverContainer(mysql: Stored<Maria>, name: string): Container {
  const { image = "mariadb:10.11", imagePullPolicy = "IfNotPresent", resources } = mysql.spec;
  return {
    name,
    image,
    imagePullPolicy,
    resources,
    env: [{ name: "MAX_LAG", value: String(mysql.spec.maxReplicaLagSeconds ?? 60) }],
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      readOnlyRootFilesystem: true,
    },
    volumeMounts: [
      { name: "data", mountPath: "/var/lib/mysql" },
      { name: "config", mountPath: CONFIG_PATH, readOnly: true },
      { name: "run", mountPath: "/run/mysqld" },
      { name: "tmp", mountPath: "/tmp" },
    ],
  };
}

/** The volumes of a pod that runs our scripts, without its data. */
export function podVolumes(mysql: Stored<Maria>): Volume[] {
  return [
    { name: "config", secret: { secretName: namesOf(mysql).config, defaultMode: 0o550 } },
    { name: "run", emptyDir: {} },
    { name: "tmp", emptyDir: {} },
  ];
}

function apart(mysql: Stored<Maria>) {
  return {
    weight: 100,
    podAffinityTerm: {
      topologyKey: "kubernetes.io/hostname",
      labelSelector: { matchLabels: selectorLabels(mysql, "server") },
    },
  };
}
