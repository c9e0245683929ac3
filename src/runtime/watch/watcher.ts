import type { KubernetesObject, Status } from "@tsbuilder/apimachinery/meta";
import { ApiError } from "../errors/api-error.ts";

/** The failures in a row, from which the next delay is computed. */
interface Backoff {
  readonly failures: number;
  readonly lastFailure: number;
}

/** The state that is kept from phase to phase. */
interface WatcherMemory {
  /** The version up to which everything is known. */
  readonly version: string | undefined;
  /** True if full reads may be streams (`sendInitialEvents`): until the server refuses one, or doesn't end it. */
  readonly canStream: boolean;
  /** True if the last full read failed in a way that a plain list at the newest version resolves. */
  readonly mustReadNewest: boolean;
  /** True if the last stream of existing objects broke: the next full read is a list. */
  readonly mustList: boolean;
  /** How many watches in a row ended within a second, although they delivered events. */
  readonly shortWatches: number;
  /** True if the server doesn't serve the kind, and the empty set in place of its objects was delivered. */
  readonly isMissing: boolean;
  readonly backoff: Backoff;
}

/** Where a list starts: at any version, at least at the last known one, or at the newest, paged or unpaged. */
type ListStart = "any" | "known" | "newest" | "newest-unpaged";

/**
 * The state of a watcher. It contains no objects and has no side effects: `stepWatcher` takes an event and returns what
 * to do next, so that every fault can be tested without a server.
 */
export type WatcherState = WatcherMemory & {
  readonly phase:
    | { readonly name: "new" }
    /** Reading a list. */
    | { readonly name: "listing"; readonly from: ListStart }
    /** Reading the objects that are there through a watch, up to the bookmark that ends them. */
    | { readonly name: "streaming"; readonly opened: number }
    | { readonly name: "watching"; readonly opened: number; readonly frames: number }
    | { readonly name: "waiting"; readonly next: "list" | "watch" };
};

/** One line of a watch: an event as the server sends it. */
export interface WatchFrame {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: KubernetesObject;
}

/** The end of a command, or a frame of a watch. */
export type WatcherEvent =
  | { readonly type: "start" }
  | { readonly type: "listed"; readonly version: string | undefined }
  | { readonly type: "frame"; readonly frame: WatchFrame }
  /** The watch ended without an error of the server: at its time, by a lost connection, or after long silence. */
  | { readonly type: "closed" }
  /** A request was refused, or could not be sent, or its answer made no sense. */
  | { readonly type: "failed"; readonly error: ApiError }
  /** A stream of existing objects says nothing, as from a server that doesn't know the parameter. */
  | { readonly type: "stalled" }
  | { readonly type: "waited" };

/** A command. At most one `list`, `watch` or `wait` is issued, always last. */
export type WatcherCommand =
  | {
      readonly type: "list";
      readonly resourceVersion: string | undefined;
      readonly limit: number | undefined;
    }
  | {
      readonly type: "watch";
      readonly resourceVersion: string | undefined;
      readonly sendInitialEvents: boolean;
      readonly timeoutSeconds: number;
    }
  | { readonly type: "wait"; readonly milliseconds: number }
  /** Objects that follow are a full set; drop what an earlier, unfinished set left. */
  | { readonly type: "begin" }
  | { readonly type: "keep"; readonly object: KubernetesObject; readonly isDeleted: boolean }
  /** The set is complete: objects that are not in it are gone. */
  | { readonly type: "replace"; readonly version: string | undefined }
  | {
      readonly type: "change";
      readonly change: "ADDED" | "MODIFIED" | "DELETED";
      readonly object: KubernetesObject;
    }
  | { readonly type: "progress"; readonly version: string }
  | { readonly type: "report"; readonly error: ApiError };

/** The values that a step depends on besides state and event. */
export interface WatcherContext {
  /** Milliseconds of a monotonic clock. */
  readonly now: number;
  /** From 0 to 1. */
  readonly random: number;
  /** The kind has no objects if the server doesn't serve it, rather than being an error. */
  readonly isOptional?: boolean | undefined;
}

/** How full reads begin: see `ReflectorOptions`. */
interface WatcherOptions {
  readonly watchList: boolean;
  readonly newest?: boolean | undefined;
}

