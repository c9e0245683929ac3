import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Cache } from "../cache/cache.ts";
import { TerminalError } from "../errors/api-error.ts";
import { Latch, aborted, onAbort } from "../clock/waits.ts";
import type { Logger } from "../log/logger.ts";
import type { Service } from "../serve/http-listener.ts";

/** Elects a leader among several processes. */
export interface Elector {
  /** Resolves when this process leads; rejects with the signal's reason. */
  acquire(signal: AbortSignal): Promise<void>;
  /** Called once when the lease is lost while leading. */
  onLost: (error: Error) => void;
  /** Stops renewing, and releases the lease if configured. */
  release(): Promise<void>;
}

/** Shares the objects with other processes. */
export interface Member {
  /** Resolves when this process takes part, or the signal is aborted. */
  join(signal: AbortSignal): Promise<void>;
  leave(): Promise<void>;
}

/** The parts that a lifecycle starts and stops; times in milliseconds. */
export interface LifecycleParts {
  readonly log: Logger;
  readonly clock: Clock;
  /** Finds errors that waiting can't resolve, such as a missing cluster config. */
  readonly prepare: () => Promise<unknown>;
  /** Health and metrics. */
  readonly servers: readonly Service[];
  readonly webhooks: Service;
  readonly cache: Cache;
  readonly elector: Elector | undefined;
  readonly member?: Member | undefined;
  /** Sends the recorded Events. */
  readonly events: { stop(deadline: AbortSignal): Promise<void> };
  /** 0 for none, negative for no limit. */
  readonly gracefulShutdownTimeout: number;
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
  readonly #others: RunnableGroup;
  readonly #leaders: RunnableGroup;
  readonly #warm: WarmRunnable[] = [];
  readonly #warming: Promise<void>[] = [];
  readonly #start = new Latch();
  /**
   * Resolves when everything runs and the controllers have enqueued the existing objects; rejects if the manager stops
   * before.
   */
  readonly started = this.#start.wait();
  #state: "new" | "started" | "stopped" = "new";
  #isWarming = false;
  #isLeaseLost = false;

  constructor(parts: LifecycleParts) {
    this.#parts = parts;
    this.#others = new RunnableGroup(parts.clock, (error) => this.fail(error));
    this.#leaders = new RunnableGroup(parts.clock, (error) => this.fail(error));
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
    if (runnable.needLeaderElection === false) return this.#others.add(runnable);
    if (this.#parts.member && !this.#parts.elector)
      throw new TerminalError(
        `${runnable.name} would run in each of the processes that share the objects: add leaderElection, so that one runs it, or needLeaderElection: false`,
      );
    this.#leaders.add(runnable);
    this.#warm.push(runnable);
    if (this.#isWarming) this.#warmUp(runnable);
  }

  /** Forgets a runnable that has ended, or will never run. */
  forget(runnable: WarmRunnable): void {
    const at = this.#warm.indexOf(runnable);
    if (at >= 0) this.#warm.splice(at, 1);
    for (const group of [this.#others, this.#leaders]) group.forget(runnable);
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
    this.#start.break(this.#errors[0] ?? new Error("the manager was stopped before it had started"));
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
    this.#others.start(context);
    this.#isWarming = true;
    for (const runnable of this.#warm) this.#warmUp(runnable);
    await member?.join(signal);
    await elector?.acquire(signal);
    if (signal.aborted) return;
    this.#leaders.start(context);
    await Promise.all([...this.#warming, ...this.#warm.map((runnable) => this.#ready(runnable))]);
    if (!signal.aborted) this.#start.open();
  }

  /** A runnable that fails before it is ready also rejects its run; the failure is reported once. */
  async #ready(runnable: WarmRunnable): Promise<void> {
    try {
      await runnable.ready?.(this.#stopping.signal);
    } catch (error) {
      if (!this.#stopping.signal.aborted) this.fail(error as Error);
    }
  }

  /** The leader's own start sees the failure too, but a process that waits for the lease wouldn't. */
  #warmUp(runnable: WarmRunnable): void {
    const warming = runnable.warmUp?.(this.#stopping.signal).catch((error: Error) => {
      if (!this.#stopping.signal.aborted) this.fail(error);
    });
    if (warming) this.#warming.push(warming);
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
    const moment = this.#isLeaseLost ? 0 : 100;
    const all = await Promise.all([
      this.#others.stop(deadline, moment),
      this.#leaders.stop(deadline, moment),
    ]);
    if (all.includes(false) && gracefulShutdownTimeout !== 0)
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

/** Anything that runs as long as the manager: a poller, a server, a migration. */
export interface Runnable {
  /** For messages. */
  readonly name: string;
  /** Wait until the lease is held. Default: true. */
  readonly needLeaderElection?: boolean | undefined;
  /**
   * Runs until it is done or the signal is aborted. Returning early is not a failure. A rejection stops the manager,
   * which reports it.
   */
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

/**
 * Runnables that start and stop together. One that is added while the group runs starts at once. Failures are reported
 * when they happen.
 */
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

  /**
   * Stops all runnables, and resolves when they have ended, or a moment after the deadline, so that runnables that
   * respect their signal can end. Returns true if all have ended.
   */
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
