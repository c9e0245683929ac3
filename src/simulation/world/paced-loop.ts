import { EventLoop } from "./virtual-time.ts";

// Operators with processes of their own have the time of their machine. The cluster's time passes as fast as that while they work, and
// is skipped while they wait.

const { setTimeout: realTimeout } = globalThis;
const realNow = performance.now.bind(performance);

function realDelay(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    realTimeout(resolve, milliseconds);
  });
}

/** Real milliseconds without a request or an event after which a program waits for something. */
const shortestQuiet = 60;

/** A machine that is busy lets a program wait for so many times as long as this process. */
const slowness = 8;

/** Real milliseconds in which a program tries again what failed for the first time. */
const firstRetry = 400;

/** The most real milliseconds that are waited for a program to try again. */
const longestRetry = 12_000;

/** A program that tries again waits for up to twice as long as before. */
const growth = 2.3;

/** What programs do, in real time: what is under way in them, how long they have been quiet, and what they will try again. */
export class Activity {
  #open = 0;
  #last = realNow();
  /** The real milliseconds by which timers of this process are late, of late. */
  #lag = 0;
  /** The requests whose last attempt failed, with its time, and that until which a further one may come. */
  readonly #failed = new Map<string, { readonly at: number; readonly until: number }>();

  /** Notes that something is under way in a program. Returns a function that notes its end. */
  begin(): () => void {
    this.#open++;
    let isOpen = true;
    return () => {
      if (isOpen) this.#open--;
      isOpen = false;
      this.touch();
    };
  }

  /** Lets real time pass in which the cluster's time is not skipped. */
  async hold(milliseconds: number): Promise<void> {
    const end = this.begin();
    await realDelay(milliseconds);
    end();
  }

  /** Notes that something happened that a program may react to. */
  touch(): void {
    this.#last = realNow();
  }

  /** Notes how a request ended. Programs try again what failed, after longer and longer waits. */
  noteEnd(request: string, isFailure: boolean): void {
    const before = this.#failed.get(request);
    this.#failed.delete(request);
    if (!isFailure) return;
    this.touch();
    const at = this.#last;
    const wait = before ? Math.max(firstRetry, growth * (at - before.at)) : firstRetry;
    this.#failed.set(request, { at, until: at + Math.min(wait, longestRetry) });
  }

  /** Notes by how much a timer of this process was late. */
  noteLag(milliseconds: number): void {
    this.#lag = Math.max(0.9 * this.#lag, milliseconds);
  }

  /** Nothing is under way. */
  get isQuiet(): boolean {
    return this.#open === 0 && realNow() - this.#last > shortestQuiet + slowness * this.#lag;
  }

  /** Nothing is under way, and nothing will be tried again. */
  get isIdle(): boolean {
    const now = realNow();
    return this.isQuiet && [...this.#failed.values()].every(({ until }) => until < now);
  }
}

/** Real milliseconds by which the cluster's time moves at once. */
const slice = 4;

/** An event loop whose time passes as real time does while programs work. */
export class PacedLoop extends EventLoop {
  readonly #activity: Activity;
  readonly #disturbedUntil: () => number;

  /** While a fault lasts, until a time, nobody waits for what is tried again. */
  constructor(activity: Activity, disturbedUntil: () => number) {
    super(Date.now());
    this.#activity = activity;
    this.#disturbedUntil = disturbedUntil;
  }

  override async step(): Promise<boolean> {
    const { isQuiet, isIdle } = this.#activity;
    const disturbed = this.#disturbedUntil() - this.now;
    if (isQuiet && disturbed > 0) {
      this.clock.advanceSync(Math.min(disturbed, this.clock.untilNextTimer ?? Infinity));
      await this.drain();
      return true;
    }
    if (isIdle) return super.step();
    await this.pace();
    return true;
  }

  /** Lets a little real time pass, and as much of the cluster's. */
  async pace(): Promise<void> {
    const before = realNow();
    await realDelay(slice);
    const passed = realNow() - before;
    this.#activity.noteLag(Math.max(0, passed - 2 * slice));
    this.clock.advanceSync(passed);
    await this.drain();
  }

  /** Lets real time pass until a condition holds, at most so many milliseconds. Returns whether it holds. */
  async paceUntil(isReached: () => boolean, milliseconds: number): Promise<boolean> {
    const end = realNow() + milliseconds;
    while (!isReached()) {
      if (realNow() >= end) return false;
      await this.pace();
    }
    return true;
  }
}
