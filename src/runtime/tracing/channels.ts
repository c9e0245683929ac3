import { type Channel, channel } from "node:diagnostics_channel";
import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";

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

/**
 * Receives what the runtime does as plain values: who keeps a record in production can't afford an object for each message.
 * `run` numbers the reconciles of the process; `moment` is a time of the monotonic clock.
 */
export interface RuntimeReceiver {
  enqueued(controller: string, request: string, cause: EnqueueCause, after: number | undefined): void;
  began(moment: number, run: number, controller: string, request: string): void;
  /** `run` is undefined outside of reconciles. */
  requested(
    moment: number,
    run: number | undefined,
    method: string,
    path: string,
    code: string,
    milliseconds: number,
  ): void;
  /** `reconcileID` is undefined if nothing has asked for it, such as a line of the log. */
  ended(
    moment: number,
    run: number,
    end: ReconcileEnd,
    milliseconds: number,
    reconcileID: string | undefined,
  ): void;
  sampled(sample: SampleMessage): void;
  /** A cached object has changed. Length of the JSON and the field manager that wrote last are undefined after a full list. */
  changed(kind: Kind, change: ObjectChange, bytes: number | undefined, manager: string | undefined): void;
}

/** Why a request was put into a queue: `update of StatefulSet`, about an object. */
export interface EnqueueCause {
  readonly cause: string;
  readonly about: { readonly namespace?: string | undefined; readonly name?: string | undefined } | undefined;
}

/** How a reconcile ended. */
export interface ReconcileEnd extends Pick<ReconcileEndMessage, "outcome" | "requeueAfter"> {
  readonly error?: Error | undefined;
}

/** A change of a cached object. */
export interface ObjectChange {
  readonly type: "add" | "update" | "delete";
  readonly object: KubernetesObject;
  /** The state before an update. */
  readonly oldObject?: KubernetesObject;
  /** The process itself made the change, as far as that is known. */
  readonly isOwnWrite?: boolean;
}

const receivers = new Set<RuntimeReceiver>();

/** Receives what the runtime does, for all who want to; undefined if nobody does. */
export let receiver: RuntimeReceiver | undefined;

/** Adds a receiver. Returns a function that removes it. */
export function addReceiver(added: RuntimeReceiver): () => void {
  receivers.add(added);
  receiver = combine([...receivers]);
  return () => {
    receivers.delete(added);
    receiver = combine([...receivers]);
  };
}

/** There is one receiver as a rule: only a process with several managers may have more. */
function combine(all: readonly RuntimeReceiver[]): RuntimeReceiver | undefined {
  if (all.length <= 1) return all[0];
  return {
    enqueued: (...values) => all.forEach((one) => one.enqueued(...values)),
    began: (...values) => all.forEach((one) => one.began(...values)),
    requested: (...values) => all.forEach((one) => one.requested(...values)),
    ended: (...values) => all.forEach((one) => one.ended(...values)),
    sampled: (sample) => all.forEach((one) => one.sampled(sample)),
    changed: (...values) => all.forEach((one) => one.changed(...values)),
  };
}

/** Returns true if something subscribed to a channel, or receives what is published on it. */
export function isObserved(name: keyof ChannelMessages): boolean {
  return receiver !== undefined || channels[name].hasSubscribers;
}

/** Publishes a message, which is only made if something subscribed. */
export function publish<Name extends keyof ChannelMessages>(
  name: Name,
  make: () => ChannelMessages[Name],
): void {
  if (channels[name].hasSubscribers) channels[name].publish(make());
}

let runs = 0;

/** Returns the number of the reconcile that begins. */
export function nextRun(): number {
  return ++runs;
}
