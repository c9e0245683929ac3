import type { ServerResponse } from "node:http";
import type { Writable } from "node:stream";
import { type Status, apiVersionOf } from "@tsbuilder/apimachinery/meta";
import { type Reply, type RequestContext, isTrue } from "../http/request-context.ts";
import { asksForWebSocket, subprotocolsOf, webSocketReply } from "../http/web-socket.ts";
import { StatusError, badRequest, expired } from "../contract/status-error.ts";
import { failedRequest, statusErrorOf } from "../filters/errors.ts";
import { type ListOptions, malformedRevision, readListOptions, requestedRevision } from "./list-options.ts";
import { presentEntries } from "./list.ts";
import { type Representation, includeObjectOf, negotiate, partialOf, tableOf } from "./representation.ts";
import type { Target } from "./target.ts";
import { WatchStream, backlogLimit } from "./watch-stream.ts";
import { type Change, Entry } from "../storage/entry.ts";
import type { Batch } from "../http/watch-turn.ts";
import type { Resource } from "../registry/resource.ts";
import type { ApiObject } from "../contract/api-object.ts";

/**
 * Handles a watch: streams the changes of a resource from a revision on. `streamEvents` sends the initial objects and
 * `WatchFeed` the changes, `WatchGroup` shares lines among watchers, `WatchView` selects, and `EventEncoder` encodes.
 */
export function handleWatch(context: RequestContext, target: Target): Reply | Promise<Reply> {
  const options = readWatchOptions(context, target);
  const { core } = target;
  const { resourceVersion } = options;
  if (!/^\d*$/.test(resourceVersion)) throw malformedRevision(resourceVersion, false);
  const representation = negotiate(context.request.headers.accept, target, "watch");
  const revision = requestedRevision(options, core.store.revision);
  const encoder = new EventEncoder(target, representation, includeObjectOf(context.query));
  const view = new WatchView(target, encoder, options.matches);
  const watch = { view, options, revision };
  if (asksForWebSocket(context)) return sendMessages(context, watch);
  return {
    code: 200,
    contentType: "application/json",
    headers: { "Transfer-Encoding": "chunked" },
    stream: (response) => streamEvents(context, response, { ...watch, isChunked: takeFraming(response) }),
  };
}

/** Sends the headers of a response. Returns whether its body is to come in chunks, which Node no longer makes. */
function takeFraming(response: ServerResponse): boolean {
  response.flushHeaders();
  const isChunked = response.chunkedEncoding;
  response.chunkedEncoding = false;
  return isChunked;
}

/** Sends each event as a message of a WebSocket. As Go's library, only to programs that say whose page they are. */
function sendMessages(context: RequestContext, watch: Omit<Watch, "isChunked">): Promise<Reply> {
  if (!context.request.headers.origin) throw new StatusError(403, "Forbidden", "null origin");
  const [subprotocol, ...others] = subprotocolsOf(context);
  if (others.length > 0) throw badRequest("a watch by WebSocket has one subprotocol at most");
  return webSocketReply(context, { subprotocol, split: linesOf }, (messages) => {
    streamEvents(context, messages, { ...watch, isChunked: false }).catch((error: unknown) =>
      watch.view.target.core.onError(failedRequest(context, error)),
    );
  });
}

function linesOf(events: Buffer): string[] {
  return events.toString().match(/[^\n]*\n/gu) ?? [];
}

/** Reads the options of a watch. A watch of one name, the legacy form, selects the object like a field selector. */
function readWatchOptions(context: RequestContext, target: Target): ListOptions {
  // For the legacy paths, the real server checks the options as those of a list.
  const isWatch = isTrue(context.query.get("watch"));
  const options = readListOptions(context.query, target, isWatch);
  if (target.name === "") return options;
  const { matches } = options;
  return {
    ...options,
    matches: (object) => object.metadata.name === target.name && (matches?.(object) ?? true),
  };
}

/** A watch that has been validated: its view, its options and the revision from which it sends changes. */
interface Watch {
  readonly view: WatchView;
  readonly options: ListOptions;
  readonly revision: number;
  /** True if the lines are sent as chunks that are framed here. */
  readonly isChunked: boolean;
}

