import { Readable } from "node:stream";
import type { Replica } from "./replica.ts";
import type { World } from "./world.ts";

interface WatchEvent {
  readonly type: string;
  readonly object: { readonly metadata?: { readonly namespace?: string; readonly name?: string } };
}

/**
 * Brings the events of one watch to a process: each a while after it happened, in order. What the server wrote at once
 * arrives at once.
 */
export class WatchFeed {
  readonly stream: Readable;
  readonly #world: World;
  readonly #replica: Replica;
  readonly #path: string;
  readonly #source: Readable;
  readonly #timers = new Set<() => void>();
  /** What is under way, in order: two timers for one moment may fire in either. */
  readonly #underWay: Array<() => void> = [];
  /** When the last event arrives. */
  #last = 0;
  #rest = "";

  constructor(world: World, replica: Replica, path: string, source: Readable) {
    this.#world = world;
    this.#replica = replica;
    this.#path = path;
    this.#source = source;
    this.stream = new Readable({
      read: () => {},
      destroy: (error, done) => {
        this.#end();
        done(error);
      },
    });
    replica.feeds.add(this);
    source.on("data", (chunk: Buffer) => this.#take(chunk.toString("utf8")));
    source.on("end", () => this.#schedule(() => this.stream.push(null)));
    source.on("error", () => this.break());
  }

  /** Loses what is under way, and the connection. */
  break(): void {
    this.#end();
    this.#replica.run(() => this.stream.destroy(brokenConnection()));
  }

  /** The process is gone: nothing arrives, and the server notices. */
  abandon(): void {
    this.#end();
  }

  #take(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop()!;
    if (lines.length === 0) return;
    this.#schedule(() => {
      for (const line of lines) this.#record(line);
      this.stream.push(Buffer.from(`${lines.join("\n")}\n`));
    });
  }

  #record(line: string): void {
    const { type, object } = JSON.parse(line) as WatchEvent;
    if (type === "BOOKMARK") return;
    const { namespace, name = "" } = object.metadata ?? {};
    const key = namespace === undefined ? name : `${namespace}/${name}`;
    const [path = ""] = this.#path.split("?");
    this.#world.recorder.add({ type: "watch", process: this.#replica.name, path, event: type, key });
  }

  #schedule(deliver: () => void): void {
    const { loop, faults } = this.#world;
    const held = Math.max(faults.heldUntil(this.#replica.name, loop.now), this.#replica.viewHeldUntil);
    this.#last = Math.max(this.#last, held, loop.now + this.#replica.lag());
    this.#underWay.push(deliver);
    const cancel = loop.after(this.#last - loop.now, () => {
      this.#timers.delete(cancel);
      this.#replica.run(this.#underWay.shift()!);
    });
    this.#timers.add(cancel);
  }

  #end(): void {
    for (const cancel of this.#timers) cancel();
    this.#timers.clear();
    this.#replica.feeds.delete(this);
    this.#source.destroy();
  }
}

export function brokenConnection(): Error {
  return Object.assign(new Error("the connection broke"), { code: "ECONNRESET" });
}
