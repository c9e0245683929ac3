import type { Clock } from "@tsbuilder/apimachinery/time";
import type { ObjectCache } from "../cache/cache.ts";
import { TerminalError } from "../errors/api-error.ts";
import { Latch, aborted, onAbort } from "../clock/waits.ts";
import type { LeaseElector } from "../leader-election/lease-elector.ts";
import type { Logger } from "../log/logger.ts";
import type { Service } from "../serve/http-listener.ts";

/** Shares the objects with other processes. */
interface Member {
  /** Resolves when this process takes part, or the signal is aborted. */
  join(signal: AbortSignal): Promise<void>;
  leave(): Promise<void>;
}

/** The parts that a lifecycle starts and stops; times in milliseconds. */
export interface LifecycleParts {
  readonly log: Logger;
  readonly clock: Clock;
  /** Called first; rejects for errors that waiting can't resolve, such as a missing cluster config. */
  readonly prepare: () => Promise<unknown>;
  /** Health and metrics. */
  readonly servers: readonly Service[];
  readonly webhooks: Service;
  readonly cache: ObjectCache;
  readonly elector: Pick<LeaseElector, "acquire" | "release" | "onLost"> | undefined;
  readonly member?: Member | undefined;
  /** Sends the recorded Events. */
  readonly events: { stop(deadline: AbortSignal): Promise<void> };
  /** 0 for none, negative for no limit. */
  readonly gracefulShutdownTimeout: number;
}

/** Anything that runs as long as the manager: a poller, a server, a migration. */
export interface Runnable {
  /** For messages. */
  readonly name: string;
  /** Wait until the lease is held. Default: true. */
  readonly needLeaderElection?: boolean | undefined;
  /** Runs until it is done or the signal is aborted. It may return early. A rejection stops and fails the manager. */
  start(context: RunContext): Promise<void> | void;
}

/** The argument of `Runnable.start`. */
export interface RunContext {
  /** Aborted when the manager stops; `start` should finish its work and return. */
  readonly signal: AbortSignal;
  /** Aborted when the manager's time to stop is over: runnables that still run are abandoned. */
  readonly deadline: AbortSignal;
  readonly log: Logger;
}

/** A runnable that can prepare while another process leads. */
export interface WarmRunnable extends Runnable {
  warmUp?(signal: AbortSignal): Promise<void>;
  /** Resolves when its initial requests are enqueued. Called once it may run. */
  ready?(signal: AbortSignal): Promise<void>;
}

/**
 * The order in which a manager starts and stops. Start: servers, webhooks (lists may need conversion), caches,
 * runnables that need no lease, warm-up, the part of the objects if several processes share them, election, runnables
 * that need the lease. Stop: runnables, the part of the objects, webhooks (they may read from caches), caches, servers,
 * then the lease and the Events, all within one deadline.
 */
export class Lifecycle {
  readonly #parts: LifecycleParts;
  readonly #stopping = new AbortController();
  readonly #deadline = new AbortController();
  readonly #errors: Error[] = [];
  readonly #withoutLease: RunnableGroup;
  readonly #withLease: RunnableGroup;
  readonly #warmable: WarmRunnable[] = [];
  readonly #warmUps: Promise<void>[] = [];
  readonly #startLatch = new Latch();
  /** Resolves when everything runs and all existing objects are enqueued; rejects if the manager stops before. */
  readonly started = this.#startLatch.wait();
  #state: "new" | "started" | "stopped" = "new";
  #isWarming = false;
  #isLeaseLost = false;

  constructor(parts: LifecycleParts) {
    this.#parts = parts;
    this.#withoutLease = new RunnableGroup(parts.clock, (error) => this.fail(error));
    this.#withLease = new RunnableGroup(parts.clock, (error) => this.fail(error));
    // Without this handler, a promise that is not awaited would end the process. run() rejects with the error.
    this.started.catch(() => {});
    if (parts.elector)
      parts.elector.onLost = (error) => {
        // Another process may already lead: everything must stop at once.
        this.#isLeaseLost = true;
        this.#deadline.abort(error);
        this.fail(error);
      };
  }

