import type { ReconcileEndMessage, ReconcileStartMessage, RequestMessage } from "@tsbuilder/runtime";
import { causeOfRequeue } from "./causes.ts";
import type { OperatorMessage, ToldSample } from "./subscriber.ts";

/** Why a reconcile ran, what it requested, and how it ended. */
export interface RecordedReconcile extends ReconcileStartMessage {
  /** When it began. */
  readonly at: string;
  readonly outcome: ReconcileEndMessage["outcome"] | "unfinished";
  /** What put the request into the queue since the reconcile before; at most ten. */
  readonly causes: readonly string[];
  /** At most 100. What was read from the cache is not among them. */
  readonly requests: readonly Omit<RequestMessage, "reconcileID">[];
  /** Milliseconds until it runs again, if it asked for that. */
  readonly requeueAfter?: number | undefined;
  readonly error?: string | undefined;
  /** The stack of the error, with the files and lines of the project's sources. */
  readonly stack?: string | undefined;
  readonly seconds?: number | undefined;
}

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
