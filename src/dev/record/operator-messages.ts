import type { RecordedReconcile, RecordedSample } from "./recorded.ts";
import type {
  ChannelMessages,
  ReconcileEndMessage,
  ReconcileStartMessage,
  RequestMessage,
  SampleMessage,
} from "@tsbuilder/runtime";
import { causeOfRequeue } from "./causes.ts";
import type { OperatorListener } from "../operator/operator-process.ts";

interface Running {
  readonly began: OperatorMessage;
  readonly told: Omit<RecordedReconcile, "outcome"> & {
    readonly requests: Omit<RequestMessage, "reconcileID">[];
  };
}

const mostCauses = 10;

/** How many requests of a reconcile are kept. */
export const mostRequests = 100;

/** Timers may fire some milliseconds before the date has moved that far. */
const early = 5;

/** Puts together what one process of an operator tells, in the order of the ends. */
export class ReconcileHistory {
  /** The causes of each request, and from when on they count. */
  readonly #queued = new Map<string, Map<string, number>>();
  readonly #running = new Map<string, Running>();
  /** Why each request would run again without a new event. */
  readonly #again = new Map<string, string>();

  /** Returns the reconcile that has ended with this message, if one has. */
  add(message: Exclude<OperatorMessage, ToldSample>): RecordedReconcile | undefined {
    switch (message.channel) {
      case "tsbuilder:enqueue": {
        const key = keyOf(message);
        const causes = this.#queued.get(key) ?? new Map<string, number>();
        const since = Math.min(timeOf(message) + (message.after ?? 0), causes.get(message.cause) ?? Infinity);
        if (causes.size < mostCauses || causes.has(message.cause)) causes.set(message.cause, since);
        this.#queued.set(key, causes);
        return undefined;
      }
      case "tsbuilder:reconcile:start": {
        const key = keyOf(message);
        const causes = this.#takeCauses(key, timeOf(message));
        const { controller, request, reconcileID } = message;
        const at = new Date(message.at).toISOString();
        const told = { at, controller, request, reconcileID, causes, requests: [] };
        this.#running.set(reconcileID, { told, began: message });
        return undefined;
      }
      case "tsbuilder:request": {
        const { reconcileID, method, path, code } = message;
        const running = this.#running.get(reconcileID ?? "");
        if (!running || running.told.requests.length >= mostRequests) return undefined;
        running.told.requests.push({ method, path, code, seconds: realSeconds(message, running.began) });
        return undefined;
      }
      case "tsbuilder:reconcile:end": {
        const running = this.#running.get(message.reconcileID);
        if (!running) return undefined;
        this.#running.delete(message.reconcileID);
        const again = causeOfNext(message);
        if (again !== undefined) this.#again.set(keyOf(message), again);
        const { outcome, requeueAfter, error, stack } = message;
        return {
          ...running.told,
          outcome,
          requeueAfter,
          error,
          stack,
          seconds: realSeconds(message, running.began),
        };
      }
    }
  }

  /** Those whose time has come; without one, it runs because of the reconcile before. */
  #takeCauses(key: string, now: number): readonly string[] {
    const queued = this.#queued.get(key) ?? new Map<string, number>();
    const due = [...queued].filter(([, since]) => since <= now + early).map(([cause]) => cause);
    for (const cause of due) queued.delete(cause);
    if (queued.size === 0) this.#queued.delete(key);
    const again = this.#again.get(key);
    this.#again.delete(key);
    return due.length > 0 || again === undefined ? due : [again];
  }

  /** The reconciles that ran when the process ended. */
  unfinished(): readonly RecordedReconcile[] {
    return [...this.#running.values()].map(({ told }) => ({ ...told, outcome: "unfinished" }));
  }
}

function keyOf({ controller, request }: { readonly controller: string; readonly request: string }): string {
  return `${controller} ${request}`;
}

/** The time of the operator's clock. */
function timeOf({ at, ahead = 0 }: OperatorMessage): number {
  return at + ahead;
}

/** How long something took that the operator's clock has measured, which may have been moved meanwhile. */
function realSeconds(
  message: OperatorMessage & { readonly seconds: number },
  began: OperatorMessage,
): number {
  if (message.ahead === began.ahead) return message.seconds;
  return Math.min(message.seconds, (message.at - began.at) / 1000);
}

/** What an operator's process tells, with the name of its channel and the time. */
type OperatorMessage = {
  readonly [Name in keyof ChannelMessages]: ChannelMessages[Name] & {
    readonly channel: Name;
    /** Milliseconds since 1970, by the real time. */
    readonly at: number;
    /** By how many milliseconds the operator's clock is ahead of that; absent if it was not moved. */
    readonly ahead?: number;
  };
}[keyof ChannelMessages];

type ToldSample = Extract<OperatorMessage, { readonly channel: "tsbuilder:sample" }>;

/** What a process sends for the record. */
interface SentMessages {
  readonly tsbuilder: readonly OperatorMessage[];
}

/** The compiler compares them with those of the runtime, which the CLI would take long to load. */
const channels = Object.keys({
  "tsbuilder:enqueue": true,
  "tsbuilder:reconcile:start": true,
  "tsbuilder:reconcile:end": true,
  "tsbuilder:request": true,
  "tsbuilder:sample": true,
} satisfies Record<keyof ChannelMessages, true>);

/**
 * The URL of a module that runs before an operator's bundle and sends what its runtime publishes to the parent process,
 * those of one turn of the event loop together. The operator's own code may send messages, too.
 */
export const subscriber = `data:text/javascript,${encodeURIComponent(`
  import { subscribe } from "node:diagnostics_channel";
  const { now } = Date;
  const clock = globalThis[Symbol.for("@tsbuilder/clock")];
  let messages = [];
  const send = () => {
    const told = messages;
    messages = [];
    if (told.length > 0 && process.connected) process.send({ tsbuilder: told }, () => {});
  };
  for (const channel of ${JSON.stringify(channels)}) {
    subscribe(channel, (message) => {
      const moved = clock?.ahead > 0 ? { ahead: clock.ahead } : {};
      if (messages.push({ ...message, channel, at: now(), ...moved }) === 1) setImmediate(send);
    });
  }
  process.on("exit", send);
`)}`;

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

/** Where what an operator tells is recorded. */
export interface OperatorRecord {
  append(reconciles: readonly RecordedReconcile[]): void;
  sample?(sample: RecordedSample): void;
}

/** Writes what one process of an operator tells into the record. One that can't be written is given up. */
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
  const take = (message: OperatorMessage): RecordedReconcile | undefined => {
    if (message.channel !== "tsbuilder:sample") return history.add(message);
    sample(recordedSample(message));
    return undefined;
  };
  return {
    message: (message) => {
      const told = (message as Partial<SentMessages> | null)?.tsbuilder;
      if (Array.isArray(told)) write(told.map(take).filter((one) => one !== undefined));
    },
    end: () => {
      write(history.unfinished());
      if (last) sample(sampleOfEnd(last));
    },
  };
}

function recordedSample(told: ToldSample): RecordedSample {
  const { controllers, cached, cachedBytes, blocked, blockedAgo, resident, heap, heapKept } = told;
  return {
    type: "sample",
    at: isoTime(told.at),
    since: isoTime(told.since),
    controllers,
    cached,
    cachedBytes,
    blocked,
    blockedUntil: blockedAgo === undefined ? undefined : isoTime(told.at - blockedAgo),
    resident,
    heap,
    heapKept,
  };
}

/** What is left when the process that sent a sample has ended. */
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
