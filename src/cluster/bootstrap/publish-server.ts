import { isEqual } from "@tsbuilder/apimachinery/json";
import { type KubernetesObject, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { ApiObject } from "../contract/api-object.ts";
import { qualifiedName } from "../contract/status-error.ts";
import type { ClusterObjects, ResourceName } from "../contract/cluster-objects.ts";
import { serverServiceAddress, serviceRange } from "../kinds/core/service/allocation.ts";
import { nodeAddress } from "../kinds/core/node/fake-node.ts";
import { clusterObjects } from "../registry/cluster-objects.ts";
import type { Core } from "../registry/core.ts";
import { serverEntry, storeBootstrapObjects } from "./bootstrap.ts";

const rangeName = "kubernetes";

/**
 * Creates the Service `kubernetes`, by which pods find the API server, with its endpoints, the range of Service addresses
 * and what other servers need to authenticate clients as this one does. Recreates the objects if they are deleted, as by
 * `kubectl delete all`. Returns a function that stops this.
 */
export async function publishServer(core: Core, place: ServerPlace): Promise<() => void> {
  const objects = clusterObjects(core);
  const published = publishedObjects(place);
  const stored = (): ApiObject[] => {
    const now = formatTime(core.clock.now());
    const since = now.slice(0, "yyyy-mm-dd".length);
    const { kubeletClient } = place;
    return [
      serviceCIDR(now),
      systemConfigMap("kube-apiserver-legacy-service-account-token-tracking", { since }),
      ...(kubeletClient === undefined ? [] : [kubeletClientBinding(kubeletClient)]),
    ];
  };
  const ensureAll = async (): Promise<void> => {
    storeBootstrapObjects(core, stored());
    for (const announcement of published) await publish(objects, announcement);
  };
  await ensureAll();
  const keys = new Set([
    ...published.map(({ resource, object }) => `${resource} ${keyOf(object)}`),
    ...stored().map((object) => `${nameOfKind(core, object)} ${keyOf(object)}`),
  ]);
  return core.store.listen((collection, { type, entry }) => {
    if (type !== "DELETED" || !keys.has(`${collection.name} ${entry.key}`)) return;
    // Fails if another Service has taken the address; then the Service is not recreated.
    ensureAll().catch(() => undefined);
  });
}

function nameOfKind({ registry }: Core, { apiVersion, kind }: ApiObject): string {
  return qualifiedName(registry.findKind(parseApiVersion(apiVersion).group, kind)!);
}

function keyOf({ metadata: { namespace, name } }: KubernetesObject): string {
  return namespace === undefined ? name! : `${namespace}/${name}`;
}

/** Where clients in the cluster reach the server. */
export interface ServerPlace {
  readonly port: number;
  /** The address to which the Service leads. Default: one on which nothing listens, as in envtest. */
  readonly address?: string | undefined;
  /** By what the server authenticates clients, as it tells other servers. Default: nothing. */
  readonly authentication?: Readonly<Record<string, string>>;
  /** The user as whom the server connects to kubelets, who ask it what that user may do. Default: others bind it. */
  readonly kubeletClient?: string | undefined;
}

/** A ConfigMap of the server: one tells aggregated servers whom it trusts, another one that it tracks tokens. */
function systemConfigMap(name: string, data: Readonly<Record<string, string>>) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "kube-system" }, data };
}

/** Lets the server use all of the kubelets' API, and nothing else. */
function kubeletClientBinding(name: string) {
  const apiGroup = "rbac.authorization.k8s.io";
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { apiGroup, kind: "ClusterRole", name: "system:kubelet-api-admin" },
    subjects: [{ apiGroup, kind: "User", name }],
  };
}

const user = "kube-apiserver";

/** An object that is created if it is missing, and updated if the server has moved. */
export interface Published {
  readonly resource: ResourceName;
  readonly object: KubernetesObject & Readonly<Record<string, unknown>>;
  /** The fields that are updated if the server has moved, or authenticates otherwise. */
  readonly placeFields: readonly string[];
}

/** Creates an object of the server's, or updates it. */
export async function publish(
  objects: ClusterObjects,
  { resource, object, placeFields }: Published,
): Promise<void> {
  const { namespace, name } = object.metadata;
  const current = objects.get(resource, namespace, name!) as Published["object"] | undefined;
  if (!current) await objects.create(user, object);
  else if (placeFields.some((field) => !isEqual(current[field], object[field]))) {
    const moved = Object.fromEntries(placeFields.map((field) => [field, object[field]]));
    await objects.update(user, { ...current, ...moved });
  }
}

function publishedObjects({ port, address = nodeAddress, authentication }: ServerPlace): Published[] {
  const metadata = { name: "kubernetes", namespace: "default" };
  const ports = [{ name: "https", port, protocol: "TCP" }];
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...metadata, labels: { component: "apiserver", provider: "kubernetes" } },
    spec: {
      clusterIP: serverServiceAddress,
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: port }],
      sessionAffinity: "None",
      type: "ClusterIP",
    },
  };
  // Endpoints with loopback addresses are invalid.
  const endpoints = {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { ...metadata, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    subsets: [{ addresses: [{ ip: address }], ports }],
  };
  const slice = {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { ...metadata, labels: { "kubernetes.io/service-name": "kubernetes" } },
    addressType: "IPv4",
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports,
  };
  return [
    { resource: "services", object: service, placeFields: [] },
    { resource: "endpoints", object: endpoints, placeFields: ["subsets"] },
    { resource: "endpointslices.discovery.k8s.io", object: slice, placeFields: ["endpoints", "ports"] },
    ...(authentication
      ? [
          {
            resource: "configmaps",
            object: systemConfigMap("extension-apiserver-authentication", authentication),
            placeFields: ["data"],
          },
        ]
      : []),
  ];
}

const controller = "kubernetes-service-cidr-controller";

/** The ServiceCIDR of the default range of Service addresses, with the condition Ready. */
function serviceCIDR(time: string): ApiObject {
  const message = "Kubernetes default Service CIDR is ready";
  const ready = { type: "Ready", status: "True", lastTransitionTime: time, reason: "", message };
  // The controller's applied configuration omits the empty reason, so that nobody owns it.
  const owned = { ".": {}, "f:lastTransitionTime": {}, "f:message": {}, "f:status": {}, "f:type": {} };
  const apiVersion = "networking.k8s.io/v1";
  const status = { "f:status": { "f:conditions": { 'k:{"type":"Ready"}': owned } } };
  const specEntry = serverEntry(apiVersion, time, { "f:spec": { "f:cidrs": {} } });
  const statusEntry = {
    ...specEntry,
    manager: controller,
    operation: "Apply",
    fieldsV1: status,
    subresource: "status",
  } as const;
  const managedFields = [statusEntry, specEntry];
  return {
    apiVersion,
    kind: "ServiceCIDR",
    metadata: { name: rangeName, managedFields },
    spec: { cidrs: [serviceRange] },
    status: { conditions: [ready] },
  };
}
