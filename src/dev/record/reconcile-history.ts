import type { ReconcileEndMessage, ReconcileStartMessage, RequestMessage } from "@tsbuilder/runtime";
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
  readonly seconds?: number | undefined;
}

interface Running extends ReconcileStartMessage {
  readonly at: string;
  readonly causes: readonly string[];
  readonly requests: Omit<RequestMessage, "reconcileID">[];
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
        const since = Math.min(message.at + (message.after ?? 0), causes.get(message.cause) ?? Infinity);
        if (causes.size < mostCauses || causes.has(message.cause)) causes.set(message.cause, since);
        this.#queued.set(key, causes);
        return undefined;
      }
      case "tsbuilder:reconcile:start": {
        const key = keyOf(message);
        const causes = this.#takeCauses(key, message.at);
        const { controller, request, reconcileID } = message;
        const at = new Date(message.at).toISOString();
        this.#running.set(reconcileID, { at, controller, request, reconcileID, causes, requests: [] });
        return undefined;
      }
      case "tsbuilder:request": {
        const { reconcileID, method, path, code, seconds } = message;
        const requests = this.#running.get(reconcileID ?? "")?.requests;
        if (requests && requests.length < mostRequests) requests.push({ method, path, code, seconds });
        return undefined;
      }
      case "tsbuilder:reconcile:end": {
        const running = this.#running.get(message.reconcileID);
        if (!running) return undefined;
        this.#running.delete(message.reconcileID);
        const again = causeOfNext(message);
        if (again !== undefined) this.#again.set(keyOf(message), again);
        const { outcome, requeueAfter, error, seconds } = message;
        return { ...running, outcome, requeueAfter, error, seconds };
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
    return [...this.#running.values()].map((running) => ({ ...running, outcome: "unfinished" }));
  }
}

function keyOf({ controller, request }: { readonly controller: string; readonly request: string }): string {
  return `${controller} ${request}`;
}

function causeOfNext({ outcome, requeueAfter = 0 }: ReconcileEndMessage): string | undefined {
  switch (outcome) {
    case "done":
    case "terminal":
      return undefined;
    case "later":
      return `requeueAfter ${requeueAfter / 1000} s`;
    case "again":
      return "requeueAfter 0 s";
    case "conflict":
    case "error":
      return `retry after ${outcome}`;
  }
}
