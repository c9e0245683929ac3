import type * as discovery from "@tsbuilder/apimachinery/k8s/discovery/v1";
import type { Endpoint } from "@tsbuilder/apimachinery/k8s/discovery/v1";
import { ownerReferenceTo } from "@tsbuilder/apimachinery/meta";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { type Service, pods, services } from "../../control-loop/api/core.ts";
import { type Controller, type ControllerContext, userOf } from "../../control-loop/controller.ts";
import { findByKey, keyOf } from "../../control-loop/keys.ts";
import {
  type PodEndpoint,
  choosesPods,
  groupByPorts,
  hostnameOf,
  podEndpoints,
  targetRefOf,
} from "../core/service/pod-endpoints.ts";
import { isReady } from "../../control-loop/pods/pod-state.ts";
import type { ClusterObjects, ResourceName } from "../../contract/cluster-objects.ts";
import type { Stored } from "../../contract/stored.ts";

export type EndpointSlice = Stored<discovery.EndpointSlice>;

export const endpointSlices: ResourceName<EndpointSlice> = "endpointslices.discovery.k8s.io";

/** The label of a slice with the name of its Service. */
export const serviceLabel = "kubernetes.io/service-name";

/** The label of a slice with the controller that writes it. */
export const managerLabel = "endpointslice.kubernetes.io/managed-by";

/** The maximum number of endpoints in a slice. */
const sliceSize = 100;

const user = userOf("endpointslice");

/** Lists the addresses of the pods behind each Service with a selector in EndpointSlices. */
export function endpointSlicesController({ objects }: ControllerContext): Controller {
  return {
    watches: [services, pods, endpointSlices],

    keysOf({ resource, object }) {
      if (resource === services) return [keyOf(object)];
      if (resource === pods) return objects.list(services, object.metadata.namespace).map(keyOf);
      const service = object.metadata.labels?.[serviceLabel];
      return service ? [`${object.metadata.namespace}/${service}`] : [];
    },

    async reconcile(key) {
      const service = findByKey(objects, services, key);
      if (service && choosesPods(service) && !service.metadata.deletionTimestamp) await write(service);
      return undefined;
    },
  };

  async function write(service: Service): Promise<void> {
    const { namespace, uid } = service.metadata;
    const found = podEndpoints(service, objects.list(pods, namespace));
    const current = objects
      .list(endpointSlices, namespace)
      .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
    await replaceSlices(objects, user, current, endpointSlicesOf(service, found));
  }
}

/**
 * The EndpointSlices that a Service should have, without names; a Service without pods has one empty slice.
 */
function endpointSlicesOf(service: Service, found: readonly PodEndpoint[]): EndpointSlice[] {
  const groups = groupByPorts(found).flatMap((group) => chunk(group, sliceSize));
  return (groups.length > 0 ? groups : [[]]).map((group) => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: metadataOf(service),
    addressType: service.spec.ipFamilies?.[0] || "IPv4",
    endpoints: group.map((endpoint) => endpointOf(service, endpoint)),
    ports: [...(group[0]?.ports ?? [])],
  }));
}

function metadataOf(service: Service): EndpointSlice["metadata"] {
  const { name, namespace, labels } = service.metadata;
  const headless = service.spec.clusterIP === "None" ? { "service.kubernetes.io/headless": "" } : {};
  return {
    generateName: `${name}-`,
    namespace: namespace!,
    labels: {
      ...labels,
      ...headless,
      [managerLabel]: "endpointslice-controller.k8s.io",
      [serviceLabel]: name!,
    },
    ownerReferences: [ownerReferenceTo(service)],
  };
}

function endpointOf(service: Service, { pod, address, ready }: PodEndpoint): Endpoint {
  return {
    addresses: [address],
    conditions: {
      ready,
      serving: isReady(pod),
      terminating: pod.metadata.deletionTimestamp !== undefined,
    },
    ...hostnameOf(pod, service),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: targetRefOf(pod),
  };
}

function chunk<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** The part of a slice that its controller owns. */
interface SliceOptions {
  /** True if annotations are copied from Endpoints; otherwise they are the users', and stay. Default: false. */
  readonly ownsAnnotations?: boolean | undefined;
}

/**
 * Creates, updates and deletes slices until they match. Slices that have the content of a wanted one stay; others of the
 * same address type are updated, so that few are created and deleted.
 */
export async function replaceSlices(
  objects: ClusterObjects,
  user: string,
  current: readonly EndpointSlice[],
  wanted: readonly EndpointSlice[],
  options: SliceOptions = {},
): Promise<void> {
  const changed = wanted.filter((slice) => !current.some((stored) => isSame(stored, slice, options)));
  const spare = current.filter((stored) => !wanted.some((slice) => isSame(stored, slice, options)));
  for (const slice of changed) {
    const at = spare.findIndex(({ addressType }) => addressType === slice.addressType);
    const [reused] = at === -1 ? [] : spare.splice(at, 1);
    if (!reused) await objects.create(user, slice);
    else await objects.update(user, rewritten(reused, slice, options));
  }
  for (const slice of spare) await objects.delete(user, slice, { uid: slice.metadata.uid });
}

function rewritten(
  stored: EndpointSlice,
  { metadata: { labels, annotations }, endpoints, ports }: EndpointSlice,
  { ownsAnnotations }: SliceOptions,
): EndpointSlice {
  const { annotations: known, ...kept } = stored.metadata;
  const all = ownsAnnotations ? annotations : known;
  return {
    ...stored,
    metadata: { ...kept, ...(labels && { labels }), ...(all && { annotations: all }) },
    endpoints,
    ports,
  };
}

function isSame(stored: EndpointSlice, wanted: EndpointSlice, { ownsAnnotations }: SliceOptions): boolean {
  return (
    stored.addressType === wanted.addressType &&
    isEqual(stored.endpoints ?? [], wanted.endpoints) &&
    isEqual(stored.ports ?? [], wanted.ports) &&
    isEqual(stored.metadata.labels, wanted.metadata.labels) &&
    (!ownsAnnotations || isEqual(stored.metadata.annotations, wanted.metadata.annotations))
  );
}
