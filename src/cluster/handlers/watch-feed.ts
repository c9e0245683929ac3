import type { Change } from "../storage/change.ts";
import { joinGroup } from "./watch-group.ts";
import { backlogLimit, type WatchStream } from "./watch-stream.ts";
import type { WatchView } from "./watch-view.ts";

/** Holds changes until the initial objects are sent; from then on they pass at once. */
export class WatchFeed {
  readonly #view: WatchView;
  readonly #out: WatchStream;
  #waiting: Change[] | undefined = [];
  #waitingBytes = 0;
  #fail: (error: unknown) => void = () => undefined;
  readonly #stop: () => void;
  /** Resolves at the end of the watch; rejects if a change can't be converted. */
  readonly ended: Promise<void>;

  /** What is written from now on is held. */
  constructor(view: WatchView, out: WatchStream) {
    this.#view = view;
    this.#out = out;
    this.#stop = view.target.resource.collection.listen((change) => this.#push(change));
    this.ended = new Promise((resolve, reject) => {
      this.#fail = reject;
      out.onEnd(() => {
        this.#stop();
        resolve();
      });
    });
  }

  /** A bookmark now would tell of changes that the client does not have yet. */
  get isHolding(): boolean {
    return this.#waiting !== undefined;
  }

  /** Sends what was held. From then on, watchers that see the same events are told of changes together. */
  async open(): Promise<void> {
    await this.#release();
    const { key } = this.#view;
    if (key === undefined) return;
    this.#stop();
    this.#out.onEnd(joinGroup(key, this.#view, this.#out, this.#fail));
  }

  #push(change: Change): void {
    if (this.#waiting) this.#hold(this.#waiting, change);
    else this.#settle(change);
  }

  /** A client that does not read the initial objects is disconnected before too many changes wait for it. */
  #hold(waiting: Change[], change: Change): void {
    waiting.push(change);
    this.#waitingBytes += change.entry.bytes.length;
    if (this.#waitingBytes > backlogLimit) this.#out.disconnect();
  }

  async #release(): Promise<void> {
    for (let next = this.#waiting!.shift(); next; next = this.#waiting!.shift()) await this.write(next);
    this.#waiting = undefined;
    this.#waitingBytes = 0;
  }

  /** Sends changes in order: one whose conversion takes time delays those after it. */
  #settle(change: Change): void {
    try {
      const written = this.write(change);
      if (!written) return;
      this.#waiting = [];
      written.then(() => this.#release()).catch(this.#fail);
    } catch (error) {
      this.#fail(error);
    }
  }

  write(change: Change): void | Promise<void> {
    const line = this.#view.line(change);
    if (line instanceof Promise) return line.then((text) => text && this.#out.write(text));
    if (line) this.#out.write(line);
  }
}
