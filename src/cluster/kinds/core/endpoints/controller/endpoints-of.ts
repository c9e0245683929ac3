import type { Service } from "../../../../control-loop/api/core.ts";
import type { EndpointAddress, EndpointPort, Endpoints } from "./endpoints.ts";
import { hostnameOf, type PodEndpoint, targetRefOf } from "../../service/pod-endpoints.ts";

/** The Endpoints object of a Service. */
export function endpointsOf(service: Service, found: readonly PodEndpoint[]): Endpoints {
  const { name, namespace, labels } = service.metadata;
  // EndpointSlices have a terminating condition; in Endpoints a terminating pod can only be omitted.
  const staying = service.spec.publishNotReadyAddresses
    ? found
    : found.filter(({ pod }) => !pod.metadata.deletionTimestamp);
  const subsets = pack(staying).map(({ endpoints, ports }) => {
    const addresses = endpoints.filter(({ ready }) => ready).map((endpoint) => addressOf(service, endpoint));
    const notReady = endpoints.filter(({ ready }) => !ready).map((endpoint) => addressOf(service, endpoint));
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

interface Subset {
  readonly endpoints: readonly PodEndpoint[];
  readonly ports: EndpointPort[];
}

/** Ports with the same pods share a subset; a Service without ports has one subset of all pods. */
function pack(found: readonly PodEndpoint[]): Subset[] {
  const byPort = new Map<string, { port: EndpointPort | undefined; endpoints: PodEndpoint[] }>();
  for (const endpoint of found) {
    for (const port of endpoint.ports.length > 0 ? endpoint.ports : [undefined]) {
      const key = JSON.stringify(port ?? null);
      const group = byPort.get(key);
      if (group) group.endpoints.push(endpoint);
      else byPort.set(key, { port, endpoints: [endpoint] });
    }
  }
  const subsets = new Map<string, Subset>();
  for (const { port, endpoints } of byPort.values()) {
    const key = endpoints.map(({ pod }) => pod.metadata.uid).join();
    const same = subsets.get(key);
    if (same && port) same.ports.push(port);
    else if (!same) subsets.set(key, { endpoints, ports: port ? [port] : [] });
  }
  return [...subsets.values()];
}

function addressOf(service: Service, { pod, address }: PodEndpoint): EndpointAddress {
  return {
    ip: address,
    ...hostnameOf(pod, service),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: targetRefOf(pod),
  };
}
