import { ownerReferenceTo } from "@tsbuilder/apimachinery/meta";
import type { EndpointAddress, Endpoints } from "../../../core/endpoints/controller/endpoints.ts";
import { type EndpointSlice, managerLabel, serviceLabel } from "./endpoint-slices.ts";

export const mirroringManager = "endpointslicemirroring-controller.k8s.io";

/** Annotations of Endpoints that say nothing of their slices. */
const ownAnnotations = [
  "endpoints.kubernetes.io/last-change-trigger-time",
  "kubectl.kubernetes.io/last-applied-configuration",
];

/** Whether slices may be made of Endpoints: they are no lock of an elector, and don't forbid it. */
export function mayBeMirrored({ metadata }: Endpoints): boolean {
  return (
    metadata.labels?.["endpointslice.kubernetes.io/skip-mirror"] !== "true" &&
    metadata.annotations?.["control-plane.alpha.kubernetes.io/leader"] === undefined
  );
}

/** The EndpointSlices of Endpoints, without names: one for each set of ports and family of addresses. */
export function mirroredSlicesOf(endpoints: Endpoints): EndpointSlice[] {
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
