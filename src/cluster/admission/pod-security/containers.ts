import type { PodSecurityContext } from "@tsbuilder/apimachinery/k8s/core/v1";
import type {
  Container,
  PodSpec,
  SecurityContext as ContainerSecurityContext,
} from "../../kinds/core/pod-spec/types.ts";

/** The fields that pods and containers share. The standards check both alike. */
export type SecurityContext = Pick<
  ContainerSecurityContext,
  keyof ContainerSecurityContext & keyof PodSecurityContext
>;

/** All containers in the order in which denials list them. */
export function containersOf(spec: PodSpec): Container[] {
  return [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...(spec.ephemeralContainers ?? [])];
}

/** The hosts that a container's probes and lifecycle hooks name instead of the pod itself. */
export function hostsOf({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): string[] {
  const handlers = [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop];
  return handlers.flatMap((handler) =>
    [handler?.httpGet?.host, handler?.tcpSocket?.host].filter((host) => host !== undefined && host !== ""),
  ) as string[];
}
