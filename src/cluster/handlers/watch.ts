import type { ServerResponse } from "node:http";
import type { Reply, RequestContext } from "../http/request-context.ts";
import { isTrue } from "../http/request-info.ts";
import { StatusError } from "../contract/status-error.ts";
import { failedRequest, statusErrorOf } from "../filters/errors.ts";
import { type ListOptions, readListOptions } from "./list-options.ts";
import { listRevision, malformedRevision, tooOld } from "./list-revision.ts";
import { presentEntries } from "./present-entries.ts";
import { negotiate } from "./representation.ts";
import { includeObjectOf } from "./reply-object.ts";
import type { Target } from "./target.ts";
import { WatchStream, backlogLimit } from "./watch-stream.ts";
import { WatchView } from "./watch-view.ts";
import type { Change } from "../storage/change.ts";
import type { Batch } from "../http/watch-turn.ts";
import type { Resource } from "../registry/resource.ts";

/** Handles a watch: streams the changes of a resource from a revision on. */
export function handleWatch(context: RequestContext, target: Target): Reply {
  refuseWebSocket(context);
  const options = watchOptions(context, target);
  const { core } = target;
  const { resourceVersion } = options;
  if (!/^\d*$/.test(resourceVersion)) throw malformedRevision(resourceVersion);
  const representation = negotiate(context.request.headers.accept, target, "watch");
  const revision = listRevision(options, core.store.revision);
  const view = new WatchView({
    target,
    matches: options.matches,
    representation,
    include: includeObjectOf(context.query),
  });
  return {
    code: 200,
    contentType: "application/json",
    headers: { "Transfer-Encoding": "chunked" },
    stream: (response) => stream(context, response, { view, options, revision }),
  };
}

/** Clients that try a WebSocket first wait for a complete response; this error makes them fall back to plain HTTP. */
function refuseWebSocket({ request }: RequestContext): void {
  if (request.headers.upgrade?.toLowerCase() !== "websocket") return;
  const message = "watches are not served over WebSocket: ask again without an upgrade";
  throw new StatusError(503, "ServiceUnavailable", message);
}

/** A watch of one name, the legacy form, is a watch with a field selector. */
function watchOptions(context: RequestContext, target: Target): ListOptions {
  // By the legacy paths it becomes a watch only after its options were checked as those of a list.
  const isWatch = isTrue(context.query.get("watch"));
  const options = readListOptions(context.query, target, isWatch);
  if (target.name === "") return options;
  const { matches } = options;
  return {
    ...options,
    matches: (object) => object.metadata.name === target.name && (matches?.(object) ?? true),
  };
}

interface Plan {
  readonly view: WatchView;
  readonly options: ListOptions;
  readonly revision: number;
}

async function stream(
  context: RequestContext,
  response: ServerResponse,
  { view, options, revision }: Plan,
): Promise<void> {
  const { target, encoder, prefix } = view;
  const { resource, core } = target;
  const out = new WatchStream(response, context.signal, {
    clock: core.connectionClock,
    turn: core.watchTurn,
    timeoutSeconds: options.timeoutSeconds,
    report: (error) => core.onError(failedRequest(context, error)),
  });

  const fromNow =
    options.sendInitialEvents ?? (options.resourceVersion === "" || options.resourceVersion === "0");
  const missed = fromNow ? [] : resource.collection.changesSince(revision);
  if (!missed) {
    out.write(encoder.error(tooOld(revision, resource.collection.compactedRevision).status));
    out.end();
    return;
  }
  const initial = fromNow ? resource.collection.list(prefix) : [];
  const startRevision = core.store.revision;
  const feed = new WatchFeed(view, out);
  // A changed CRD changes how objects are read: clients must list and watch again.
  out.onEnd(core.registry.whenReplaced(resource, () => out.end()));
  try {
    const pause = core.slices.begin();
    for (const entry of await presentEntries(target, initial)) {
      if (view.shows(entry)) out.write(encoder.initial(entry));
      await pause()?.then(() => out.room());
    }
    if (options.sendInitialEvents && options.allowBookmarks) out.write(encoder.bookmark(startRevision, true));
    for (const change of missed) {
      await feed.write(change);
      await pause()?.then(() => out.room());
    }
    await feed.open();
    out.started();
    if (options.allowBookmarks)
      out.bookmarks(() => (feed.isHolding ? undefined : encoder.bookmark(core.store.revision, false)));
    await feed.ended;
  } catch (error) {
    out.write(encoder.error(statusErrorOf(error).status));
    out.end();
    if (!(error instanceof StatusError)) throw error;
  }
}

/** Holds changes until the initial objects are sent; from then on they pass at once. */
class WatchFeed {
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
