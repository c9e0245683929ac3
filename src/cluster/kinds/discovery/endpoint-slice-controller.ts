import type * as v1 from "@tsbuilder/apimachinery/k8s/discovery/v1";
import { ownerReferenceTo } from "@tsbuilder/apimachinery/meta";
import { isEqual } from "@tsbuilder/apimachinery/json";
import { type Service, pods, services } from "../../control-loop/api/core.ts";
import type { Controller, ControllerContext, Writer } from "../../control-loop/controller.ts";
import { userOf } from "../../control-loop/controller.ts";
import { findByKey, keyOf } from "../../control-loop/keys.ts";
import {
  type PodEndpoint,
  selectsPods,
  groupByPorts,
  hostnameOf,
  podEndpoints,
  targetRefOf,
} from "../core/service/pod-endpoints.ts";
import { isReady } from "../../control-loop/pods/pod-state.ts";
import type { ResourceName } from "../../contract/cluster-objects.ts";
import type { Stored } from "../../contract/api-object.ts";
import { type EndpointAddress, type Endpoints, endpointsResource } from "../core/endpoints.ts";

type EndpointSlice = Stored<v1.EndpointSlice>;

export const endpointSlices: ResourceName<EndpointSlice> = "endpointslices.discovery.k8s.io";

/** The label of a slice with the controller that writes it. */
export const managerLabel = "endpointslice.kubernetes.io/managed-by";

/** The label of a slice with the name of its Service. */
const serviceLabel = "kubernetes.io/service-name";
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
      if (service && selectsPods(service) && !service.metadata.deletionTimestamp) await write(service);
      return undefined;
    },
  };

  async function write(service: Service): Promise<void> {
    const { namespace, uid } = service.metadata;
    const found = podEndpoints(service, objects.list(pods, namespace));
    const current = objects
      .list(endpointSlices, namespace)
      .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid));
    await replaceSlices({ objects, user }, current, wantedSlices(service, found));
  }
}

const sliceSize = 100;

/** The EndpointSlices that a Service should have, without names; a Service without pods has one empty slice. */
function wantedSlices(service: Service, found: readonly PodEndpoint[]): EndpointSlice[] {
  const groups = groupByPorts(found).flatMap((group) => chunk(group, sliceSize));
  return (groups.length > 0 ? groups : [[]]).map((group) => ({
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: sliceMetadata(service),
    addressType: service.spec.ipFamilies?.[0] || "IPv4",
    endpoints: group.map((endpoint) => sliceEndpoint(service, endpoint)),
    ports: [...(group[0]?.ports ?? [])],
  }));
}