/** Sends the initial objects or missed changes, and then each change, until the watch ends. */
async function streamEvents(context: RequestContext, response: Writable, watch: Watch): Promise<void> {
  const { view, options, revision, isChunked } = watch;
  const { target, encoder, prefix } = view;
  const { resource, core } = target;
  const out = new WatchStream(response, context.signal, {
    clock: core.connectionClock,
    turn: core.watchTurn,
    timeoutSeconds: options.timeoutSeconds,
    isChunked,
    report: (error) => core.onError(failedRequest(context, error)),
  });

  const startsWithState = options.sendInitialEvents ?? ["", "0"].includes(options.resourceVersion);
  const missed = startsWithState ? [] : resource.collection.changesSince(revision);
  if (!missed) {
    const oldest = resource.collection.compactedRevision;
    out.write(encoder.error(expired(`too old resource version: ${revision} (${oldest})`).status));
    out.end();
    return;
  }
  const initial = startsWithState ? resource.collection.list(prefix) : [];
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

/** Holds changes until the initial objects are sent; later changes are sent at once. */
class WatchFeed {
  readonly #view: WatchView;
  readonly #out: WatchStream;
  #waiting: Change[] | undefined = [];
  #waitingBytes = 0;
  #fail: (error: unknown) => void = () => undefined;
  readonly #stop: () => void;
  /** Resolves at the end of the watch; rejects if a change can't be converted. */
  readonly ended: Promise<void>;

  /** Listens from now on, and holds the changes until `open()`. */
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

  /** While changes are held, a bookmark would have a revision that the client has not reached. */
  get isHolding(): boolean {
    return this.#waiting !== undefined;
  }

  /** Sends the held changes, then joins the group of watchers that see the same events. */
  async open(): Promise<void> {
    await this.#release();
    const view = this.#view;
    if (!view.isShared()) return;
    this.#stop();
    this.#out.onEnd(joinGroup(view, this.#out, this.#fail));
  }

  #push(change: Change): void {
    if (this.#waiting) this.#hold(this.#waiting, change);
    else this.#send(change);
  }

  /** Disconnects a client that does not read the initial objects while more than the backlog limit waits for it. */
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

  /** Sends a change. While a conversion webhook converts it, later changes are held, so that they stay in order. */
  #send(change: Change): void {
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

/** The groups of each resource by the key of their members' views. */
const groups = new WeakMap<Resource, Map<string, WatchGroup>>();

/**
 * Adds a stream to the group of its view: it receives each later change together with the other members. Calls `fail`
 * with the error if a change can't be encoded. Returns a function that removes the stream from the group.
 */
export function joinGroup(view: SharedView, stream: WatchStream, fail: (error: unknown) => void): () => void {
  const { key } = view;
  const { resource } = view.target;
  const groupsByKey = groups.get(resource) ?? new Map<string, WatchGroup>();
  groups.set(resource, groupsByKey);
  const group = groupsByKey.get(key) ?? new WatchGroup(view);
  groupsByKey.set(key, group);
  group.join(stream, fail);
  return () => {
    group.leave(stream);
    if (group.size === 0) groupsByKey.delete(key);
  };
}

/** The watchers that see the same events: each change is encoded, queued and framed as a chunk once for all of them. */
class WatchGroup {
  readonly #view: SharedView;
  readonly #members = new Map<WatchStream, (error: unknown) => void>();
  readonly #stop: () => void;
  #lines: Buffer[] = [];

  constructor(view: SharedView) {
    this.#view = view;
    this.#stop = view.target.resource.collection.listen((change) => this.#push(change));
  }

  get size(): number {
    return this.#members.size;
  }

  /** Adds a stream. Flushes first: the new member must not receive earlier changes. */
  join(stream: WatchStream, fail: (error: unknown) => void): void {
    this.flush();
    this.#members.set(stream, fail);
    stream.follow(this);
  }

  /** Removes a stream. Flushes first: the member still receives earlier changes. */
  leave(stream: WatchStream): void {
    this.flush();
    this.#members.delete(stream);
    if (this.size === 0) this.#stop();
  }

  #push(change: Change): void {
    try {
      const line = this.#view.line(change);
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

type Predicate = NonNullable<ListOptions["matches"]>;

/** A watcher's view of a resource: the objects of its namespace that match its selectors, in a version and form. */
class WatchView {
  readonly target: Target;
  readonly encoder: EventEncoder;
  /** The prefix of the objects' keys: the namespace and a slash, or empty. */
  readonly prefix: string;
  readonly #matches: Predicate | undefined;

  constructor(target: Target, encoder: EventEncoder, matches: Predicate | undefined) {
    const { resource, namespace } = target;
    this.target = target;
    this.encoder = encoder;
    this.prefix = resource.namespaced && namespace !== "" ? `${namespace}/` : "";
    this.#matches = matches;
  }

  /**
   * Identifies views of one resource that encode the same lines. Views with selectors have no key, nor do Tables, whose
   * rows depend on earlier rows, and resources with a conversion webhook, whose lines are promises.
   */
  get key(): string | undefined {
    const { resource, version } = this.target;
    const { form, metaVersion } = this.encoder.representation;
    const needsOwnLines = this.#matches || form === "table" || resource.renamesVersions === false;
    return needsOwnLines ? undefined : `${version} ${form} ${metaVersion} ${this.prefix}`;
  }

  /** Returns true if other watchers can have the same view. */
  isShared(): this is SharedView {
    return this.key !== undefined;
  }

  shows(entry: Entry): boolean {
    return this.#matches?.(entry.object) ?? true;
  }

  /** The line of a change, or undefined if the view does not include it; a promise if a webhook converts the object. */
  line(change: Change): Buffer | undefined | Promise<Buffer | undefined> {
    if (!change.entry.key.startsWith(this.prefix)) return undefined;
    const cached = this.#matches ? undefined : this.encoder.cached(change, change.type);
    if (cached) return cached;
    const { resource, version } = this.target;
    const entry = resource.present(change.entry, version);
    const previous = change.previous && resource.present(change.previous, version);
    if (entry instanceof Promise || previous instanceof Promise) {
      return Promise.all([entry, previous]).then(([now, before]) => this.#encode(change, now, before));
    }
    return this.#encode(change, entry, previous);
  }

  #encode(change: Change, entry: Entry, previous: Entry | undefined): Buffer | undefined {
    const type = this.#matches ? findEventType(change, this.#matches, entry, previous) : change.type;
    return type && this.encoder.change(change, type, entry, previous);
  }
}

/** A view with a key. No webhook converts its objects, so its lines are never promises. */
export interface SharedView extends WatchView {
  readonly key: string;
  line(change: Change): Buffer | undefined;
}

type EventType = Change["type"];

/** Finds the type for a watcher with selectors: an object that starts to match is ADDED, one that stops is DELETED. */
function findEventType(
  change: Change,
  matches: Predicate,
  entry: Entry,
  previous: Entry | undefined,
): EventType | undefined {
  const matched = previous !== undefined && matches(previous.object);
  const isMatching = change.type !== "DELETED" && matches(entry.object);
  if (matched) return isMatching ? "MODIFIED" : "DELETED";
  return isMatching ? "ADDED" : undefined;
}

const eventEnd = Buffer.from("}\n");

/** Encodes watch events in one representation; whole objects are encoded once for all watchers. */
class EventEncoder {
  readonly #target: Target;
  readonly representation: Representation;
  readonly #include: "None" | "Metadata" | "Object";
  /** The keys under which a change caches its lines for all watchers with the same representation. */
  readonly #keys: Readonly<Record<EventType, string>>;
  #rowsSent = false;

  constructor(target: Target, representation: Representation, include: "None" | "Metadata" | "Object") {
    this.#target = target;
    this.representation = representation;
    this.#include = include;
    const { resource, version } = target;
    // Two groups may share a collection, as Events do.
    const key = `${resource.group}/${version} ${representation.form} ${representation.metaVersion}`;
    this.#keys = { ADDED: `${key} ADDED`, MODIFIED: `${key} MODIFIED`, DELETED: `${key} DELETED` };
  }

  /** The ADDED event of an object that existed before the watch began. */
  initial(entry: Entry): Buffer {
    return this.#line("ADDED", entry);
  }

  /** The line of a change, if another watcher has sent it already. */
  cached(change: Change, type: EventType): Buffer | undefined {
    return change.encoded?.get(this.#keys[type]);
  }

  change(change: Change, type: EventType, entry: Entry, previous: Entry | undefined): Buffer {
    const cached = this.cached(change, type);
    if (cached) return cached;
    const stoppedMatching = type === "DELETED" && change.type !== "DELETED";
    const line = this.#line(type, stoppedMatching ? withRevision(previous!, change.revision) : entry);
    // A row depends on the rows that its watcher received before.
    if (this.representation.form === "table") return line;
    change.encoded ??= new Map();
    change.encoded.set(this.#keys[type], line);
    return line;
  }

  /** A BOOKMARK event; the one that ends the initial objects has an annotation. */
  bookmark(revision: number, initialEventsEnd: boolean): Buffer {
    const { resource, version, served } = this.#target;
    const empty = served.bookmarkObject;
    const { annotations } = (empty?.["metadata"] ?? {}) as ApiObject["metadata"];
    const metadata = {
      resourceVersion: String(revision),
      ...((annotations || initialEventsEnd) && {
        annotations: { ...annotations, ...(initialEventsEnd && { "k8s.io/initial-events-end": "true" }) },
      }),
    };
    const apiVersion = apiVersionOf({ group: resource.group, version });
    const object = { ...empty, kind: resource.kind, apiVersion, metadata };
    return this.#line("BOOKMARK", new Entry("", revision, object));
  }

  error(status: Status): Buffer {
    return Buffer.from(`{"type":"ERROR","object":${JSON.stringify(status)}}\n`);
  }

  #line(type: EventType | "BOOKMARK", entry: Entry): Buffer {
    const head = Buffer.from(`{"type":"${type}","object":`);
    return Buffer.concat([head, this.#bytes(type, entry), eventEnd]);
  }

  #bytes(type: EventType | "BOOKMARK", entry: Entry): Buffer {
    const { form, metaVersion } = this.representation;
    if (form === "object") return entry.bytes;
    if (form === "partial") return Buffer.from(JSON.stringify(partialOf(entry, this.#target, metaVersion)));
    const table = tableOf([entry], this.#target, {
      metaVersion,
      include: this.#include,
      now: this.#target.core.clock.now(),
      withDefinitions: !this.#rowsSent,
      metadata: { resourceVersion: entry.object.metadata.resourceVersion },
    });
    if (type !== "BOOKMARK") this.#rowsSent = true;
    return Buffer.from(JSON.stringify(table));
  }
}

/** The last matching state of an object that no longer matches, with the revision of the change. */
function withRevision(entry: Entry, revision: number): Entry {
  const metadata = { ...entry.object.metadata, resourceVersion: String(revision) };
  return new Entry(entry.key, revision, { ...entry.object, metadata });
}