export const noFailures: Backoff = { failures: 0, lastFailure: -Infinity };

/** The state before `start`. */
export function newWatcher({ watchList, newest = false }: WatcherOptions): WatcherState {
  return {
    phase: { name: "new" },
    version: undefined,
    canStream: watchList,
    mustReadNewest: newest,
    mustList: false,
    shortWatches: 0,
    isMissing: false,
    backoff: noFailures,
  };
}

/** The next state, and the commands to execute in order. */
interface Step {
  readonly state: WatcherState;
  readonly commands: readonly WatcherCommand[];
}

/** Takes an event; returns the next state and the commands. */
export function stepWatcher(state: WatcherState, event: WatcherEvent, context: WatcherContext): Step {
  switch (event.type) {
    case "start":
      return readAll(state, context);
    case "waited":
      return state.phase.name === "waiting" && state.phase.next === "watch"
        ? resume(state, context)
        : readAll(state, context);
    case "listed":
      return watch(
        { ...state, version: event.version, mustReadNewest: false, mustList: false, isMissing: false },
        context,
        [{ type: "replace", version: event.version }],
      );
    case "frame":
      return event.frame.type === "ERROR"
        ? fail(state, new ApiError(event.frame.object as Status), context)
        : read(state, event.frame, context);
    case "closed":
      return close(state, context);
    case "stalled":
      return readAll({ ...state, canStream: false }, context);
    case "failed":
      return event.error.isNotFound && context.isOptional
        ? miss(state, event.error, context)
        : fail(state, event.error, context);
  }
}

/** Reads everything: as a stream if the server supports it, else as a list. */
function readAll(state: WatcherState, context: WatcherContext): Step {
  if (state.canStream && !state.mustList) {
    const resourceVersion = state.mustReadNewest ? undefined : state.version;
    return {
      state: { ...state, phase: { name: "streaming", opened: context.now } },
      commands: [{ type: "begin" }, watchCommand({ resourceVersion, sendInitialEvents: true }, context)],
    };
  }
  return list(state, state.mustReadNewest ? "newest" : state.version === undefined ? "any" : "known");
}

/** Objects per page of a list. */
const pageSize = 500;

function list(state: WatcherState, from: ListStart): Step {
  const command: WatcherCommand =
    from === "any"
      ? { type: "list", resourceVersion: "0", limit: pageSize }
      : from === "known"
        ? // With a limit the server could not answer from its cache.
          { type: "list", resourceVersion: state.version, limit: undefined }
        : { type: "list", resourceVersion: undefined, limit: from === "newest" ? pageSize : undefined };
  return { state: { ...state, phase: { name: "listing", from } }, commands: [{ type: "begin" }, command] };
}

/** Watches from the known version. */
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

/** The server ends a watch after five to ten minutes; the random part spreads the ends. */
function watchCommand(
  request: { resourceVersion: string | undefined; sendInitialEvents: boolean },
  { random }: WatcherContext,
): WatcherCommand {
  return { type: "watch", ...request, timeoutSeconds: 300 + Math.floor(random * 300) };
}

/**
 * A stream of existing objects that has not ended after this many milliseconds is replaced by a list: a server that
 * doesn't know the parameter sends changes for as long as there are any.
 */
const longestStream = 60_000;
const initialEventsEnd = "k8s.io/initial-events-end";

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
          isMissing: false,
          phase: { name: "watching", opened: context.now, frames: 1 },
        },
        commands: [{ type: "replace", version }],
      };
    }
    if (context.now - state.phase.opened >= longestStream)
      return readAll({ ...state, canStream: false }, context);
    // A change among the existing objects is sent like any other event; the last one counts.
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

/** A watch without events that ends sooner than this many milliseconds counts as a failure. */
const shortWatch = 1000;

/** This many short watches in a row are not delayed, if they deliver events. */
const toleratedShortWatches = 5;