function sliceMetadata(service: Service): EndpointSlice["metadata"] {
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

function sliceEndpoint(service: Service, { pod, address, ready }: PodEndpoint): v1.Endpoint {
  return {
    addresses: [address],
    conditions: { ready, serving: isReady(pod), terminating: pod.metadata.deletionTimestamp !== undefined },
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

/**
 * Creates, updates and deletes slices until they match. Slices that have the content of a wanted one stay; others of the
 * same address type are updated, so that few are created and deleted. Annotations are the users' and stay, except where
 * they are copied from Endpoints.
 */
async function replaceSlices(
  { objects, user }: Writer,
  current: readonly EndpointSlice[],
  wanted: readonly EndpointSlice[],
  ownsAnnotations = false,
): Promise<void> {
  const changed = wanted.filter((slice) => !current.some((stored) => isSame(stored, slice, ownsAnnotations)));
  const spare = current.filter((stored) => !wanted.some((slice) => isSame(stored, slice, ownsAnnotations)));
  for (const slice of changed) {
    const at = spare.findIndex(({ addressType }) => addressType === slice.addressType);
    const [reused] = at === -1 ? [] : spare.splice(at, 1);
    if (!reused) await objects.create(user, slice);
    else await objects.update(user, withContent(reused, slice, ownsAnnotations));
  }
  for (const slice of spare) await objects.delete(user, slice, { uid: slice.metadata.uid });
}

function withContent(
  stored: EndpointSlice,
  { metadata: { labels, annotations }, endpoints, ports }: EndpointSlice,
  ownsAnnotations: boolean,
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

function isSame(stored: EndpointSlice, wanted: EndpointSlice, ownsAnnotations: boolean): boolean {
  return (
    stored.addressType === wanted.addressType &&
    isEqual(stored.endpoints ?? [], wanted.endpoints) &&
    isEqual(stored.ports ?? [], wanted.ports) &&
    isEqual(stored.metadata.labels, wanted.metadata.labels) &&
    (!ownsAnnotations || isEqual(stored.metadata.annotations, wanted.metadata.annotations))
  );
}

const mirroringManager = "endpointslicemirroring-controller.k8s.io";
const mirroringUser = userOf("endpointslicemirroring");

/** Mirrors the Endpoints that users write for Services without a selector in EndpointSlices. */
export function mirroringController({ objects }: ControllerContext): Controller {
  return {
    watches: [services, endpointsResource, endpointSlices],

    keysOf({ resource, object }) {
      if (resource !== endpointSlices) return [keyOf(object)];
      const { namespace, labels } = object.metadata;
      const service = labels?.[managerLabel] === mirroringManager ? labels[serviceLabel] : undefined;
      return service ? [`${namespace}/${service}`] : [];
    },

    async reconcile(key) {
      const service = findByKey(objects, services, key);
      const isMirrored = service && !service.spec.selector;
      const mirrored = isMirrored ? findByKey(objects, endpointsResource, key) : undefined;
      const wanted = mirrored && isMirrorable(mirrored) ? mirroredSlices(mirrored) : [];
      await replaceSlices({ objects, user: mirroringUser }, slicesOf(key), wanted, true);
      return undefined;
    },
  };

  function slicesOf(key: string) {
    const [namespace, name] = key.split("/");
    return objects
      .list(endpointSlices, namespace)
      .filter(
        ({ metadata: { labels, deletionTimestamp } }) =>
          labels?.[managerLabel] === mirroringManager &&
          labels[serviceLabel] === name &&
          deletionTimestamp === undefined,
      );
  }
}

/** Endpoints are not mirrored if a label forbids it, or if they are the lock of a leader election. */
function isMirrorable({ metadata }: Endpoints): boolean {
  return (
    metadata.labels?.["endpointslice.kubernetes.io/skip-mirror"] !== "true" &&
    metadata.annotations?.["control-plane.alpha.kubernetes.io/leader"] === undefined
  );
}

/** The EndpointSlices of Endpoints, without names: one for each set of ports and family of addresses. */
function mirroredSlices(endpoints: Endpoints): EndpointSlice[] {
  const slices = new Map<string, EndpointSlice>();
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of endpoints.subsets ?? []) {
    const all = [
      ...addresses.map((address) => [address, true] as const),
      ...notReadyAddresses.map((address) => [address, false] as const),
    ];
    for (const [address, ready] of all) {
      const addressType = address.ip.includes(":") ? "IPv6" : "IPv4";
      const key = JSON.stringify([addressType, ports.map((port) => JSON.stringify(port)).toSorted()]);
      const known = slices.get(key)?.endpoints ?? [];
      slices.set(key, {
        apiVersion: "discovery.k8s.io/v1",
        kind: "EndpointSlice",
        metadata: mirroredMetadata(endpoints),
        addressType,
        endpoints: [...known, mirroredEndpoint(address, ready)],
        ports: [...ports],
      });
    }
  }
  return [...slices.values()];
}

/** Annotations of Endpoints that their slices don't get. */
const uncopiedAnnotations = [
  "endpoints.kubernetes.io/last-change-trigger-time",
  "kubectl.kubernetes.io/last-applied-configuration",
];

function mirroredMetadata(endpoints: Endpoints): EndpointSlice["metadata"] {
  const { name, namespace, labels, annotations = {} } = endpoints.metadata;
  const copied = Object.entries(annotations).filter(([key]) => !uncopiedAnnotations.includes(key));
  return {
    generateName: `${name}-`,
    namespace: namespace!,
    labels: { ...labels, [managerLabel]: mirroringManager, [serviceLabel]: name! },
    ...(copied.length > 0 && { annotations: Object.fromEntries(copied) }),
    ownerReferences: [ownerReferenceTo(endpoints)],
  };
}

function mirroredEndpoint({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean) {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname && { hostname }),
    ...(nodeName !== undefined && { nodeName }),
    ...(targetRef && { targetRef }),
  };
}
