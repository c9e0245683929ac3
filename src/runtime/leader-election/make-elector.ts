import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { TerminalError } from "../errors/terminal-error.ts";
import type { ClusterConfig } from "../http/config.ts";
import { podNamespace } from "../config/in-cluster-config.ts";
import { currentCallContext } from "../scope/call-context.ts";
import type { RawRequest } from "../http/transport.ts";
import type { LeaderElectionOptions } from "./leader-election-options.ts";
import { electionTiming } from "./election-timing.ts";
import { LeaseElector, type LeaseElectorOptions } from "./lease-elector.ts";

/** Creates the elector for the given options. */
export function makeElector(
  options: LeaderElectionOptions,
  config: () => Promise<ClusterConfig>,
  parts: Pick<LeaseElectorOptions, "client" | "clock" | "log" | "events" | "onStatus">,
): LeaseElector {
  if (!/^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/.test(options.id))
    throw new TerminalError(
      `leaderElection.id is "${options.id}", which can't name a Lease: write it like "da1d9c86.example.com"`,
    );
  return new LeaseElector({
    ...parts,
    name: options.id,
    namespace: leaseNamespace("leader election", options.namespace, config),
    identity: options.identity ?? `${hostname()}_${randomUUID()}`,
    labels: options.labels,
    timing: electionTiming(options),
    releaseOnCancel: options.releaseOnCancel ?? true,
  });
}

/** Finds the namespace of Leases: as given, the pod's, or the context's. */
export function leaseNamespace(
  what: string,
  given: string | undefined,
  config: () => Promise<ClusterConfig>,
): () => Promise<string> {
  return async () => {
    const found = given ?? podNamespace() ?? (await config()).namespace;
    if (found) return found;
    throw new TerminalError(
      `${what} needs a namespace: outside of a cluster, give --leader-election-namespace`,
    );
  };
}

/**
 * Rejects writes of a process that may no longer lead, and of a reconcile whose object others may reconcile, before each
 * attempt. A suspended process may resume in the middle of a reconcile, or of the delay before a retry, before its timer
 * for the lease can fire. What a WebSocket is for, such as a command in a container, may change anything.
 */
export function fence(elector: Pick<LeaseElector, "assertFresh"> | undefined): (request: RawRequest) => void {
  return ({ method = "GET", webSocket }) => {
    if (method === "GET" && !webSocket) return;
    elector?.assertFresh();
    currentCallContext()?.assertMayWrite?.();
  };
}
