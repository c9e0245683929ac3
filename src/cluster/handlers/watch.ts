import type { ServerResponse } from "node:http";
import type { Reply, RequestContext } from "../http/request-context.ts";
import { isTrue } from "../http/request-info.ts";
import { StatusError } from "../contract/status-error.ts";
import { failedRequest, statusErrorOf } from "../filters/errors.ts";
import type { Change } from "../storage/change.ts";
import type { Entry } from "../storage/entry.ts";
import { readListOptions, type ListOptions } from "./list-options.ts";
import { listRevision, malformedRevision, tooOld } from "./list-revision.ts";
import { presentEntries } from "./present-entries.ts";
import { negotiate } from "./representation.ts";
import { includeObjectOf } from "./reply-object.ts";
import type { Target } from "./target.ts";
import { EventEncoder, type EventType } from "./watch-encoder.ts";
import { backlogLimit, WatchStream } from "./watch-stream.ts";

/** Handles a watch: streams the changes of a resource from a revision on. */
export function handleWatch(context: RequestContext, target: Target): Reply {
  refuseWebSocket(context);
  const options = watchOptions(context, target);
  const { core } = target;
  const { resourceVersion } = options;
  if (!/^\d*$/.test(resourceVersion)) throw malformedRevision(resourceVersion);
  const representation = negotiate(context.request.headers.accept, target, "watch");
  const revision = listRevision(options, core.store.revision);
  const encoder = new EventEncoder(target, representation, includeObjectOf(context.query));
  return {
    code: 200,
    contentType: "application/json",
    headers: { "Transfer-Encoding": "chunked" },
    stream: (response) => stream(context, response, { target, options, encoder, revision }),
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
  readonly target: Target;
  readonly options: ListOptions;
  readonly encoder: EventEncoder;
  readonly revision: number;
}

async function stream(context: RequestContext, response: ServerResponse, plan: Plan): Promise<void> {
  const { target, options, encoder, revision } = plan;
  const { resource, core } = target;
  const out = new WatchStream(response, context.signal, {
    clock: core.connectionClock,
    turn: core.watchTurn,
    timeoutSeconds: options.timeoutSeconds,
    report: (error) => core.onError(failedRequest(context, error)),
  });
  const prefix = resource.namespaced && target.namespace !== "" ? `${target.namespace}/` : "";
  const feed = new Feed(plan, out, prefix);

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
  const stop = resource.collection.listen((change) => feed.push(change));
  out.onEnd(stop);
  // A changed CRD changes how objects are read: clients must list and watch again.
  out.onEnd(core.registry.whenReplaced(resource, () => out.end()));
  try {
    const pause = core.slices.begin();
    for (const entry of await presentEntries(target, initial)) {
      if (options.matches?.(entry.object) ?? true) out.write(encoder.initial(entry));
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
class Feed {
  readonly #plan: Plan;
  readonly #out: WatchStream;
  readonly #prefix: string;
  #waiting: Change[] | undefined = [];
  #waitingBytes = 0;
  #fail: (error: unknown) => void = () => undefined;
  /** Resolves at the end of the watch; rejects if a change can't be converted. */
  readonly ended: Promise<void>;

  constructor(plan: Plan, out: WatchStream, prefix: string) {
    this.#plan = plan;
    this.#out = out;
    this.#prefix = prefix;
    this.ended = new Promise((resolve, reject) => {
      this.#fail = reject;
      out.onEnd(resolve);
    });
  }

  /** A bookmark now would tell of changes that the client does not have yet. */
  get isHolding(): boolean {
    return this.#waiting !== undefined;
  }

  push(change: Change): void {
    if (this.#waiting) this.#hold(this.#waiting, change);
    else this.#settle(change);
  }

  /** A client that does not read the initial objects is disconnected before too many changes wait for it. */
  #hold(waiting: Change[], change: Change): void {
    waiting.push(change);
    this.#waitingBytes += change.entry.bytes.length;
    if (this.#waitingBytes > backlogLimit) this.#out.disconnect();
  }

  async open(): Promise<void> {
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
      written.then(() => this.open()).catch(this.#fail);
    } catch (error) {
      this.#fail(error);
    }
  }

  write(change: Change): void | Promise<void> {
    if (!change.entry.key.startsWith(this.#prefix)) return undefined;
    const { target, options, encoder } = this.#plan;
    const known = options.matches ? undefined : encoder.known(change, change.type);
    if (known) return this.#out.write(known);
    const { resource, version } = target;
    const entry = resource.present(change.entry, version);
    const previous = change.previous && resource.present(change.previous, version);
    if (entry instanceof Promise || previous instanceof Promise) {
      return Promise.all([entry, previous]).then(([now, before]) => this.#emit(change, now, before));
    }
    return this.#emit(change, entry, previous);
  }

  #emit(change: Change, entry: Entry, previous: Entry | undefined): void {
    const { options, encoder } = this.#plan;
    const { matches } = options;
    const type = matches ? transition(change, matches, entry, previous) : change.type;
    if (type) this.#out.write(encoder.change(change, type, entry, previous));
  }
}

/** For this watcher, an object that starts to match is added, and one that no longer matches is deleted. */
function transition(
  change: Change,
  matches: NonNullable<ListOptions["matches"]>,
  entry: Entry,
  previous: Entry | undefined,
): EventType | undefined {
  const before = previous !== undefined && matches(previous.object);
  const after = change.type !== "DELETED" && matches(entry.object);
  if (before) return after ? "MODIFIED" : "DELETED";
  return after ? "ADDED" : undefined;
}
