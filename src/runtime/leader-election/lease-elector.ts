// Leases: one process of several leads, or all share the work. Begin here with the elector. `lease-member.ts` executes
// the protocol of `shards/member.ts`, and `member-leases.ts` reads and writes its Leases.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { type Clock, formatMicroTime, parseTime } from "@tsbuilder/apimachinery/time";
import type { Duration } from "@tsbuilder/apimachinery/meta";
import { ApiError, TerminalError } from "../errors/api-error.ts";
import type { Client } from "../client/client.ts";
import { readDuration, waitWithClock, withTimeout } from "../clock/waits.ts";
import type { EventRecorder } from "../events/event-recorder.ts";
import type { Logger } from "../log/logger.ts";
import { Lease, type LeaseSpec } from "../k8s/coordination/v1.ts";
import type { ClusterConfig } from "../http/config.ts";
import { podNamespace } from "../config/load-config.ts";
import { currentCallContext } from "../scope/scope.ts";
import type { RawRequest } from "../http/transport.ts";

/** The timing of an election in milliseconds. */
interface ElectionTiming {
  readonly leaseDuration: number;
  readonly renewDeadline: number;
  readonly retryPeriod: number;
  /** A single request that hangs must not cost the lease. */
  readonly requestTimeout: number;
}

/** Options of an elector. */
interface LeaseElectorOptions {
  /** Reads live, on its own connections: a busy operator must not delay a renewal. */
  readonly client: Client;
  readonly name: string;
  /** Called once, before the first attempt. */
  readonly namespace: () => Promise<string>;
  readonly identity: string;
  readonly labels?: { readonly [name: string]: string } | undefined;
  readonly timing: ElectionTiming;
  readonly releaseOnCancel: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  readonly events: EventRecorder;
  readonly onStatus?: ((isLeading: boolean) => void) | undefined;
}

/**
 * Holds a Lease among processes written in any language: the record is client-go's. The lease of another process has
 * expired if it was not seen to change for its duration; the times in it don't count, because clocks differ. The own
 * lease counts as lost when it could not be renewed for `renewDeadline`, before any other process may take it.
 */
export class LeaseElector {
  onLost: (error: Error) => void = () => {};
  readonly #options: LeaseElectorOptions;
  readonly #stop = new AbortController();
  #namespace = "";
  #observed: Lease | undefined;
  #observedAt = 0;
  #state: "following" | "leading" | "lost" | "released" = "following";
  /** When the last renewal was sent: the lease counts from before the server received it. */
  #renewedAt = 0;
  /** The times that this process wrote, or may have written, as the last renewal; the first was written. */
  #claimed: (string | undefined)[] = [];
  #renewing: Promise<void> | undefined;

  constructor(options: LeaseElectorOptions) {
    this.#options = options;
  }

  get isLeading(): boolean {
    return this.#state === "leading";
  }

