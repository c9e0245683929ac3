import { type Channel, channel } from "node:diagnostics_channel";

/** A source put a request into a controller's queue, which holds each once. */
export interface EnqueueMessage {
  readonly controller: string;
  /** The key of the request: `default/db`. */
  readonly request: string;
  /** Such as `update of StatefulSet default/db`; what the source said, or its name. */
  readonly cause: string;
  /** Milliseconds that it waits before it may run. */
  readonly after: number | undefined;
}

/** A reconcile begins. */
export interface ReconcileStartMessage {
  readonly controller: string;
  readonly request: string;
  /** The same as in log lines. */
  readonly reconcileID: string;
}

/** A reconcile has ended. */
export interface ReconcileEndMessage extends ReconcileStartMessage {
  readonly outcome: "done" | "later" | "again" | "conflict" | "terminal" | "error";
  /** Milliseconds until it runs again, if it asked for that. */
  readonly requeueAfter: number | undefined;
  /** The message of the error, and those of its causes: `fetch failed: connect ECONNREFUSED 10.0.0.1:443`. */
  readonly error: string | undefined;
  /** Its stack, which begins with its name and message. */
  readonly stack: string | undefined;
  readonly seconds: number;
}

/** An attempt to send a request to an API server has ended. */
export interface RequestMessage {
  /** The reconcile that sent it, if one did. */
  readonly reconcileID: string | undefined;
  readonly method: string;
  readonly path: string;
  /** The HTTP status, or `<error>` without an answer. */
  readonly code: string;
  readonly seconds: number;
  /** The body of a failed request. */
  readonly body?: string | undefined;
}

/** The load of a controller. */
export interface ControllerSample {
  readonly controller: string;
  /** Requests that are ready and wait for a worker; the most since the sample before. */
  readonly queued: number;
  /** Reconciles that run; the most since the sample before. */
  readonly active: number;
  /** How many may run at once. */
  readonly workers: number;
}

/** The state of a manager's process, published at most once a second, and only if it has changed. */
export interface SampleMessage {
  /** When the manager started, in milliseconds since 1970, by the real time. */
  readonly since: number;
  readonly controllers: readonly ControllerSample[];
  /** How many objects are cached, by kind: `StatefulSet.apps`. */
  readonly cached: { readonly [kind: string]: number };
  /** The length of the cached objects' JSON. */
  readonly cachedBytes: number;
  /** The longest block of the event loop since the sample before, in milliseconds. */
  readonly blocked: number;
  /** How many milliseconds ago that block ended; undefined if there was none. */
  readonly blockedAgo: number | undefined;
  /** Bytes of memory that the process holds. */
  readonly resident: number;
  /** Bytes of the heap that are in use, including garbage. */
  readonly heap: number;
  /** The same after the last full garbage collection; undefined before the first. */
  readonly heapKept: number | undefined;
}

/** The messages that the runtime publishes on channels of `node:diagnostics_channel`, by the channel's name. */
export interface ChannelMessages {
  readonly "tsbuilder:enqueue": EnqueueMessage;
  readonly "tsbuilder:reconcile:start": ReconcileStartMessage;
  readonly "tsbuilder:reconcile:end": ReconcileEndMessage;
  readonly "tsbuilder:request": RequestMessage;
  readonly "tsbuilder:sample": SampleMessage;
}

/** References the channels: one without references may be collected, and its subscribers with it. */
const channels: { readonly [Name in keyof ChannelMessages]: Channel } = {
  "tsbuilder:enqueue": channel("tsbuilder:enqueue"),
  "tsbuilder:reconcile:start": channel("tsbuilder:reconcile:start"),
  "tsbuilder:reconcile:end": channel("tsbuilder:reconcile:end"),
  "tsbuilder:request": channel("tsbuilder:request"),
  "tsbuilder:sample": channel("tsbuilder:sample"),
};

/** Returns true if something subscribed to a channel. */
export function isObserved(name: keyof ChannelMessages): boolean {
  return channels[name].hasSubscribers;
}

/** Publishes a message, which is only made if something subscribed. */
export function publish<Name extends keyof ChannelMessages>(
  name: Name,
  make: () => ChannelMessages[Name],
): void {
  if (isObserved(name)) channels[name].publish(make());
}
