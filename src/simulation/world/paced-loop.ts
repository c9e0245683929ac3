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

/** Real milliseconds without a request or an event after which a program waits, and nothing of it is under way. */
const shortestQuiet = 60;

/** The longest real milliseconds that are waited for a program to try again what failed. */
const longestQuiet = 6000;

/** A program that tries again waits for up to twice as long as before. */
const growth = 2.5;

/** What programs do, in real time: what is under way in them, and how long they have been quiet. */
export class Activity {
  #open = 0;
  #last = realNow();
  /** The time of the last request that failed, and the time between it and the one before. */
  #failure: { readonly at: number; readonly gap: number } | undefined;

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

  /** Notes that something happened that a program may react to. */
  touch(): void {
    this.#last = realNow();
  }

  /** Notes that a request failed, which programs try again after longer and longer waits. */
  noteFailure(): void {
    this.touch();
    const at = this.#last;
    this.#failure = { at, gap: this.#failure ? at - this.#failure.at : 0 };
  }

  /** Nothing was under way for long enough. */
  get isQuiet(): boolean {
    if (this.#open > 0) return false;
    const { at = -Infinity, gap = 0 } = this.#failure ?? {};
    const isRetried = this.#last - at < shortestQuiet;
    const wait = isRetried ? Math.max(5 * shortestQuiet, growth * gap) : shortestQuiet;
    return realNow() - this.#last > Math.min(wait, longestQuiet);
  }
}

/** Real milliseconds by which the cluster's time moves at once. */
const slice = 4;

/** An event loop whose time passes as real time does while programs work. */
export class PacedLoop extends EventLoop {
  readonly #activity: Activity;

  constructor(activity: Activity) {
    super(Date.now());
    this.#activity = activity;
  }

  override async step(): Promise<boolean> {
    if (this.#activity.isQuiet) return super.step();
    await this.pace();
    return true;
  }

  /** Lets a little real time pass, and as much of the cluster's. */
  async pace(): Promise<void> {
    const before = realNow();
    await realDelay(slice);
    this.clock.advanceSync(realNow() - before);
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
