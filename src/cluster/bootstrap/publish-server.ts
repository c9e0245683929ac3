import type { ServiceCIDR } from "@tsbuilder/apimachinery/k8s/networking/v1";
import { isEqual } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { formatTime } from "@tsbuilder/apimachinery/time";
import type { ClusterObjects, ResourceName } from "../contract/cluster-objects.ts";
import { serviceRange } from "../kinds/core/service/allocation.ts";
import { nodeAddress } from "../kinds/core/node/controller/fake-node.ts";
import { clusterObjects } from "../registry/cluster-objects.ts";
import type { Core } from "../registry/core.ts";

const user = "kube-apiserver";
const serviceCIDRs: ResourceName<ServiceCIDR> = "servicecidrs.networking.k8s.io";

/** An object by which the server announces itself. */
interface Published {
  readonly resource: ResourceName;
  readonly object: KubernetesObject & Readonly<Record<string, unknown>>;
  /** The field that another port changes. */
  readonly portField?: string;
}

/**
 * Creates the Service `kubernetes`, by which pods find the API server, with its endpoints and the range of the addresses
 * of Services. Nothing listens on its address, as in envtest. What is deleted, as by `kubectl delete all`, is created
 * again. Returns a function that stops this.
 */
export async function publishServer(core: Core, port: number): Promise<() => void> {
  const objects = clusterObjects(core);
  const published = [...publishedObjects(port), { resource: serviceCIDRs, object: range }];
  const settle = async (): Promise<void> => {
    for (const each of published) await publish(objects, each);
    await makeReady(objects, formatTime(core.clock.now()));
  };
  await settle();
  const keys = new Set(published.map(({ resource, object }) => `${resource} ${keyOf(object)}`));
  return core.store.listen((collection, { type, entry }) => {
    if (type !== "DELETED" || !keys.has(`${collection.name} ${entry.key}`)) return;
    // Another Service may have taken its address at once; then it is not recreated.
    settle().catch(() => undefined);
  });
}

function keyOf({ metadata: { namespace, name } }: KubernetesObject): string {
  return namespace === undefined ? name! : `${namespace}/${name}`;
}

async function publish(objects: ClusterObjects, { resource, object, portField }: Published): Promise<void> {
  const { namespace, name } = object.metadata;
  const current = objects.get(resource, namespace, name!) as Published["object"] | undefined;
  if (!current) await objects.create(user, object);
  else if (portField && !isEqual(current[portField], object[portField])) {
    await objects.update(user, { ...current, [portField]: object[portField] });
  }
}

function publishedObjects(port: number): Published[] {
  const metadata = { name: "kubernetes", namespace: "default" };
  const ports = [{ name: "https", port, protocol: "TCP" }];
  const service = {
    apiVersion: "v1",
    kind: "Service",
    metadata: { ...metadata, labels: { component: "apiserver", provider: "kubernetes" } },
    spec: {
      clusterIP: "10.96.0.1",
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: port }],
      sessionAffinity: "None",
      type: "ClusterIP",
    },
  };
  // The validation of endpoints refuses loopback addresses.
  const endpoints = {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { ...metadata, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    subsets: [{ addresses: [{ ip: nodeAddress }], ports }],
  };
  const slice = {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: { ...metadata, labels: { "kubernetes.io/service-name": "kubernetes" } },
    addressType: "IPv4",
    endpoints: [{ addresses: [nodeAddress], conditions: { ready: true } }],
    ports,
  };
  return [
    { resource: "services", object: service },
    { resource: "endpoints", object: endpoints, portField: "subsets" },
    { resource: "endpointslices.discovery.k8s.io", object: slice, portField: "ports" },
  ];
}

const range = {
  apiVersion: "networking.k8s.io/v1",
  kind: "ServiceCIDR",
  metadata: { name: "kubernetes" },
  spec: { cidrs: [serviceRange] },
};

async function makeReady(objects: ClusterObjects, lastTransitionTime: string): Promise<void> {
  const current = objects.get(serviceCIDRs, undefined, range.metadata.name);
  if (!current || current.status?.conditions?.length) return;
  const message = "Kubernetes default Service CIDR is ready";
  const ready = { type: "Ready", status: "True" as const, reason: "", message, lastTransitionTime };
  await objects.update(user, { ...current, status: { conditions: [ready] } }, "status");
}