/** Resumes a watch that ended, which is normal; after a delay if it was too short. */
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
  const isShort = context.now - opened < shortWatch;
  const shortWatches = isShort ? state.shortWatches + 1 : 0;
  // A proxy may close every watch after its first event; a few in a row are tolerated.
  const isHealthy = !isShort || (frames > 0 && shortWatches <= toleratedShortWatches);
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
    // The version, or the token of the next page, has expired. The newest version is always available.
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
  // Servers that can't stream answer 400 or 422, some proxies 405.
  const isRefused = error.status === 400 || error.status === 422 || error.status === 405;
  if (isRefused) return readAll({ ...state, canStream: false }, context);
  // A server that is unreachable or busy can't list either; any other failure may be specific to the stream.
  const mustList = error.status !== 0 && !asksForPatience(error);
  return retry({ ...state, mustList }, error, "list", context);
}

/** After this many internal errors in a row, a watch is restarted with a list instead of resumed. */
const toleratedServerErrors = 5;

function failWatch(state: WatcherState, error: ApiError, context: WatcherContext): Step {
  // After a restore the server's versions are lower. A server that only lags needs time, so the list waits.
  if (isTooLarge(error)) return retry({ ...state, mustReadNewest: true }, error, "list", context);
  if (error.isGone) {
    const wasHealthy =
      state.phase.name === "watching" && context.now - state.phase.opened >= 30_000 && state.phase.frames > 0;
    return wasHealthy ? readAll(state, context) : retry(state, error, "list", context);
  }
  const isTransient =
    error.status === 0 ||
    error.status === 429 ||
    error.status === 401 ||
    error.status === 403 ||
    (error.status >= 500 && state.backoff.failures < toleratedServerErrors);
  const isBroken = error.reason === "Malformed";
  return retry(state, error, isTransient && !isBroken ? "watch" : "list", context);
}

/** Retries after a growing delay, without end: permissions and servers come back. */
function retry(state: WatcherState, error: ApiError, next: "list" | "watch", context: WatcherContext): Step {
  const { backoff, milliseconds } = backOff(state.backoff, error, context);
  return {
    state: {
      ...state,
      backoff,
      phase: { name: "waiting", next: state.version === undefined ? "list" : next },
    },
    commands: [
      { type: "report", error },
      { type: "wait", milliseconds },
    ],
  };
}

/** Delivers the empty set once, and looks again later: the CRD of an optional kind may be installed at any time. */
function miss(state: WatcherState, error: ApiError, context: WatcherContext): Step {
  const { backoff, milliseconds } = backOff(state.backoff, error, context);
  const empty: WatcherCommand[] = [{ type: "begin" }, { type: "replace", version: undefined }];
  return {
    state: {
      ...state,
      backoff,
      version: undefined,
      isMissing: true,
      phase: { name: "waiting", next: "list" },
    },
    commands: [...(state.isMissing ? [] : empty), { type: "wait", milliseconds }],
  };
}

/** Returns true if the server has not reached the requested version yet, like one of several that lags behind. */
function isTooLarge(error: ApiError): boolean {
  return (
    error.body.details?.causes?.some(({ reason }) => reason === "ResourceVersionTooLarge") === true ||
    error.body.message?.includes("Too large resource version") === true
  );
}

/** Returns true if the server asks to send the same request later. */
export function asksForPatience({ status, retryAfterSeconds }: ApiError): boolean {
  return status === 429 || retryAfterSeconds !== undefined;
}

/** The first and the longest delay after failures, in milliseconds, as client-go has them. */
const firstDelay = 800;
const maxDelay = 30_000;

/** After this many milliseconds without a failure the delays start over. */
const resetAfter = 120_000;

/** Counts a failure and computes the delay, half of it random: it doubles, and is at least what the server asks for. */
export function backOff(
  { failures, lastFailure }: Backoff,
  { retryAfterSeconds = 0 }: ApiError,
  { now, random }: { readonly now: number; readonly random: number },
): { readonly backoff: Backoff; readonly milliseconds: number } {
  const previous = now - lastFailure > resetAfter ? 0 : failures;
  const span = Math.min(maxDelay, firstDelay * 2 ** Math.min(previous, 16));
  return {
    backoff: { failures: previous + 1, lastFailure: now },
    // Otherwise all clients of a server that recovers would send their requests at the same time.
    milliseconds: Math.max(Math.round(span * (0.5 + random / 2)), retryAfterSeconds * 1000),
  };
}