  /**
   * Throws if this process led and can't be sure that it still does: its lease was lost or released, or it was
   * suspended for so long that another process may have taken over before any timer could fire.
   */
  assertFresh(): void {
    if (this.#state === "following") return;
    const { clock, timing, name } = this.#options;
    if (this.#state === "leading" && clock.monotonic() - this.#renewedAt < timing.leaseDuration) return;
    const how = this.#state === "released" ? "was released" : "ran out while it was held";
    const error = new Error(`the lease ${name} ${how}: another process may lead now`);
    this.#lose(error);
    throw error;
  }

  async acquire(signal: AbortSignal): Promise<void> {
    const { name, identity, log, timing, namespace, clock } = this.#options;
    this.#namespace = await namespace();
    log.info("Attempting to acquire leader lease", { lease: `${this.#namespace}/${name}` });
    let seenHolder: string | undefined;
    while (!(await this.#tryOnce(timing.requestTimeout, signal))) {
      signal.throwIfAborted();
      const holder = this.#observed?.spec?.holderIdentity;
      if (holder && holder !== seenHolder) log.info("Another process leads", { holder });
      seenHolder = holder;
      await waitWithClock(clock, timing.retryPeriod * (1 + jitter * Math.random()), signal);
    }
    // The lease is held even if the signal was aborted meanwhile: then release() releases it.
    this.#state = "leading";
    signal.throwIfAborted();
    log.info("Successfully acquired lease", { lease: `${this.#namespace}/${name}`, identity });
    this.#tell(`${identity} became leader`);
    this.#options.onStatus?.(true);
    this.#renewing = this.#renew();
  }

  async release(): Promise<void> {
    this.#stop.abort();
    await this.#renewing;
    if (this.#state !== "leading") return;
    this.#state = "released";
    this.#options.onStatus?.(false);
    this.#tell(`${this.#options.identity} stopped leading`);
    if (this.#options.releaseOnCancel) await this.#giveAway();
  }

  async #renew(): Promise<void> {
    const { clock, timing, log } = this.#options;
    const { signal } = this.#stop;
    for (;;) {
      await waitWithClock(clock, timing.retryPeriod, signal);
      if (signal.aborted || this.#state !== "leading") return;
      const left = this.#renewedAt + timing.renewDeadline - clock.monotonic();
      if (left > 0 && (await this.#tryOnce(Math.min(left, timing.requestTimeout), signal))) continue;
      if (signal.aborted) return;
      const holder = this.#observed?.spec?.holderIdentity;
      if (holder && holder !== this.#options.identity)
        return this.#lose(new Error(`leader election lost to ${holder}`));
      const late = clock.monotonic() - this.#renewedAt;
      if (late >= timing.renewDeadline)
        return this.#lose(new Error("leader election lost: the lease could not be renewed in time"));
      log.warn("Can't renew the lease, trying again", { sinceRenewed: `${Math.round(late)}ms` });
    }
  }

  #lose(error: Error): void {
    if (this.#state !== "leading") return;
    this.#state = "lost";
    this.#stop.abort();
    this.#options.onStatus?.(false);
    this.#options.log.error("Lost the lease", { error });
    this.onLost(error);
  }

  /** Acquires or renews the lease; false if another process holds it, or the server didn't answer in time. */
  async #tryOnce(timeout: number, signal: AbortSignal): Promise<boolean> {
    const { clock, log } = this.#options;
    const startedAt = clock.monotonic();
    try {
      const isHeld = await withTimeout(clock, timeout, signal, (signal) => this.#takeOrRenew(signal));
      if (isHeld) this.#renewedAt = startedAt;
      return isHeld;
    } catch (error) {
      if (signal.aborted) return false;
      // Losing the race for the lease is normal.
      if (error instanceof ApiError && (error.isConflict || error.isAlreadyExists))
        log.debug("Another process wrote the lease first");
      else log.warn("Can't reach the lease", { error, ...leaseHint(error, "get, create and update") });
      return false;
    }
  }

  async #takeOrRenew(signal: AbortSignal): Promise<boolean> {
    const { client, name, identity, labels } = this.#options;
    if (this.#state === "leading" && this.#observed) {
      try {
        return this.#hold(await client.update(Lease, this.#claim(this.#observed), { signal }));
      } catch (error) {
        // Another process changed the lease: read it again.
        if (!(error instanceof ApiError && (error.isConflict || error.isNotFound))) throw error;
      }
    }
    const lease = await client.find(Lease, { namespace: this.#namespace, name }, { live: true, signal });
    if (!lease) {
      const metadata = { name, namespace: this.#namespace, ...(labels && { labels: { ...labels } }) };
      const first: Lease = { apiVersion: Lease.apiVersion, kind: Lease.kind, metadata };
      return this.#hold(await client.create(Lease, this.#claim(first), { signal }));
    }
    this.#observe(lease);
    const holder = lease.spec?.holderIdentity;
    if (holder && holder !== identity && !this.#hasRunOut(lease.spec)) return false;
    if (this.#state === "leading" && holder !== identity) return false;
    if (this.#state === "leading" && this.#isRenewedByAnother(lease.spec)) {
      const remedy = "give each process an identity of its own, or omit leaderElection.identity";
      this.#lose(
        new Error(`leader election lost: another process renews the lease as "${identity}", too: ${remedy}`),
      );
      return false;
    }
    return this.#hold(await client.update(Lease, this.#claim(lease), { signal }));
  }

  /**
   * The lease with this process as the holder, renewed now. Taking it over counts as a transition; other fields are
   * kept.
   */
  #claim(lease: Lease): Lease {
    const { identity, timing, clock } = this.#options;
    const now = formatMicroTime(clock.now());
    const { acquireTime, leaseTransitions = 0, holderIdentity, ...rest } = lease.spec ?? {};
    this.#claimed = this.#state === "leading" ? [...this.#claimed, now] : [now];
    const isOurs = holderIdentity === identity;
    const isNew = lease.metadata.resourceVersion === undefined;
    return {
      ...lease,
      spec: {
        ...rest,
        holderIdentity: identity,
        leaseDurationSeconds: Math.ceil(timing.leaseDuration / 1000),
        acquireTime: isOurs && acquireTime !== undefined ? acquireTime : now,
        renewTime: now,
        leaseTransitions: isOurs || isNew ? leaseTransitions : leaseTransitions + 1,
      },
    };
  }

  /** Earlier writes without an answer can't take effect after this one. */
  #hold(lease: Lease): true {
    this.#claimed = [lease.spec?.renewTime];
    this.#observe(lease);
    return true;
  }

  /**
   * Returns false for an earlier time or none, which a restore or an edit leaves behind: such a lease can be renewed
   * again.
   */
  #isRenewedByAnother(spec: LeaseSpec | undefined): boolean {
    if (this.#claimed.includes(spec?.renewTime)) return false;
    return timeOf(spec?.renewTime) > timeOf(this.#claimed[0]);
  }

  #observe(lease: Lease): void {
    if (!this.#observed || JSON.stringify(this.#observed.spec) !== JSON.stringify(lease.spec))
      this.#observedAt = this.#options.clock.monotonic();
    this.#observed = lease;
  }

  #hasRunOut(spec: LeaseSpec | undefined): boolean {
    const seconds = spec?.leaseDurationSeconds ?? 0;
    return this.#options.clock.monotonic() - this.#observedAt >= seconds * 1000;
  }

  /** An empty holder and a short duration let the next process acquire it at once, including client-go's. */
  async #giveAway(): Promise<void> {
    const { client, clock, log, timing, name } = this.#options;
    try {
      await withTimeout(clock, timing.requestTimeout, undefined, async (signal) => {
        const lease = await client.find(Lease, { namespace: this.#namespace, name }, { live: true, signal });
        if (lease?.spec?.holderIdentity !== this.#options.identity) return;
        // Another process of this identity may have renewed it since.
        if (!this.#claimed.includes(lease.spec.renewTime)) return;
        const now = formatMicroTime(clock.now());
        const spec = {
          ...lease.spec,
          holderIdentity: "",
          leaseDurationSeconds: 1,
          renewTime: now,
          acquireTime: now,
        };
        await client.update(Lease, { ...lease, spec }, { signal });
        log.info("Released the lease");
      });
    } catch (error) {
      log.warn("Can't release the lease, others have to wait for its end", { error });
    }
  }

  #tell(note: string): void {
    if (this.#observed) this.#options.events.normal(this.#observed, "LeaderElection", note);
  }
}

/** Parses a time; an invalid one counts as earlier than any other. */
function timeOf(time: string | undefined): number {
  try {
    return parseTime(time ?? "");
  } catch {
    return -Infinity;
  }
}

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

/**
 * Options for electing one of several processes to run the controllers. The defaults are client-go's, so that both can
 * share a lease.
 */
export interface LeaderElectionOptions {
  /** The name of the Lease. */
  readonly id: string;
  /** The namespace of the Lease. Default: the pod's own. */
  readonly namespace?: string | undefined;
  /** How long others wait before they take over a lease that is no longer renewed. Default: `15s`. */
  readonly leaseDuration?: Duration | undefined;
  /** How long the holder tries to renew before it gives up. Default: `10s`. */
  readonly renewDeadline?: Duration | undefined;
  /** Time between attempts. Default: `2s`. */
  readonly retryPeriod?: Duration | undefined;
  /** Release the lease when the manager stops, so that the next process needn't wait. Default: true. */
  readonly releaseOnCancel?: boolean | undefined;
  /** Labels of the Lease. */
  readonly labels?: { readonly [name: string]: string } | undefined;
  /** The identity of this process. Default: the host name and a random part. */
  readonly identity?: string | undefined;
}

/**
 * Options for sharing the objects among all processes of an operator. The times mean what they do in a leader election,
 * and have the same defaults.
 */
export interface ShardingOptions extends Pick<
  LeaderElectionOptions,
  "id" | "namespace" | "leaseDuration" | "renewDeadline" | "retryPeriod" | "labels"
> {
  /**
   * The field whose hash decides which process an object belongs to: its own `uid`, which spreads the work most evenly,
   * or its `namespace`, with which owned objects are divided among the caches, too. Default: `uid`.
   */
  readonly by?: "uid" | "namespace" | undefined;
}

/** Delays between attempts to acquire are up to this factor longer, so that candidates don't collide. */
const jitter = 1.2;

/**
 * Parses the timing, with client-go's defaults and validation: otherwise a lease could expire while it is being
 * renewed.
 */
export function electionTiming(
  options: Pick<LeaderElectionOptions, "id" | "leaseDuration" | "renewDeadline" | "retryPeriod">,
  name = "leaderElection",
): ElectionTiming {
  const leaseDuration = readDuration(`${name}.leaseDuration`, options.leaseDuration ?? "15s");
  const renewDeadline = readDuration(`${name}.renewDeadline`, options.renewDeadline ?? "10s");
  const retryPeriod = readDuration(`${name}.retryPeriod`, options.retryPeriod ?? "2s");
  if (leaseDuration <= renewDeadline)
    throw new TerminalError(`${name}: leaseDuration must be longer than renewDeadline`);
  if (renewDeadline <= jitter * retryPeriod)
    throw new TerminalError(`${name}: renewDeadline must be longer than ${jitter} times retryPeriod`);
  // A Lease holds whole seconds, at least one.
  if (leaseDuration < 1000) throw new TerminalError(`${name}: leaseDuration must be at least 1s`);
  return { leaseDuration, renewDeadline, retryPeriod, requestTimeout: Math.max(1000, renewDeadline / 2) };
}

/** The field of a log line that names the missing permission, if RBAC forbids a request for a Lease. */
export function leaseHint(error: unknown, verbs: string): { readonly hint?: string } {
  if (!(error instanceof ApiError && error.isForbidden)) return {};
  return { hint: `the operator needs the verbs ${verbs} on leases.coordination.k8s.io` };
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
 * Rejects writes of a process that may no longer lead, and of a reconcile whose object others may reconcile, before
 * each attempt. A suspended process may resume in the middle of a reconcile, or of the delay before a retry, before its
 * timer for the lease can fire. A WebSocket counts as a write, because a command in a container may change anything.
 */
export function fence(elector: Pick<LeaseElector, "assertFresh"> | undefined): (request: RawRequest) => void {
  return ({ method = "GET", webSocket }) => {
    if (method === "GET" && !webSocket) return;
    elector?.assertFresh();
    currentCallContext()?.assertMayWrite?.();
  };
}
