import { randomBytes } from "node:crypto";
import { hostname } from "node:os";
import type { Clock } from "@tsbuilder/apimachinery/time";
import { onAbort, waitWithClock, withTimeout } from "../clock/waits.ts";
import { TerminalError } from "../errors/api-error.ts";
import type { Logger } from "../log/logger.ts";
import type { MemberCommand, MemberEvent, MemberSettings, MemberState } from "../shards/member.ts";
import { mayWrite, newMember, stepMember } from "../shards/member.ts";
import { type Ranges, countRanges, hasRange, listRanges, rangeCount } from "../shards/ranges.ts";
import { ShardGate } from "../shards/shard-gate.ts";
import { MemberLeases } from "./member-leases.ts";
import type { Client } from "../client/client.ts";
import type { ClusterConfig } from "../http/config.ts";
import { type ShardingOptions, electionTiming, leaseHint, leaseNamespace } from "./lease-options.ts";

/** Is notified when ranges move; updates the metrics. */
export interface MemberObserver {
  gained(ranges: number): void;
  lost(ranges: number): void;
  /** Milliseconds from when a range became this process's part until its objects were reconciled. */
  waited(milliseconds: number): void;
}

/** The parts and settings of a member. */
interface LeaseMemberOptions {
  readonly leases: MemberLeases;
  readonly gate: ShardGate;
  /** Called once, before the first request. */
  readonly namespace: () => Promise<string>;
  readonly settings: MemberSettings;
  /** A single request that hangs must not cost the Lease. */
  readonly requestTimeout: number;
  readonly clock: Clock;
  readonly log: Logger;
}

/** A process that shares the objects with others, and the gate to its part of them. */
export interface Sharing {
  readonly member: LeaseMember;
  readonly gate: ShardGate;
}

/** One of several processes that share the objects by ranges of hashes. Executes the commands of `stepMember`. */
class LeaseMember {
  observer: MemberObserver | undefined;
  readonly #options: LeaseMemberOptions;
  readonly #stop = new AbortController();
  #state: MemberState = newMember;
  #running: Promise<void> | undefined;
  #onJoined = (): void => {};
  #endWait = (): void => {};
  /** The ranges that are assigned to this process and not open yet, with the time since when. */
  readonly #waiting = new Map<number, number>();

