// How a session learns what its operator does: a module in the operator's process sends the runtime's messages (`subscriber`),
// and `listenToOperator` turns them into the reconciles and samples of the record.

import {
  type RecordedReconcile,
  type RecordedRequest,
  type RecordedSample,
  causeOfRequeue,
} from "./recorded.ts";
import { requestTarget } from "./request-target.ts";
import type { ChannelMessages, ReconcileEndMessage, RequestMessage } from "@tsbuilder/runtime/advanced";
import type { BegunReconcile } from "../dev-event.ts";
import type { OperatorListener } from "../operator/operator-process.ts";

/** The channels of the runtime. They are repeated here, checked by the compiler, since loading the runtime takes long. */
const channels = Object.keys({
  "tsbuilder:enqueue": true,
  "tsbuilder:reconcile:start": true,
  "tsbuilder:reconcile:end": true,
  "tsbuilder:request": true,
  "tsbuilder:sample": true,
} satisfies Record<keyof ChannelMessages, true>);

/**
 * The URL of a module that runs before an operator's bundle and sends the messages of its runtime to the parent process. The
 * operator's own code may use `process.send`, too, so these messages have a member `tsbuilder`.
 */
export const subscriber = `data:text/javascript,${encodeURIComponent(`
  import { subscribe } from "node:diagnostics_channel";
  const { now } = Date;
  const clock = globalThis[Symbol.for("@tsbuilder/clock")];
  let messages = [];
  const send = () => {
    const sent = messages;
    messages = [];
    if (sent.length > 0 && process.connected) process.send({ tsbuilder: sent }, () => {});
  };
  for (const channel of ${JSON.stringify(channels)}) {
    subscribe(channel, (message) => {
      const moved = clock?.ahead > 0 ? { ahead: clock.ahead } : {};
      if (messages.push({ ...message, channel, at: now(), ...moved }) === 1) setImmediate(send);
    });
  }
  process.on("exit", send);
`)}`;

/** Receives the reconciles and samples of an operator. */
export interface OperatorRecord {
  append(reconciles: readonly RecordedReconcile[]): void;
  sample?(sample: RecordedSample): void;
  began?(reconcile: BegunReconcile): void;
}

/** A message that the operator's runtime published, with its channel and time. */
export type OperatorMessage = {
  readonly [Name in keyof ChannelMessages]: ChannelMessages[Name] & {
    readonly channel: Name;
    /** Milliseconds since 1970 in real time. */
    readonly at: number;
    /** The milliseconds by which the operator's clock is ahead; undefined if it was not moved. */
    readonly ahead?: number;
  };
}[keyof ChannelMessages];

/** Returns a listener that records the messages of one process. After a failed write, reconciles are not recorded any more. */
export function listenToOperator(
  record: OperatorRecord,
  onFailure: (error: unknown) => void,
): OperatorListener {
  const history = new ReconcileHistory();
  let isGivenUp = false;
  const write = (reconciles: readonly RecordedReconcile[]): void => {
    if (isGivenUp) return;
    try {
      record.append(reconciles);
    } catch (error) {
      isGivenUp = true;
      onFailure(error);
    }
  };
  let last: RecordedSample | undefined;
  const sample = (taken: RecordedSample): void => {
    last = taken;
    record.sample?.(taken);
  };
  // Returns the reconcile that has ended with a message, if one has.
  const take = (message: OperatorMessage): RecordedReconcile | undefined => {
    if (message.channel === "tsbuilder:reconcile:start" && !isGivenUp) {
      const { controller, request, reconcileID } = message;
      record.began?.({ controller, request, reconcileID });
    }
    if (message.channel !== "tsbuilder:sample") return history.add(message);
    sample(recordedSample(message));
    return undefined;
  };
  return {
    message: (message) => {
      const sent = (message as { readonly tsbuilder?: readonly OperatorMessage[] } | null)?.tsbuilder;
      if (Array.isArray(sent)) write(sent.map(take).filter((reconcile) => reconcile !== undefined));
    },
    end: () => {
      write(history.unfinished());
      if (last) sample(sampleOfEnd(last));
    },
  };
}

/** The number of requests of a reconcile that are kept. */
export const maxRequests = 100;

type OperatorSample = Extract<OperatorMessage, { readonly channel: "tsbuilder:sample" }>;

/** A reconcile that runs, and the message of its start. */
interface Running {
  readonly began: OperatorMessage;
  readonly reconcile: Omit<RecordedReconcile, "outcome"> & {
    readonly requests: RecordedRequest[];
  };
}

/** The number of causes of a request that are kept. */
const maxCauses = 10;

/** The milliseconds by which a timer may fire early, compared with the date. */
const earlyMilliseconds = 5;

/** Assembles reconciles from the messages of one process. */
export class ReconcileHistory {
  /** The causes of each queued request, with the time at which each is due. */
  readonly #queued = new Map<string, Map<string, number>>();
  readonly #running = new Map<string, Running>();
  /** The cause for which each request runs again without a new event. */
  readonly #nextCauses = new Map<string, string>();

