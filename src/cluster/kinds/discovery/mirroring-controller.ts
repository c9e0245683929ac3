import { ownerReferenceTo } from "@tsbuilder/apimachinery/meta";
import { services } from "../../control-loop/api/core.ts";
import { type Controller, type ControllerContext, userOf } from "../../control-loop/controller.ts";
import { findByKey, keyOf } from "../../control-loop/keys.ts";
import { type EndpointAddress, type Endpoints, endpoints } from "../core/endpoints-controller.ts";
import {
  type EndpointSlice,
  endpointSlices,
  managerLabel,
  replaceSlices,
  serviceLabel,
} from "./endpoint-slice-controller.ts";

const mirroringManager = "endpointslicemirroring-controller.k8s.io";

const user = userOf("endpointslicemirroring");

/** Mirrors the Endpoints that users write for Services without a selector in EndpointSlices. */
export function mirroringController({ objects }: ControllerContext): Controller {
  return {
    watches: [services, endpoints, endpointSlices],

    keysOf({ resource, object }) {
      if (resource !== endpointSlices) return [keyOf(object)];
      const { namespace, labels } = object.metadata;
      const service = labels?.[managerLabel] === mirroringManager ? labels[serviceLabel] : undefined;
      return service ? [`${namespace}/${service}`] : [];
    },

    async reconcile(key) {
      const service = findByKey(objects, services, key);
      const isMirrored = service && !service.spec.selector;
      const mirrored = isMirrored ? findByKey(objects, endpoints, key) : undefined;
      const wanted = mirrored && mayBeMirrored(mirrored) ? mirroredSlicesOf(mirrored) : [];
      await replaceSlices(objects, user, slicesOf(key), wanted, { ownsAnnotations: true });
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

/** Annotations of Endpoints that their slices don't get. */
const ownAnnotations = [
  "endpoints.kubernetes.io/last-change-trigger-time",
  "kubectl.kubernetes.io/last-applied-configuration",
];

/** Endpoints are not mirrored if a label forbids it, or if they are the lock of a leader election. */
function mayBeMirrored({ metadata }: Endpoints): boolean {
  return (
    metadata.labels?.["endpointslice.kubernetes.io/skip-mirror"] !== "true" &&
    metadata.annotations?.["control-plane.alpha.kubernetes.io/leader"] === undefined
  );
}

/** The EndpointSlices of Endpoints, without names: one for each set of ports and family of addresses. */
function mirroredSlicesOf(endpoints: Endpoints): EndpointSlice[] {
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
        metadata: metadataOf(endpoints),
        addressType,
        endpoints: [...known, endpointOf(address, ready)],
        ports: [...ports],
      });
    }
  }
  return [...slices.values()];
}

function metadataOf(endpoints: Endpoints): EndpointSlice["metadata"] {
  const { name, namespace, labels, annotations = {} } = endpoints.metadata;
  const copied = Object.entries(annotations).filter(([key]) => !ownAnnotations.includes(key));
  return {
    generateName: `${name}-`,
    namespace: namespace!,
    labels: { ...labels, [managerLabel]: mirroringManager, [serviceLabel]: name! },
    ...(copied.length > 0 && { annotations: Object.fromEntries(copied) }),
    ownerReferences: [ownerReferenceTo(endpoints)],
  };
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean) {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname && { hostname }),
    ...(nodeName !== undefined && { nodeName }),
    ...(targetRef && { targetRef }),
  };
}
