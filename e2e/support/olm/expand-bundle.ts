import type { DeploymentSpec } from "@tsbuilder/apimachinery/k8s/apps/v1";
import type { ClusterServiceVersion, Permission, WebhookDefinition } from "../../../src/olm/bundle/csv.ts";
import type { ManifestObject } from "../../../src/ship/manifest.ts";

/** Where OLM installs a bundle, and what the operator is to watch there: no namespaces for all. */
export interface Installation {
  readonly namespace: string;
  readonly targets: readonly string[];
}

const rbac = "rbac.authorization.k8s.io";

/** The objects that OLM makes of a bundle: its own, and those that it makes of the ClusterServiceVersion. */
export function expandBundle(
  bundle: readonly ManifestObject[],
  installation: Installation,
): ManifestObject[] {
  const csv = bundle.find(({ kind }) => kind === "ClusterServiceVersion") as ClusterServiceVersion;
  const { deployments, permissions = [], clusterPermissions = [] } = csv.spec.install!.spec;
  const { webhookdefinitions: webhooks = [] } = csv.spec;
  const { namespace, targets } = installation;
  const accounts = [...permissions, ...clusterPermissions].map((permission) => permission.serviceAccountName);
  return [
    ...bundle.filter((object) => object !== csv).map((object) => install(object, namespace, webhooks)),
    ...[...new Set(accounts)].map((name) => ({
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { name, namespace },
    })),
    ...clusterPermissions.flatMap((permission) => clusterRole(permission, namespace)),
    ...permissions.flatMap((permission) => [
      ...[...new Set([namespace, ...targets])].flatMap((target) => role(permission, namespace, target)),
      // Permissions in the namespace where OLM installs then also hold wherever the operator watches.
      ...(targets.length === 0 ? clusterRole(permission, namespace) : []),
    ]),
    ...deployments.map(({ name, label, spec }) => ({
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name, namespace, ...(label ? { labels: label } : {}) },
      spec: installed(spec, name, targets, webhooks),
    })),
    ...[...new Set(webhooks.map(({ deploymentName }) => deploymentName))].map((name) =>
      serviceFor(name, namespace, bundle, webhooks),
    ),
    ...webhooks
      .filter(({ type }) => type !== "ConversionWebhook")
      .map((webhook) => configurationFor(webhook, namespace)),
  ];
}

const clusterKinds = new Set([
  "ClusterRole",
  "ClusterRoleBinding",
  "CustomResourceDefinition",
  "PriorityClass",
]);

function install(
  object: ManifestObject,
  namespace: string,
  webhooks: readonly WebhookDefinition[],
): ManifestObject {
  const { kind, metadata } = object;
  const conversion = webhooks.find(({ conversionCRDs }) => conversionCRDs?.includes(metadata.name));
  if (kind === "CustomResourceDefinition" && conversion) {
    const webhook = {
      clientConfig: clientConfig(conversion, namespace),
      conversionReviewVersions: conversion.admissionReviewVersions,
    };
    return {
      ...object,
      spec: { ...(object["spec"] as object), conversion: { strategy: "Webhook", webhook } },
    };
  }
  return clusterKinds.has(kind) ? object : { ...object, metadata: { ...metadata, namespace } };
}

function role({ serviceAccountName: name, rules }: Permission, home: string, namespace: string) {
  const metadata = { name: `${name}-granted`, namespace };
  return [
    { apiVersion: `${rbac}/v1`, kind: "Role", metadata, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: "RoleBinding",
      metadata,
      roleRef: { apiGroup: rbac, kind: "Role", name: metadata.name },
      subjects: [{ kind: "ServiceAccount", name, namespace: home }],
    },
  ];
}

function clusterRole({ serviceAccountName: name, rules }: Permission, home: string) {
  const metadata = { name: `${name}-granted-${rules.length}` };
  return [
    { apiVersion: `${rbac}/v1`, kind: "ClusterRole", metadata, rules },
    {
      apiVersion: `${rbac}/v1`,
      kind: "ClusterRoleBinding",
      metadata,
      roleRef: { apiGroup: rbac, kind: "ClusterRole", name: metadata.name },
      subjects: [{ kind: "ServiceAccount", name, namespace: home }],
    },
  ];
}

/** OLM tells the pods which namespaces to watch, and mounts the certificate of webhooks twice. */
function installed(
  spec: DeploymentSpec,
  name: string,
  targets: readonly string[],
  webhooks: readonly WebhookDefinition[],
): DeploymentSpec {
  const { metadata, spec: pod } = spec.template;
  const annotations = { ...metadata?.annotations, "olm.targetNamespaces": targets.join(",") };
  const certificates = [
    { name: "apiservice-cert", mountPath: "/apiserver.local.config/certificates" },
    { name: "webhook-cert", mountPath: "/tmp/k8s-webhook-server/serving-certs" },
  ];
  const isWebhook = webhooks.some(({ deploymentName }) => deploymentName === name);
  const mounted = isWebhook ? certificates : [];
  const volumes = mounted.map((each) => ({
    name: each.name,
    secret: { secretName: `${name}-service-cert` },
  }));
  return {
    ...spec,
    template: {
      metadata: { ...metadata, annotations },
      spec: {
        ...pod!,
        volumes: [...(pod!.volumes ?? []), ...volumes],
        containers: pod!.containers.map((container) => ({
          ...container,
          volumeMounts: [...(container.volumeMounts ?? []), ...mounted],
        })),
      },
    },
  };
}

function serviceFor(
  name: string,
  namespace: string,
  bundle: readonly ManifestObject[],
  webhooks: readonly WebhookDefinition[],
): ManifestObject {
  const csv = bundle.find(({ kind }) => kind === "ClusterServiceVersion") as ClusterServiceVersion;
  const { spec } = csv.spec.install!.spec.deployments.find((each) => each.name === name)!;
  const ports = webhooks
    .filter(({ deploymentName }) => deploymentName === name)
    .map(({ containerPort, targetPort }) => ({ port: containerPort, targetPort, protocol: "TCP" }));
  const unique = [...new Map(ports.map((port) => [port.port, port])).values()];
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: `${name}-service`, namespace },
    spec: { ports: unique, selector: spec.selector.matchLabels },
  };
}

function clientConfig({ deploymentName, webhookPath, containerPort }: WebhookDefinition, namespace: string) {
  return {
    service: { name: `${deploymentName}-service`, namespace, path: webhookPath, port: containerPort },
  };
}

function configurationFor(webhook: WebhookDefinition, namespace: string): ManifestObject {
  const { type, generateName, deploymentName, containerPort, targetPort, webhookPath, ...fields } = webhook;
  return {
    apiVersion: "admissionregistration.k8s.io/v1",
    kind:
      type === "MutatingAdmissionWebhook" ? "MutatingWebhookConfiguration" : "ValidatingWebhookConfiguration",
    metadata: { name: `${generateName}-made` },
    webhooks: [
      {
        name: generateName,
        clientConfig: clientConfig(
          { ...webhook, deploymentName, containerPort, targetPort, webhookPath },
          namespace,
        ),
        ...fields,
      },
    ],
  };
}
