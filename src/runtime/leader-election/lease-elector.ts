// Leases: one process of several leads, as the elector here decides, or all share the objects: `lease-member.ts` executes
// the protocol of `shards/member.ts`, and `member-leases.ts` reads and writes its Leases.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { type Clock, formatMicroTime, parseTime } from "@tsbuilder/apimachinery/time";
import { ApiError, TerminalError } from "../errors/api-error.ts";
import type { Client, Stored } from "../client/client.ts";
import { waitWithClock, withTimeout } from "../clock/waits.ts";
import type { EventRecorder } from "../events/event-recorder.ts";
import type { Logger } from "../log/logger.ts";
import { Lease, type LeaseSpec } from "../k8s/coordination/v1.ts";
import type { ClusterConfig } from "../http/config.ts";
import { currentCallContext } from "../scope/scope.ts";
import type { RawRequest } from "../http/transport.ts";
import type { ElectionTiming, LeaderElectionOptions } from "./lease-options.ts";
import { electionTiming, jitter, leaseHint, leaseNamespace } from "./lease-options.ts";

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
  /** Called once when the lease is lost while leading. */
  onLost: (error: Error) => void = () => {};
  readonly #options: LeaseElectorOptions;
  readonly #stop = new AbortController();
  #namespace = "";
  #observed: Stored<Lease> | undefined;
  #observedAt = 0;
  #state: "following" | "leading" | "lost" | "released" = "following";
  /** When the last renewal was sent: the lease counts from before the server received it. */
  #renewedAt = 0;
  /** The values of `renewTime` that this process wrote: the first was confirmed, later ones may have been stored. */
  #claimedTimes: (string | undefined)[] = [];
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

  /** Resolves when this process holds the lease, and renews it from then on. Rejects with the signal's reason. */
  async acquire(signal: AbortSignal): Promise<void> {
    const { name, identity, log, timing, namespace, clock } = this.#options;
    this.#namespace = await namespace();
    log.info("Attempting to acquire leader lease", { lease: `${this.#namespace}/${name}` });
    let seenHolder: string | undefined;
    while (!(await this.#tryToHold(timing.requestTimeout, signal))) {
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
    this.#recordEvent(`${identity} became leader`);
    this.#options.onStatus?.(true);
    this.#renewing = this.#renew();
  }

  /** Stops the renewals, and releases the lease if the options say so. */
  async release(): Promise<void> {
    this.#stop.abort();
    await this.#renewing;
    if (this.#state !== "leading") return;
    this.#state = "released";
    this.#options.onStatus?.(false);
    this.#recordEvent(`${this.#options.identity} stopped leading`);
    if (this.#options.releaseOnCancel) await this.#releaseLease();
  }

  async #renew(): Promise<void> {
    const { clock, timing, log } = this.#options;
    const { signal } = this.#stop;
    for (;;) {
      await waitWithClock(clock, timing.retryPeriod, signal);
      if (signal.aborted || this.#state !== "leading") return;
      const left = this.#renewedAt + timing.renewDeadline - clock.monotonic();
      if (left > 0 && (await this.#tryToHold(Math.min(left, timing.requestTimeout), signal))) continue;
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
  async #tryToHold(timeout: number, signal: AbortSignal): Promise<boolean> {
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

  /** Writes the lease if it is free, expired, or held by this process. Returns false if another process holds it. */
  async #takeOrRenew(signal: AbortSignal): Promise<boolean> {
    const { client, name, identity, labels } = this.#options;
    if (this.#state === "leading" && this.#observed) {
      try {
        return this.#confirm(await client.update(Lease, this.#claim(this.#observed), { signal }));
      } catch (error) {
        // Another process changed the lease: read it again.
        if (!(error instanceof ApiError && (error.isConflict || error.isNotFound))) throw error;
      }
    }
    const lease = await client.find(Lease, { namespace: this.#namespace, name }, { live: true, signal });
    if (!lease) {
      const metadata = { name, namespace: this.#namespace, ...(labels && { labels: { ...labels } }) };
      const first: Lease = { apiVersion: Lease.apiVersion, kind: Lease.kind, metadata };
      return this.#confirm(await client.create(Lease, this.#claim(first), { signal }));
    }
    this.#observe(lease);
    const holder = lease.spec?.holderIdentity;
    if (holder && holder !== identity && !this.#hasExpired(lease.spec)) return false;
    if (this.#state === "leading" && holder !== identity) return false;
    if (this.#state === "leading" && this.#isRenewedByAnother(lease.spec)) {
      const remedy = "give each process an identity of its own, or omit leaderElection.identity";
      this.#lose(
        new Error(`leader election lost: another process renews the lease as "${identity}", too: ${remedy}`),
      );
      return false;
    }
    return this.#confirm(await client.update(Lease, this.#claim(lease), { signal }));
  }

  /** Returns the lease with this process as its holder, renewed now. Taking it over from another is a transition. */
  #claim(lease: Lease): Lease {
    const { identity, timing, clock } = this.#options;
    const now = formatMicroTime(clock.now());
    const { acquireTime, leaseTransitions = 0, holderIdentity, ...rest } = lease.spec ?? {};
    this.#claimedTimes = this.#state === "leading" ? [...this.#claimedTimes, now] : [now];
    const isHeldByUs = holderIdentity === identity;
    const isNew = lease.metadata.resourceVersion === undefined;
    return {
      ...lease,
      spec: {
        ...rest,
        holderIdentity: identity,
        leaseDurationSeconds: Math.ceil(timing.leaseDuration / 1000),
        acquireTime: isHeldByUs && acquireTime !== undefined ? acquireTime : now,
        renewTime: now,
        leaseTransitions: isHeldByUs || isNew ? leaseTransitions : leaseTransitions + 1,
      },
    };
  }

  /** Notes that a write was confirmed. Earlier writes without an answer can't take effect after it. */
  #confirm(lease: Stored<Lease>): true {
    this.#claimedTimes = [lease.spec?.renewTime];
    this.#observe(lease);
    return true;
  }

  /** Returns true if the last renewal is a later one than ours. A restore or an edit leaves an earlier time, or none. */
  #isRenewedByAnother(spec: LeaseSpec | undefined): boolean {
    if (this.#claimedTimes.includes(spec?.renewTime)) return false;
    return parseTimeOrNever(spec?.renewTime) > parseTimeOrNever(this.#claimedTimes[0]);
  }

  /** Notes when the spec of the lease changed, by our own clock. */
  #observe(lease: Stored<Lease>): void {
    if (!this.#observed || JSON.stringify(this.#observed.spec) !== JSON.stringify(lease.spec))
      this.#observedAt = this.#options.clock.monotonic();
    this.#observed = lease;
  }

  #hasExpired(spec: LeaseSpec | undefined): boolean {
    const seconds = spec?.leaseDurationSeconds ?? 0;
    return this.#options.clock.monotonic() - this.#observedAt >= seconds * 1000;
  }

  /** Empties the holder and shortens the duration, as client-go does: the next process can acquire the lease at once. */
  async #releaseLease(): Promise<void> {
    const { client, clock, log, timing, name } = this.#options;
    try {
      await withTimeout(clock, timing.requestTimeout, undefined, async (signal) => {
        const lease = await client.find(Lease, { namespace: this.#namespace, name }, { live: true, signal });
        if (lease?.spec?.holderIdentity !== this.#options.identity) return;
        // Another process of this identity may have renewed it since.
        if (!this.#claimedTimes.includes(lease.spec.renewTime)) return;
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

  #recordEvent(note: string): void {
    if (this.#observed) this.#options.events.normal(this.#observed, "LeaderElection", note);
  }
}

/** Parses a time; an invalid one counts as earlier than any other. */
function parseTimeOrNever(time: string | undefined): number {
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
