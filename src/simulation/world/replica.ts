import type { Clock } from "@tsbuilder/apimachinery/time";
import type { ServedWebhooks } from "@tsbuilder/runtime/advanced";
import { type CrashFault, isElected, type SimulatedOperator } from "../contract/index.ts";
import { type Environment, inside } from "../globals/environment.ts";
import type { Random } from "@tsbuilder/apimachinery/sample";
import type { ExternalCalls } from "./external-calls.ts";
import type { FaultPlan } from "./fault-plan.ts";
import type { Recorder } from "./records.ts";
import { type EventLoop, ProcessClock } from "./virtual-time.ts";

/** The parts of the world that a process depends on. */
export interface ReplicaContext {
  readonly loop: EventLoop;
  readonly random: Random;
  readonly recorder: Recorder;
  readonly faults: FaultPlan;
  readonly external: ExternalCalls;
  readonly diedAt: Set<string>;
  note(fault: CrashFault): void;
  /** Returns the revision of the cluster at an earlier time. */
  revisionAt(time: number): number;
}

/** One life of a process, from a start to its death. */
export interface Life {
  readonly number: number;
  readonly clock: Clock;
  /** Its first lists are out of date. */
  readonly isBehind: boolean;
}

/** What runs in one life of a process, connected to the cluster. */
export interface RunningLife {
  /** Has nothing to do. */
  readonly isIdle: boolean;
  /** Rejects if the process fails. */
  start(): Promise<void>;
  /** Ends what code in this process runs on, when the run is over. */
  stop(): void;
  /** Ends a process of its own, at once. */
  readonly halt?: () => void;
  /** Lets a process of its own stand still, or go on. */
  readonly freeze?: (isFrozen: boolean) => void;
}

/** Begins a life of a process. */
export type BeginLife = (replica: Replica, life: Life) => RunningLife;

/** The state of the cluster that the first lists of a restarted process show. */
interface View {
  readonly revision: number;
  /** The only resource of which it is; undefined for all. */
  readonly of: string | undefined;
  /** Until this time, watches deliver no change that is newer. */
  readonly until: number;
  /** The lists that have been answered from it. */
  readonly seen: Set<string>;
}

/** The stream of one watch. */
export interface Feed {
  /** Drops everything under way, and breaks the connection. */
  break(): void;
  /** Ends the watch of a dead process. */
  abandon(): void;
}

