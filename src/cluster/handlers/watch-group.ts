import type { Batch } from "../http/watch-turn.ts";
import type { Resource } from "../registry/resource.ts";
import type { Change } from "../storage/change.ts";
import type { WatchStream } from "./watch-stream.ts";
import type { WatchView } from "./watch-view.ts";

/** The groups of each resource, by the key of what their members see. */
const groups = new WeakMap<Resource, Map<string, WatchGroup>>();

/**
 * From now on the stream gets each change as soon as it is written, together with all others whose views have this key.
 * `fail` is told why a change can't be sent. Returns a function that takes the stream out of the group.
 */
export function joinGroup(
  key: string,
  view: WatchView,
  stream: WatchStream,
  fail: (error: unknown) => void,
): () => void {
  const { resource } = view.target;
  const ofResource = groups.get(resource) ?? new Map<string, WatchGroup>();
  groups.set(resource, ofResource);
  const group = ofResource.get(key) ?? new WatchGroup(view);
  ofResource.set(key, group);
  group.join(stream, fail);
  return () => {
    group.leave(stream);
    if (group.size === 0) ofResource.delete(key);
  };
}

/** Watchers that see the same events: a change is encoded, kept and put into a chunk once for all of them. */
class WatchGroup {
  readonly #view: WatchView;
  readonly #members = new Map<WatchStream, (error: unknown) => void>();
  readonly #stop: () => void;
  #lines: Buffer[] = [];

  constructor(view: WatchView) {
    this.#view = view;
    this.#stop = view.target.resource.collection.listen((change) => this.#push(change));
  }

  get size(): number {
    return this.#members.size;
  }

  /** What was written before is not for this stream. */
  join(stream: WatchStream, fail: (error: unknown) => void): void {
    this.flush();
    this.#members.set(stream, fail);
    stream.follow(this);
  }

  /** What was written before is for this stream, too. */
  leave(stream: WatchStream): void {
    this.flush();
    this.#members.delete(stream);
    if (this.size === 0) this.#stop();
  }

  #push(change: Change): void {
    try {
      // Of a view with a key, no line takes time.
      const line = this.#view.line(change) as Buffer | undefined;
      if (line && this.#lines.push(line) === 1) this.#view.target.core.watchTurn.add(this);
    } catch (error) {
      for (const fail of this.#members.values()) fail(error);
    }
  }

  flush(last?: Batch): Batch | undefined {
    if (this.#lines.length === 0) return last;
    const lines = this.#lines;
    this.#lines = [];
    let sent = last;
    for (const stream of this.#members.keys()) sent = stream.pass(lines, sent);
    return sent;
  }
}
