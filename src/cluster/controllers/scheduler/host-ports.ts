import type { Pod } from "../../control-loop/api/core.ts";

interface HostPort {
  readonly hostPort?: number | undefined;
  readonly hostIP?: string | undefined;
  readonly protocol?: string | undefined;
}

/** Returns whether a pod wants a port of the node that one of the pods there has. */
export function portsConflict(pod: Pod, others: readonly Pod[]): boolean {
  const wanted = hostPorts(pod);
  if (wanted.length === 0) return false;
  const taken = others.flatMap(hostPorts);
  return wanted.some((port) => taken.some((other) => isSame(port, other)));
}

/** Sidecars run as long as the containers, other init containers don't. */
function hostPorts({ spec }: Pod): HostPort[] {
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === "Always");
  return [...spec.containers, ...sidecars]
    .flatMap(({ ports = [] }): readonly HostPort[] => ports)
    .filter(({ hostPort = 0 }) => hostPort > 0);
}

function isSame(a: HostPort, b: HostPort): boolean {
  const [here, there] = [a.hostIP || everywhere, b.hostIP || everywhere];
  return (
    a.hostPort === b.hostPort &&
    (a.protocol ?? "TCP") === (b.protocol ?? "TCP") &&
    (here === there || here === everywhere || there === everywhere)
  );
}

const everywhere = "0.0.0.0";
