import type { ServerResponse } from "node:http";
import type { Reply, RequestContext } from "../http/request-context.ts";
import { StatusError } from "../contract/status-error.ts";
import type { Change } from "../storage/collection.ts";
import type { Entry } from "../storage/entry.ts";
import { readListOptions, type ListOptions } from "./list-options.ts";
import { listRevision, malformedRevision, tooOld } from "./list-revision.ts";
import { negotiate } from "./representation.ts";
import { includeObjectOf } from "./reply-object.ts";
import type { Target } from "./target.ts";
import { EventEncoder, type EventType } from "./watch-encoder.ts";
import { WatchStream } from "./watch-stream.ts";

/** Handles a watch: streams the changes of a resource from a revision on. */
export function handleWatch(context: RequestContext, target: Target): Reply {
  refuseWebSocket(context);
  const options = watchOptions(context, target);
  const { core } = target;
  const representation = negotiate(context.request.headers.accept, target, "watch");
  const { resourceVersion } = options;
  if (!/^\d*$/.test(resourceVersion)) throw malformedRevision(resourceVersion);
  const revision = listRevision(options, core.store.revision);
  const encoder = new EventEncoder(target, representation, includeObjectOf(context.query));
  return {
    code: 200,
    contentType: "application/json",
    headers: { "Transfer-Encoding": "chunked" },
    stream: (response) => void stream(context, response, { target, options, encoder, revision }),
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
  const options = readListOptions(context.query, target, true);
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
  const out = new WatchStream(response, context.signal, core.clock, options);
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
    for (const entry of await resource.presentAll(initial, target.version)) {
      if (options.matches?.(entry.object) ?? true) out.write(encoder.initial(entry));
    }
    if (options.sendInitialEvents) out.write(encoder.bookmark(startRevision, true));
    for (const change of missed) await feed.write(change);
    await feed.open();
  } catch (error) {
    if (error instanceof StatusError) out.write(encoder.error(error.status));
    out.end();
  }
  if (options.allowBookmarks) out.bookmarks(() => encoder.bookmark(core.store.revision, false));
}

/** Holds changes until the initial objects are sent; from then on they pass at once. */
class Feed {
  readonly #plan: Plan;
  readonly #out: WatchStream;
  readonly #prefix: string;
  #waiting: Change[] | undefined = [];

  constructor(plan: Plan, out: WatchStream, prefix: string) {
    this.#plan = plan;
    this.#out = out;
    this.#prefix = prefix;
  }

  push(change: Change): void {
    if (this.#waiting) this.#waiting.push(change);
    else this.#settle(change);
  }

  async open(): Promise<void> {
    for (let next = this.#waiting!.shift(); next; next = this.#waiting!.shift()) await this.write(next);
    this.#waiting = undefined;
  }

  /** Sends changes in order: one whose conversion takes time delays those after it. */
  #settle(change: Change): void {
    const written = this.write(change);
    if (!written) return;
    this.#waiting = [];
    written.then(() => this.open()).catch(() => this.#out.end());
  }

  write(change: Change): void | Promise<void> {
    if (!change.entry.key.startsWith(this.#prefix)) return undefined;
    const { target } = this.#plan;
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
