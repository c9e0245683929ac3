import type { Service } from "../api/core.ts";
import type { EndpointAddress, Endpoints } from "../api/discovery.ts";
import { groupByPorts, hostnameOf, type PodEndpoint, targetRefOf } from "./pod-endpoints.ts";

/** The Endpoints object of a service. */
export function endpointsOf(service: Service, found: readonly PodEndpoint[]): Endpoints {
  const { name, namespace, labels } = service.metadata;
  const subsets = groupByPorts(found).map((group) => {
    const addresses = group.filter(({ ready }) => ready).map((endpoint) => addressOf(service, endpoint));
    const notReady = group.filter(({ ready }) => !ready).map((endpoint) => addressOf(service, endpoint));
    const ports = [...group[0]!.ports];
    return {
      ...(addresses.length > 0 ? { addresses } : {}),
      ...(notReady.length > 0 ? { notReadyAddresses: notReady } : {}),
      ...(ports.length > 0 ? { ports } : {}),
    };
  });
  const headless = service.spec.clusterIP === "None" ? { "service.kubernetes.io/headless": "" } : {};
  return {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: {
      name: name!,
      namespace: namespace!,
      labels: { ...labels, ...headless, "endpoints.kubernetes.io/managed-by": "endpoint-controller" },
    },
    ...(subsets.length > 0 ? { subsets } : {}),
  };
}

function addressOf(service: Service, { pod, address }: PodEndpoint): EndpointAddress {
  return {
    ip: address,
    ...hostnameOf(pod, service),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: targetRefOf(pod),
  };
}
