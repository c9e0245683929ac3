import type { ServerResponse } from "node:http";
import type { Reply, RequestContext } from "../http/request-context.ts";
import { isTrue } from "../http/request-info.ts";
import { StatusError } from "../contract/status-error.ts";
import { failedRequest, statusErrorOf } from "../filters/errors.ts";
import { readListOptions, type ListOptions } from "./list-options.ts";
import { listRevision, malformedRevision, tooOld } from "./list-revision.ts";
import { presentEntries } from "./present-entries.ts";
import { negotiate } from "./representation.ts";
import { includeObjectOf } from "./reply-object.ts";
import type { Target } from "./target.ts";
import { WatchFeed } from "./watch-feed.ts";
import { WatchStream } from "./watch-stream.ts";
import { WatchView } from "./watch-view.ts";

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