  add(runnable: WarmRunnable): void {
    if (this.#stopping.signal.aborted)
      throw new TerminalError(`${runnable.name} can't be added: the manager has stopped`);
    if (runnable.needLeaderElection === false) return this.#withoutLease.add(runnable);
    if (this.#parts.member && !this.#parts.elector)
      throw new TerminalError(
        `${runnable.name} would run in each of the processes that share the objects: add leaderElection, so that one runs it, or needLeaderElection: false`,
      );
    this.#withLease.add(runnable);
    this.#warmable.push(runnable);
    if (this.#isWarming) this.#warmUp(runnable);
  }

  /** Forgets a runnable that has ended, or will never run. */
  forget(runnable: WarmRunnable): void {
    const at = this.#warmable.indexOf(runnable);
    if (at >= 0) this.#warmable.splice(at, 1);
    for (const group of [this.#withoutLease, this.#withLease]) group.forget(runnable);
  }

  /** Runs until `stop` is called or something fails; rejects with all failures. */
  async run(): Promise<void> {
    if (this.#state !== "new") throw new TerminalError("a manager can be started once");
    this.#state = "started";
    try {
      await this.#startAll();
      await aborted(this.#stopping.signal);
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.fail(error as Error);
    }
    this.#startLatch.break(this.#errors[0] ?? new Error("the manager was stopped before it had started"));
    await this.#stop();
    this.#state = "stopped";
    if (this.#errors.length === 1) throw this.#errors[0];
    if (this.#errors.length > 1)
      throw new AggregateError(this.#errors, this.#errors.map(({ message }) => message).join("; "));
  }

  stop(): void {
    this.#stopping.abort();
  }

  /** Records a failure, and begins to stop. */
  fail(error: Error): void {
    // A failed warm-up also rejects the run that waits for it.
    const isKnown = this.#errors.some((known) => known === error || known === error.cause);
    if (!isKnown) this.#errors.push(error);
    this.stop();
  }

  async #startAll(): Promise<void> {
    const { prepare, servers, webhooks, cache, member, elector, log } = this.#parts;
    const { signal } = this.#stopping;
    const context = { log, deadline: this.#deadline.signal };
    await prepare();
    for (const server of servers) await server.start();
    await webhooks.start();
    if (signal.aborted) return;
    cache.start();
    await cache.synced(signal);
    this.#withoutLease.start(context);
    this.#isWarming = true;
    for (const runnable of this.#warmable) this.#warmUp(runnable);
    await member?.join(signal);
    await elector?.acquire(signal);
    if (signal.aborted) return;
    this.#withLease.start(context);
    await Promise.all([...this.#warmUps, ...this.#warmable.map((runnable) => this.#ready(runnable))]);
    if (!signal.aborted) this.#startLatch.open();
  }

  /** Waits until a runnable is ready. Its failure also rejects its run, but is reported once. */
  async #ready(runnable: WarmRunnable): Promise<void> {
    try {
      await runnable.ready?.(this.#stopping.signal);
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.fail(error as Error);
    }
  }

  /** Starts the warm-up of a runnable. Reports its failure, since a process may wait for the lease without end. */
  #warmUp(runnable: WarmRunnable): void {
    const warming = runnable.warmUp?.(this.#stopping.signal).catch((error: Error) => {
      if (!this.#stopping.signal.aborted) this.fail(error);
    });
    if (warming) this.#warmUps.push(warming);
  }

  async #stop(): Promise<void> {
    const { servers, webhooks, cache, member, elector, events, log, clock, gracefulShutdownTimeout } =
      this.#parts;
    const deadline = this.#deadline.signal;
    const expire = () => this.#deadline.abort(new DOMException("the time to stop is over", "TimeoutError"));
    log.info("Stopping and waiting for controllers and other runnables");
    let cancel = () => {};
    if (gracefulShutdownTimeout === 0) expire();
    else if (gracefulShutdownTimeout > 0) cancel = clock.setTimer(expire, gracefulShutdownTimeout);
    // Runnables that respect the deadline's signal need a moment to end.
    const momentAfter = this.#isLeaseLost ? 0 : 100;
    const haveStopped = await Promise.all([
      this.#withoutLease.stop(deadline, momentAfter),
      this.#withLease.stop(deadline, momentAfter),
    ]);
    if (haveStopped.includes(false) && gracefulShutdownTimeout !== 0)
      this.#errors.push(new Error("not everything stopped in time: what still ran was left behind"));
    for (const step of [
      async () => member?.leave(),
      () => webhooks.stop(deadline),
      () => cache.stop(),
      () => Promise.all(servers.map((server) => server.stop(deadline))),
      async () => elector?.release(),
      () => events.stop(deadline),
    ]) {
      try {
        await step();
      } catch (error) {
        this.#errors.push(error as Error);
      }
    }
    cancel();
    log.info("Stopped");
  }
}

/** Runnables that start and stop together. One that is added while the group runs starts at once. */
export class RunnableGroup {
  readonly #clock: Clock;
  readonly #onFailure: (error: Error) => void;
  readonly #waiting: Runnable[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  #context: Omit<RunContext, "signal"> | undefined;

  constructor(clock: Clock, onFailure: (error: Error) => void) {
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  add(runnable: Runnable): void {
    if (this.#context) this.#run(runnable, this.#context);
    else this.#waiting.push(runnable);
  }

  /** Forgets a runnable that waits for the start. */
  forget(runnable: Runnable): void {
    const at = this.#waiting.indexOf(runnable);
    if (at >= 0) this.#waiting.splice(at, 1);
  }

  start(context: Omit<RunContext, "signal">): void {
    if (this.#stopping.signal.aborted) return;
    this.#context = context;
    for (const runnable of this.#waiting.splice(0)) this.#run(runnable, context);
  }

  /** Stops all runnables. Resolves when they have ended, or a moment after the deadline; true if all have ended. */
  async stop(deadline: AbortSignal, momentAfter: number): Promise<boolean> {
    this.#waiting.length = 0;
    this.#stopping.abort();
    let forget = (): void => {};
    const tooLate = new Promise<void>((resolve) => {
      const wait = (): void => void (forget = this.#clock.setTimer(resolve, momentAfter));
      if (deadline.aborted) wait();
      else forget = onAbort(deadline, wait);
    });
    await Promise.race([Promise.all(this.#running), tooLate]);
    forget();
    return this.#running.size === 0;
  }

  #run(runnable: Runnable, context: Omit<RunContext, "signal">): void {
    const { signal } = this.#stopping;
    const run = (async () => {
      try {
        await runnable.start({ ...context, signal });
      } catch (error) {
        // A runnable may reject with the abort reason when it is stopped.
        if (
          signal.aborted &&
          (error === signal.reason || (error as Error | undefined)?.name === "AbortError")
        )
          return;
        this.#onFailure(new Error(`${runnable.name} failed: ${messageOf(error)}`, { cause: error }));
      }
    })();
    this.#running.add(run);
    void run.then(() => this.#running.delete(run));
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