/** Returns the resource of a list or watch: `shops`. */
export function resourceIn(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Milliseconds until an attempt to connect gives up. */
const connectTimeout = 10_000;

/** Milliseconds that a failed process waits until it starts again. */
const restartDelay = 5000;

/** A process of an operator. It dies and starts again, as a pod's container does. */
export class Replica {
  readonly name: string;
  readonly operator: SimulatedOperator;
  readonly feeds = new Set<Feed>();
  readonly #world: ReplicaContext;
  readonly #begin: BeginLife;
  readonly #random: Random;
  #around: Environment;
  #running: RunningLife | undefined;
  /** Functions that stop what runs of earlier lives. */
  readonly #stopEarlierLives: Array<() => void> = [];
  #cancelStart: () => void = () => {};
  #dateOffset = 0;
  #suspendedUntil = 0;
  /** Code that became due while the process was suspended, in order. */
  #postponed: Array<() => void> = [];
  /** The number of the current life. Code of an earlier life has no effect. */
  life = 0;
  isLeader = false;
  writes = 0;
  readonly writesOfKind = new Map<string, number>();
  requests = 0;
  externalCalls = 0;
  #view: View | undefined;
  /** Answers the API server's calls of webhooks, once the manager serves them. */
  webhooks: ServedWebhooks | undefined;
  /** Functions that fail the unanswered calls of webhooks when the process dies. */
  readonly calls = new Set<() => void>();

  constructor(world: ReplicaContext, operator: SimulatedOperator, index: number, begin: BeginLife) {
    this.name = `${operator.name}-${index}`;
    this.operator = operator;
    this.#world = world;
    this.#begin = begin;
    this.#random = world.random.fork(`network of ${this.name}`);
    this.#around = this.#environment();
  }

  /** Starts a life. With a `lag`, its first lists show the cluster as it was that many milliseconds ago; those of one resource with `of`. */
  start({ lag = 0, of }: Pick<CrashFault, "lag" | "of"> = {}): void {
    const number = ++this.life;
    const { recorder, loop } = this.#world;
    this.#around = this.#environment();
    const { now } = loop;
    this.#view =
      lag > 0
        ? { revision: this.#world.revisionAt(now - lag), of, until: now + lag, seen: new Set() }
        : undefined;
    recorder.add({ type: "start", process: this.name });
    this.run(() => void this.#live(number, lag > 0));
  }

  async #live(number: number, isBehind: boolean): Promise<void> {
    try {
      this.#running = this.#begin(this, { number, clock: this.#around.clock, isBehind });
      await this.#running.start();
    } catch (error) {
      if (this.life !== number) return;
      this.#fail(error);
    }
  }

  /** Ends the process after an uncaught error, as Node does. Its container starts again. */
  #fail(error: unknown): void {
    this.#logError("the process ended", error);
    this.die({ down: restartDelay });
  }

  #logError(message: string, error: unknown): void {
    const text = error instanceof Error ? error.message : String(error);
    this.#world.recorder.add({ type: "log", process: this.name, level: "error", message, error: text });
  }

  /** Ends the process at once, in the middle of its work, and starts it again after a while. */
  die({ down, ...view }: Pick<CrashFault, "down" | "lag" | "of">): void {
    this.kill();
    this.#world.recorder.add({ type: "died", process: this.name });
    this.#cancelStart = this.#world.loop.after(down, () => this.start(view));
  }

  /** Returns the revision that the first list at a path shows, if it is out of date. */
  takeOldRevision(path: string): number | undefined {
    const view = this.#view;
    if (!view || view.seen.has(path) || (view.of !== undefined && view.of !== resourceIn(path)))
      return undefined;
    view.seen.add(path);
    return view.revision;
  }

  /** Until this time, watches deliver no change that is newer than the view of this life. */
  get viewHeldUntil(): number {
    return this.#view?.until ?? 0;
  }

  /** Returns the time until which no events of a resource arrive, because of the view, or of a fault. */
  heldUntil(resource: string): number {
    const { loop, faults } = this.#world;
    const { of = resource } = this.#view ?? {};
    return Math.max(
      faults.heldUntil(this.name, resource, loop.now),
      of === resource ? this.viewHeldUntil : 0,
    );
  }

  /** Dies by a fault, at a request of this kind. */
  dieAt(crash: CrashFault, point: string | undefined): void {
    this.#world.note(crash);
    if (point !== undefined) this.#world.diedAt.add(point);
    this.die(crash);
  }

  /** Ends the process at once, without a restart. */
  kill(): void {
    this.life++;
    this.#cancelStart();
    this.#postponed = [];
    this.#suspendedUntil = 0;
    this.webhooks = undefined;
    for (const lose of this.calls) lose();
    (this.#around.clock as ProcessClock).stop();
    for (const feed of this.feeds) feed.abandon();
    const [running, around] = [this.#running, this.#around];
    if (running) this.#stopEarlierLives.push(() => inside(around, () => running.stop()));
    running?.halt?.();
    this.#running = undefined;
  }

  /**
   * Ends the process when the run is over. Only now is stopped what runs in this process: stopping it at its death would let its
   * code run on, and never stopping it would leave code that waits for a signal in memory.
   */
  close(): void {
    this.kill();
    for (const stop of this.#stopEarlierLives.splice(0)) stop();
  }

  /** Runs code of this process. While the process is suspended, the code waits, and later runs in the same order. */
  run(code: () => void): void {
    if (this.#isSuspended || this.#postponed.length > 0) this.#postponed.push(code);
    else inside(this.#around, code);
  }

  /** Runs none of the process's code for a while. */
  suspend(milliseconds: number): void {
    const { loop } = this.#world;
    this.#suspendedUntil = Math.max(this.#suspendedUntil, loop.now + milliseconds);
    this.#running?.freeze?.(true);
    loop.after(milliseconds, () => this.#catchUp());
  }

  get #isSuspended(): boolean {
    return this.#world.loop.now < this.#suspendedUntil;
  }

  /** Runs everything that was missed, each in a turn of its own: promises run in between. */
  #catchUp(): void {
    if (this.#isSuspended) return;
    this.#running?.freeze?.(false);
    const next = this.#postponed.shift();
    if (!next) return;
    inside(this.#around, next);
    this.#world.loop.enqueue(() => this.#catchUp());
  }

  /** The process has nothing to do. The queue of one that doesn't lead doesn't count, since it waits for the lease. */
  get isIdle(): boolean {
    if (this.#isSuspended || this.#postponed.length > 0) return false;
    if (isElected(this.operator) && !this.isLeader) return true;
    return this.#running?.isIdle ?? false;
  }

  /** Moves the date of the process's machine, which outlives the process. */
  moveDate(milliseconds: number): void {
    this.#dateOffset += milliseconds;
    (this.#around.clock as ProcessClock).offset = this.#dateOffset;
  }

  /** Counts a write. Returns its number among those of its kind. */
  countWrite(kind: string): number {
    this.writes++;
    const number = (this.writesOfKind.get(kind) ?? 0) + 1;
    this.writesOfKind.set(kind, number);
    return number;
  }

  /** Draws the time that a request or an answer takes. */
  latency(): number {
    return this.#random.chance(0.05) ? this.#random.next() * 300 : 0.2 + this.#random.next() * 4;
  }

  /**
   * Waits as long as a message takes to a server, or back. Returns false if the process is cut off, once an attempt to
   * connect gives up.
   */
  async travel(isLeaseRequest = false): Promise<boolean> {
    const { loop, faults } = this.#world;
    loop.messages++;
    try {
      await loop.wait(this.latency());
      const isCut = (fault: "cut" | "lease"): boolean => faults.isUnder(fault, this.name, loop.now);
      if (!isCut("cut") && !(isLeaseRequest && isCut("lease"))) return true;
      await loop.wait(connectTimeout);
      return false;
    } finally {
      loop.messages--;
    }
  }

  /** Draws the time that an event of a watch takes. */
  lag(): number {
    return this.#random.chance(0.1) ? this.#random.next() * 600 : 0.2 + this.#random.next() * 8;
  }

  /** Makes the environment of the current life: nothing that it left behind runs in a later one. */
  #environment(): Environment {
    const { loop, random, external } = this.#world;
    const { life } = this;
    const guard = (run: () => void) => (): void =>
      this.run(() => {
        if (this.life !== life) return;
        try {
          run();
        } catch (error) {
          this.#fail(error);
        }
      });
    return {
      who: this.name,
      clock: new ProcessClock(loop.clock, this.#dateOffset, guard),
      random: random.fork(`${this.name} ${life}`),
      isClosed: true,
      enqueue: (run) => loop.enqueue(guard(run)),
      http: (request) => (this.life === life ? external.fetch(this, request) : new Promise(() => {})),
      // A manager that owns its process does the same.
      onRejection: (error) => {
        if (this.life === life) this.#logError("Unhandled promise rejection: an await is missing", error);
      },
    };
  }
}
