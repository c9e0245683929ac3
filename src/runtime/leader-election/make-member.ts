import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Client } from "../client/client.ts";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { TerminalError } from "../errors/terminal-error.ts";
import type { ClusterConfig } from "../http/config.ts";
import type { Logger } from "../log/logger.ts";
import { rangeCount } from "../shards/ranges.ts";
import { ShardGate } from "../shards/shard-gate.ts";
import { electionTiming } from "./election-timing.ts";
import { LeaseMember } from "./lease-member.ts";
import { leaseNamespace } from "./lease-elector.ts";
import { MemberLeases } from "./member-leases.ts";
import type { ShardingOptions } from "./sharding-options.ts";

/** One of several processes, and what it works on. */
export interface Sharing {
  readonly member: LeaseMember;
  readonly gate: ShardGate;
}

/** Creates the member for the given options. */
export function makeMember(
  options: ShardingOptions,
  config: () => Promise<ClusterConfig>,
  { client, clock, log }: { readonly client: Client; readonly clock: Clock; readonly log: Logger },
): Sharing {
  const { id, by = "uid", labels } = options;
  // The names of the Leases begin with it.
  if (!/^[a-z0-9]([-a-z0-9.]{0,240}[a-z0-9])?$/.test(id))
    throw new TerminalError(
      `sharding.id is "${id}", which can't name Leases: write it like "da1d9c86.example.com"`,
    );
  const { leaseDuration, renewDeadline, retryPeriod } = electionTiming(options, "sharding");
  const name = `${id}-${randomBytes(5).toString("hex")}`;
  const layout = `${by}/${rangeCount}`;
  const settings = { name, layout, leaseDuration, renewDeadline, retryPeriod };
  const gate = new ShardGate({ by, clock, drainTimeout: renewDeadline });
  const member = new LeaseMember({
    leases: new MemberLeases({
      client,
      clock,
      id,
      labels,
      name,
      identity: hostname(),
      layout,
      leaseDuration,
    }),
    gate,
    settings,
    namespace: leaseNamespace("sharding", options.namespace, config),
    requestTimeout: Math.max(1000, renewDeadline / 4),
    clock,
    log,
  });
  return { member, gate };
}
