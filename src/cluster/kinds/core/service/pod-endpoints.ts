import type * as core from "@tsbuilder/apimachinery/k8s/core/v1";
import type { Pod, Service, ServicePort } from "../../../control-loop/api/core.ts";
import type { Stored } from "../../../contract/api-object.ts";
import { matchesLabels } from "../../../control-loop/matches-labels.ts";
import { isFinished, isReady } from "../../../control-loop/pods/pod-state.ts";

export type EndpointPort = Stored<core.EndpointPort>;

/** A pod behind a Service, with its resolved ports. */
export interface PodEndpoint {
  readonly pod: Pod;
  readonly address: string;
  readonly ready: boolean;
  readonly ports: readonly EndpointPort[];
}

/** Finds the pods behind a Service: those that match its selector and have an IP. */
export function podEndpoints(service: Service, pods: readonly Pod[]): PodEndpoint[] {
  const { selector, ports, publishNotReadyAddresses } = service.spec;
  if (!selector || Object.keys(selector).length === 0) return [];
  return pods
    .filter((pod) => matchesLabels(selector, pod.metadata.labels) && !isFinished(pod) && pod.status?.podIP)
    .sort((a, b) => ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1))
    .map((pod) => ({
      pod,
      address: pod.status!.podIP!,
      ready: publishNotReadyAddresses === true || (isReady(pod) && !pod.metadata.deletionTimestamp),
      ports: resolvePorts(ports ?? [], pod),
    }));
}

/** Returns whether the endpoints of a Service are computed from pods. */
export function selectsPods({ spec }: Service): boolean {
  return spec.selector !== undefined && spec.type !== "ExternalName";
}

/** Groups endpoints with the same ports: a named port may have different numbers in different pods. */
export function groupByPorts(endpoints: readonly PodEndpoint[]): PodEndpoint[][] {
  const groups = new Map<string, PodEndpoint[]>();
  for (const endpoint of endpoints) {
    const key = JSON.stringify(endpoint.ports);
    const group = groups.get(key);
    if (group) group.push(endpoint);
    else groups.set(key, [endpoint]);
  }
  return [...groups.values()];
}

/** The reference from an endpoint to its pod. */
export function targetRefOf({ metadata }: Pod): core.ObjectReference {
  const { name, namespace, uid } = metadata;
  return {
    kind: "Pod",
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
    ...(uid ? { uid } : {}),
  };
}

/** A pod's hostname is used by the Service that is its subdomain. */
export function hostnameOf({ spec }: Pod, service: Service): { hostname?: string } {
  return spec.hostname && spec.subdomain === service.metadata.name ? { hostname: spec.hostname } : {};
}

function resolvePorts(ports: readonly ServicePort[], pod: Pod): EndpointPort[] {
  return ports.flatMap(({ name, port, protocol = "TCP", targetPort = port, appProtocol }) => {
    const number = typeof targetPort === "number" ? targetPort : findPort(pod, targetPort, protocol);
    if (number === undefined) return [];
    return [{ ...(name ? { name } : {}), port: number, protocol, ...(appProtocol ? { appProtocol } : {}) }];
  });
}

function findPort({ spec }: Pod, name: string, protocol: string): number | undefined {
  return [...spec.containers, ...(spec.initContainers ?? [])]
    .flatMap(({ ports }) => ports ?? [])
    .find((port) => port.name === name && (port.protocol ?? "TCP") === protocol)?.containerPort;
}
