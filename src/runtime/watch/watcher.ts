import type { Status } from "@tsbuilder/apimachinery/meta";
import { ApiError } from "../errors/api-error.ts";
import { backOff, noFailures } from "./backoff.ts";
import type {
  ListStart,
  WatcherCommand,
  WatcherContext,
  WatcherEvent,
  WatcherState,
  WatchFrame,
} from "./watcher-state.ts";

/** Objects on a page of a list. */
const pageSize = 500;
/** A watch that ends sooner than this, in milliseconds, without a word, counts as a failure. */
const veryShort = 1000;
/** So many short watches in a row are not slowed down, if they say something. */
const tolerance = 5;
/** So many internal errors in a row, and a watch is not resumed but begun anew. */
const patience = 5;
const initialEventsEnd = "k8s.io/initial-events-end";

/** The state before `start`. */
export function newWatcher({ watchList }: { readonly watchList: boolean }): WatcherState {
  return {
    phase: { name: "new" },
    version: undefined,
    canStream: watchList,
    mustReadNewest: false,
    mustList: false,
    shortWatches: 0,
    backoff: noFailures,
  };
}

/** Takes what happened; gives the next state and what to do. */
export function stepWatcher(
  state: WatcherState,
  event: WatcherEvent,
  context: WatcherContext,
): { readonly state: WatcherState; readonly commands: readonly WatcherCommand[] } {
  switch (event.type) {
    case "start":
      return readAll(state, context);
    case "waited":
      return state.phase.name === "waiting" && state.phase.next === "watch"
        ? resume(state, context)
        : readAll(state, context);
    case "listed":
      return watch({ ...state, version: event.version, mustReadNewest: false, mustList: false }, context, [
        { type: "replace", version: event.version },
      ]);
    case "frame":
      return event.frame.type === "ERROR"
        ? fail(state, new ApiError(event.frame.object as Status), context)
        : read(state, event.frame, context);
    case "closed":
      return close(state, context);
    case "stalled":
      return readAll({ ...state, canStream: false }, context);
    case "failed":
      return fail(state, event.error, context);
  }
}

type Step = { readonly state: WatcherState; readonly commands: readonly WatcherCommand[] };

/** Reads everything: as a stream where the server can, else as a list. */
function readAll(state: WatcherState, context: WatcherContext): Step {
  if (state.canStream && !state.mustList) {
    const resourceVersion = state.mustReadNewest ? undefined : state.version;
    return {
      state: { ...state, phase: { name: "streaming" } },
      commands: [{ type: "begin" }, watchCommand({ resourceVersion, sendInitialEvents: true }, context)],
    };
  }
  return list(state, state.mustReadNewest ? "newest" : state.version === undefined ? "any" : "known");
}

function list(state: WatcherState, from: ListStart): Step {
  const command: WatcherCommand =
    from === "any"
      ? { type: "list", resourceVersion: "0", limit: pageSize }
      : from === "known"
        ? // With a limit the server could not answer from its cache.
          { type: "list", resourceVersion: state.version, limit: undefined }
        : { type: "list", resourceVersion: undefined, limit: from === "newest" ? pageSize : undefined };
  return {
    state: { ...state, phase: { name: "listing", from } },
    commands: [{ type: "begin" }, command],
  };
}

/** Watches from the version that is known. */
function watch(state: WatcherState, context: WatcherContext, before: readonly WatcherCommand[] = []): Step {
  return {
    state: { ...state, phase: { name: "watching", opened: context.now, frames: 0 } },
    commands: [
      ...before,
      watchCommand({ resourceVersion: state.version, sendInitialEvents: false }, context),
    ],
  };
}

function resume(state: WatcherState, context: WatcherContext): Step {
  return state.version === undefined ? readAll(state, context) : watch(state, context);
}

/** The server ends a watch after five to ten minutes, not all of them at the same moment. */
function watchCommand(
  request: { resourceVersion: string | undefined; sendInitialEvents: boolean },
  { random }: WatcherContext,
): WatcherCommand {
  return { type: "watch", ...request, timeoutSeconds: 300 + Math.floor(random * 300) };
}