  constructor(options: LeaseMemberOptions) {
    this.#options = options;
    const { gate, settings, clock } = options;
    gate.mayWrite = (ranges) => mayWrite(settings, this.#state, ranges, clock.monotonic());
  }

  /** The number of processes that share the objects, as far as this one knows. */
  get members(): number {
    return this.#state.members;
  }

  /** A readiness check: throws while the Lease is not renewed in time. */
  check(): void {
    if (!this.#options.gate.isFresh) throw new Error("the Lease of this shard could not be renewed in time");
  }

  /** Resolves when this process knows the others, or the signal is aborted. */
  async join(signal: AbortSignal): Promise<void> {
    const { leases, namespace, settings, log } = this.#options;
    const name = await namespace();
    leases.useNamespace(name);
    log.info("Joining the processes that share the objects", { lease: `${name}/${settings.name}` });
    const joined = new Promise<void>((resolve) => (this.#onJoined = resolve));
    const forget = onAbort(signal, () => this.#onJoined());
    this.#running = this.#run();
    await joined;
    forget();
  }

  /** Gives up all ranges, so that other processes needn't wait for the Lease to expire. Call it when no reconcile runs. */
  async leave(): Promise<void> {
    const { gate, clock, requestTimeout, leases, log } = this.#options;
    this.#stop.abort();
    await this.#running;
    const { lease } = this.#state;
    this.#state = newMember;
    gate.lose();
    if (!lease) return;
    try {
      await withTimeout(clock, requestTimeout, undefined, (signal) => leases.leave(lease.uid, signal));
    } catch (error) {
      log.warn("Can't delete the Lease, others have to wait for its end", { error });
    }
  }

  async #run(): Promise<void> {
    let event: MemberEvent = { type: "start" };
    while (!this.#stop.signal.aborted) {
      const command = this.#step(event);
      event = command ? await this.#perform(command) : { type: "failed" };
    }
  }

  /** Steps, executes the immediate commands, and returns the one that takes time. */
  #step(event: MemberEvent): MemberCommand | undefined {
    const { settings, gate, clock, log } = this.#options;
    const wasFresh = gate.isFresh;
    const { state, commands } = stepMember(settings, this.#state, event, clock.monotonic());
    this.#state = state;
    if (event.type === "listed") this.#onJoined();
    this.#trackWaits();
    let slowCommand: MemberCommand | undefined;
    for (const command of commands) {
      if (command.type === "hold") void this.#hold(command.ranges);
      else if (command.type === "drain") void this.#drain(command.ranges);
      else if (command.type === "lose") {
        log.error("The Lease of this shard is gone: others work on its objects now");
        this.observer?.lost(countRanges(gate.held));
        gate.lose();
      } else slowCommand = command;
    }
    if (!wasFresh && gate.isFresh) gate.resume();
    return slowCommand;
  }

  /** Loads ranges and opens them. */
  async #hold(ranges: Ranges): Promise<void> {
    const { gate, log } = this.#options;
    this.observer?.gained(countRanges(ranges));
    log.info("Gained ranges", { ranges: countRanges(ranges), members: this.members });
    const opened = await gate.hold(ranges);
    const now = this.#options.clock.monotonic();
    for (const range of listRanges(opened)) {
      const since = this.#waiting.get(range);
      if (since !== undefined) this.observer?.waited(now - since);
      this.#waiting.delete(range);
    }
  }

  /** Ends the reconciles of ranges, and reports it to the protocol. */
  async #drain(ranges: Ranges): Promise<void> {
    const { gate, log } = this.#options;
    this.observer?.lost(countRanges(ranges));
    log.info("Giving up ranges", { ranges: countRanges(ranges), members: this.members });
    if (!(await gate.drain(ranges))) return;
    this.#step({ type: "drained", ranges });
    this.#endWait();
  }

  /** Notes since when assigned ranges have not been open, for the metrics. */
  #trackWaits(): void {
    const { gate, clock } = this.#options;
    const now = clock.monotonic();
    const missing = this.#state.desired & ~gate.open;
    for (const range of listRanges(missing)) if (!this.#waiting.has(range)) this.#waiting.set(range, now);
    for (const range of this.#waiting.keys()) if (!hasRange(missing, range)) this.#waiting.delete(range);
  }

  /** Executes a command that takes time, and returns the event at its end. */
  async #perform(command: MemberCommand): Promise<MemberEvent> {
    const { clock, log, requestTimeout } = this.#options;
    const { signal } = this.#stop;
    if (command.type === "wait") {
      const waiting = new AbortController();
      this.#endWait = () => waiting.abort();
      const forget = onAbort(signal, this.#endWait);
      await waitWithClock(clock, command.milliseconds, waiting.signal);
      forget();
      return { type: "waited" };
    }
    try {
      return await withTimeout(clock, requestTimeout, signal, (signal) => this.#send(command, signal));
    } catch (error) {
      const hint = leaseHint(error, "list, create, update and delete");
      if (!signal.aborted) log.warn("Can't reach the Leases of the shards", { error, ...hint });
      return { type: "failed" };
    }
  }

  async #send(command: MemberCommand, signal: AbortSignal): Promise<MemberEvent> {
    const { leases, clock } = this.#options;
    if (command.type === "list") return { type: "listed", records: await leases.list(signal) };
    if (command.type === "write") {
      const { claims } = command;
      const sentAt = clock.monotonic();
      const lease = await leases.write(claims, command.lease, signal);
      return lease ? { type: "wrote", sentAt, claims, lease } : { type: "conflicted" };
    }
    if (command.type === "bury")
      await Promise.all(command.records.map((record) => leases.bury(record, signal)));
    return { type: "buried" };
  }
}

/** Creates the member for the given options. */
export function makeMember(
  options: ShardingOptions,
  config: () => Promise<ClusterConfig>,
  { client, clock, log }: { readonly client: Client; readonly clock: Clock; readonly log: Logger },
): Sharing {
  const { id, by = "uid", labels } = options;
  // The names of the Leases begin with the ID.
  if (!/^[a-z0-9]([-a-z0-9.]{0,240}[a-z0-9])?$/.test(id))
    throw new TerminalError(
      `sharding.id is "${id}", which can't name Leases: write it like "da1d9c86.example.com"`,
    );
  const { leaseDuration, renewDeadline, retryPeriod } = electionTiming(options, "sharding");
  const name = `${id}-${randomBytes(5).toString("hex")}`;
  const identity = hostname();
  const layout = `${by}/${rangeCount}`;
  const settings = { name, layout, leaseDuration, renewDeadline, retryPeriod };
  const gate = new ShardGate({ by, clock, drainTimeout: renewDeadline });
  const member = new LeaseMember({
    leases: new MemberLeases({ client, clock, id, labels, name, identity, layout, leaseDuration }),
    gate,
    settings,
    namespace: leaseNamespace("sharding", options.namespace, config),
    requestTimeout: Math.max(1000, renewDeadline / 4),
    clock,
    log,
  });
  return { member, gate };
}