  /** Returns the reconcile that has ended with this message, if one has. */
  add(message: Exclude<OperatorMessage, OperatorSample>): RecordedReconcile | undefined {
    switch (message.channel) {
      case "tsbuilder:enqueue": {
        const key = keyOf(message);
        const causes = this.#queued.get(key) ?? new Map<string, number>();
        const since = Math.min(timeOf(message) + (message.after ?? 0), causes.get(message.cause) ?? Infinity);
        if (causes.size < maxCauses || causes.has(message.cause)) causes.set(message.cause, since);
        this.#queued.set(key, causes);
        return undefined;
      }
      case "tsbuilder:reconcile:start": {
        const key = keyOf(message);
        const causes = this.#takeCauses(key, timeOf(message));
        const { controller, request, reconcileID } = message;
        const at = new Date(message.at).toISOString();
        const reconcile = { at, controller, request, reconcileID, causes, requests: [] };
        this.#running.set(reconcileID, { reconcile, began: message });
        return undefined;
      }
      case "tsbuilder:request": {
        const { reconcileID, method, path, code } = message;
        const body = recordedBody(message);
        const running = this.#running.get(reconcileID ?? "");
        if (!running || running.reconcile.requests.length >= maxRequests) return undefined;
        const seconds = realSeconds(message, running.began);
        running.reconcile.requests.push({ method, path, code, seconds, ...(body !== undefined && { body }) });
        return undefined;
      }
      case "tsbuilder:reconcile:end": {
        const running = this.#running.get(message.reconcileID);
        if (!running) return undefined;
        this.#running.delete(message.reconcileID);
        const nextCause = causeOfNext(message);
        if (nextCause !== undefined) this.#nextCauses.set(keyOf(message), nextCause);
        const { outcome, requeueAfter, error, stack } = message;
        const seconds = realSeconds(message, running.began);
        return { ...running.reconcile, outcome, requeueAfter, error, stack, seconds };
      }
    }
  }

  /** Takes the causes that are due; without one, the request runs because of the reconcile before. */
  #takeCauses(key: string, now: number): readonly string[] {
    const queued = this.#queued.get(key) ?? new Map<string, number>();
    const due = [...queued].filter(([, since]) => since <= now + earlyMilliseconds).map(([cause]) => cause);
    for (const cause of due) queued.delete(cause);
    if (queued.size === 0) this.#queued.delete(key);
    const nextCause = this.#nextCauses.get(key);
    this.#nextCauses.delete(key);
    return due.length > 0 || nextCause === undefined ? due : [nextCause];
  }

  /** Returns the reconciles that ran when the process ended. */
  unfinished(): readonly RecordedReconcile[] {
    return [...this.#running.values()].map(({ reconcile }) => ({ ...reconcile, outcome: "unfinished" }));
  }
}

/** The length of the bodies that are kept. */
const maxBody = 16 * 1024;

/** The resources and subresources whose requests may have secrets. What a proxy passes on may be anything. */
const secretResources: ReadonlySet<string> = new Set(["secrets", "tokenreviews.authentication.k8s.io"]);
const secretSubresources = /^(?:token|proxy(?:\/|$))/u;

/** Returns what a failed request sent, unless it is large, or may have values of a Secret or a token. */
function recordedBody({ path, body = "" }: Pick<RequestMessage, "path" | "body">): string | undefined {
  const { resource, subresource = "" } = requestTarget(path) ?? {};
  const mayBeSecret =
    resource === undefined || secretResources.has(resource) || secretSubresources.test(subresource);
  return mayBeSecret || body === "" || body.length > maxBody ? undefined : body;
}

function keyOf({ controller, request }: { readonly controller: string; readonly request: string }): string {
  return `${controller} ${request}`;
}

/** Returns the time of a message on the operator's clock. */
function timeOf({ at, ahead = 0 }: OperatorMessage): number {
  return at + ahead;
}

/** Returns a duration in real time: the operator's clock, which measured it, may have been moved meanwhile. */
function realSeconds(
  message: OperatorMessage & { readonly seconds: number },
  began: OperatorMessage,
): number {
  if (message.ahead === began.ahead) return message.seconds;
  return Math.min(message.seconds, (message.at - began.at) / 1000);
}

/** Returns the cause for which a request runs again without an event; undefined if it waits for one. */
function causeOfNext({ outcome, requeueAfter = 0 }: ReconcileEndMessage): string | undefined {
  switch (outcome) {
    case "done":
    case "terminal":
      return undefined;
    case "later":
      return causeOfRequeue(requeueAfter);
    case "again":
      return causeOfRequeue(0);
    case "conflict":
    case "error":
      return `retry after ${outcome}`;
  }
}

/** Returns the line of a sample. */
export function recordedSample(sample: OperatorSample): RecordedSample {
  const { channel: _, at, ahead: __, since, blockedAgo, ...numbers } = sample;
  const blockedUntil = blockedAgo === undefined ? undefined : isoTime(at - blockedAgo);
  return { type: "sample", at: isoTime(at), since: isoTime(since), ...numbers, blockedUntil };
}

/** Returns the sample of a process that has ended: all numbers are 0. */
export function sampleOfEnd({ since }: RecordedSample): RecordedSample {
  return {
    type: "sample",
    at: isoTime(Date.now()),
    since,
    controllers: [],
    cached: {},
    cachedBytes: 0,
    blocked: 0,
    resident: 0,
    heap: 0,
    heapKept: undefined,
  };
}

function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