function read(state: WatcherState, { type, object }: WatchFrame, context: WatcherContext): Step {
  const version = object.metadata.resourceVersion ?? state.version;
  if (state.phase.name === "streaming") {
    if (type === "BOOKMARK") {
      if (object.metadata.annotations?.[initialEventsEnd] !== "true") return { state, commands: [] };
      return {
        state: {
          ...state,
          version,
          mustReadNewest: false,
          phase: { name: "watching", opened: context.now, frames: 1 },
        },
        commands: [{ type: "replace", version }],
      };
    }
    // A change among the existing objects comes as any other event; the last one counts.
    return { state, commands: [{ type: "keep", object, isDeleted: type === "DELETED" }] };
  }
  const frames = state.phase.name === "watching" ? state.phase.frames + 1 : 1;
  const opened = state.phase.name === "watching" ? state.phase.opened : context.now;
  return {
    state: { ...state, version, phase: { name: "watching", opened, frames } },
    commands:
      type === "BOOKMARK"
        ? version === undefined
          ? []
          : [{ type: "progress", version }]
        : [{ type: "change", change: type as "ADDED" | "MODIFIED" | "DELETED", object }],
  };
}

/** The end of a watch is no news: it goes on where it was. One that said nothing at all is slowed down. */
function close(state: WatcherState, context: WatcherContext): Step {
  if (state.phase.name === "streaming") {
    const error = new ApiError({
      code: 0,
      reason: "Unreachable",
      message: "the stream of objects broke off",
    });
    return retry({ ...state, mustList: true }, error, "list", context);
  }
  const { frames, opened } =
    state.phase.name === "watching" ? state.phase : { frames: 0, opened: context.now };
  const isShort = context.now - opened < veryShort;
  const shortWatches = isShort ? state.shortWatches + 1 : 0;
  // Something on the way may close every watch after its first event; a few in a row are nothing to worry about.
  const isHealthy = !isShort || (frames > 0 && shortWatches <= tolerance);
  if (isHealthy) return resume({ ...state, shortWatches }, context);
  const error = new ApiError({ code: 0, reason: "VeryShortWatch", message: "the watch ended at once" });
  return retry({ ...state, shortWatches }, error, "watch", context);
}

function fail(state: WatcherState, error: ApiError, context: WatcherContext): Step {
  if (state.phase.name === "listing") return failList(state, state.phase.from, error, context);
  if (state.phase.name === "streaming") return failStream(state, error, context);
  return failWatch(state, error, context);
}

function failList(state: WatcherState, from: ListStart, error: ApiError, context: WatcherContext): Step {
  if (error.isGone || isTooLarge(error)) {
    // The version, or the token of the next page, is no longer there. The newest version always is.
    if (from === "any" || from === "known") return list(state, "newest");
    if (from === "newest") return list(state, "newest-unpaged");
  }
  return retry(state, error, "list", context);
}

function failStream(state: WatcherState, error: ApiError, context: WatcherContext): Step {
  if (error.isGone || isTooLarge(error)) {
    if (!state.mustReadNewest && state.version !== undefined) {
      return readAll({ ...state, mustReadNewest: true }, context);
    }
    return retry({ ...state, mustReadNewest: true }, error, "list", context);
  }
  // 400 and 422 are what servers say that can't stream, 405 what some proxies do.
  const isRefused = error.status === 400 || error.status === 422 || error.status === 405;
  if (isRefused) return readAll({ ...state, canStream: false }, context);
  // A server that can't be reached can't list either; any other failure may be the stream's own.
  return retry({ ...state, mustList: error.status !== 0 }, error, "list", context);
}

function failWatch(state: WatcherState, error: ApiError, context: WatcherContext): Step {
  if (error.isGone) {
    const hasLived =
      state.phase.name === "watching" && context.now - state.phase.opened >= 30_000 && state.phase.frames > 0;
    return hasLived ? readAll(state, context) : retry(state, error, "list", context);
  }
  const isTransient =
    error.status === 0 ||
    error.status === 429 ||
    error.status === 401 ||
    error.status === 403 ||
    (error.status >= 500 && state.backoff.failures < patience);
  const isBroken = error.reason === "Malformed";
  return retry(state, error, isTransient && !isBroken ? "watch" : "list", context);
}

/** Waits, longer each time, and tries again. Nothing ends a watcher but its owner: rights come back, servers too. */
function retry(state: WatcherState, error: ApiError, next: "list" | "watch", context: WatcherContext): Step {
  const { backoff, milliseconds } = backOff(state.backoff, context);
  const asked = (error.retryAfterSeconds ?? 0) * 1000;
  return {
    state: {
      ...state,
      backoff,
      phase: { name: "waiting", next: state.version === undefined ? "list" : next },
    },
    commands: [
      { type: "report", error },
      { type: "wait", milliseconds: Math.max(milliseconds, asked) },
    ],
  };
}

/** The server has not come as far as the version asked for: one of several behind a load balancer lags. */
function isTooLarge(error: ApiError): boolean {
  return (
    error.body.details?.causes?.some(({ reason }) => reason === "ResourceVersionTooLarge") === true ||
    error.body.message?.includes("Too large resource version") === true
  );
}
