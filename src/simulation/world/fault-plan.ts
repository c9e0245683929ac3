import type { CallFault, CrashFault, Fault, RefusalFault, WebhookFault } from "../contract/index.ts";

/** The faults of a run. The network asks for those that strike a request; `simulate.ts` carries out the others. */
export class FaultPlan {
  readonly #faults: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    this.#faults = faults;
    for (const entry of faults)
      if (entry.fault === "refuse" && entry.process === "controllers" && !(entry.with in refusalAnswers))
        throw new TypeError(
          `a write of the cluster's controllers can't end with ${entry.with}: no network lies between them and the server. Use ${Object.keys(refusalAnswers).join(", ")}`,
        );
  }

  /** Returns the crash of a process at its write of this number, counted from 1. */
  crashAt(process: string, write: number): CrashFault | undefined {
    return this.#all("crash").find(
      (entry) => entry.process === process && "write" in entry && entry.write === write,
    );
  }

  /** Returns the crash of a process at its call of this number of an external system, counted from 1. */
  crashAtCall(process: string, call: number): CrashFault | undefined {
    return this.#all("crash").find(
      (entry) => entry.process === process && "call" in entry && entry.call === call,
    );
  }

  /** Returns the failure of a process's call of this number of an external system, counted from 1. */
  callFault(process: string, call: number): CallFault | undefined {
    return this.#all("call").find((entry) => entry.process === process && entry.call === call);
  }

  /** Returns the refusal of a process's request of this number, counted from 1. */
  refusalOf(process: string, request: number): RefusalFault | undefined {
    return this.#all("refuse").find((entry) => entry.process === process && entry.request === request);
  }

  /** `cut`: nothing gets to or from a process now. `lease`: it can't reach its Lease. `break`: its watches are refused. */
  isUnder(fault: "cut" | "lease" | "break", process: string, now: number): boolean {
    return this.#faults.some(
      (entry) => entry.fault === fault && entry.process === process && isActive(entry, now),
    );
  }

  /** Returns what is wrong with the webhooks of an operator now. */
  webhookFault(operator: string, now: number): WebhookFault | undefined {
    return this.#all("webhook").find((entry) => entry.operator === operator && isActive(entry, now));
  }

  /** Returns the time until which no events reach a process, whatever the fault; 0 if they do. */
  heldUntil(process: string, now: number): number {
    const ends = this.#faults.flatMap((entry) =>
      (entry.fault === "hold" || entry.fault === "expire" || entry.fault === "cut") &&
      entry.process === process &&
      isActive(entry, now)
        ? [entry.at + entry.for]
        : [],
    );
    return Math.max(0, ...ends);
  }

  /** Returns the time at which an operator is upgraded; 0 if it runs its present version from the start. */
  upgradeOf(operator: string): number {
    return this.#all("upgrade").find((entry) => entry.operator === operator)?.at ?? 0;
  }

  /** The time of the last upgrade. No run ends before it: the outcome of a former version is of no interest. */
  get lastUpgrade(): number {
    return Math.max(0, ...this.#all("upgrade").map(({ at }) => at));
  }

  /** The faults that strike at a given time, and not at a request. */
  get timed(): ReadonlyArray<Fault & { readonly at: number }> {
    return this.#faults.filter((entry): entry is Fault & { readonly at: number } => "at" in entry);
  }

  #all<Kind extends Fault["fault"]>(kind: Kind) {
    return this.#faults.filter((entry): entry is Extract<Fault, { fault: Kind }> => entry.fault === kind);
  }
}

function isActive(fault: { readonly at: number; readonly for: number }, now: number): boolean {
  return fault.at <= now && now < fault.at + fault.for;
}

/** The server's answers to requests that it refuses: status, reason, message and headers. */
export const refusalAnswers = {
  conflict: [
    409,
    "Conflict",
    "the object has been modified; please apply your changes to the latest version and try again",
    {},
  ],
  // As an API server's, the answer says when to try again, so that clients do so by themselves.
  "too-many": [429, "TooManyRequests", "the server has received too many requests", { "retry-after": "1" }],
  error: [500, "InternalError", "etcdserver: request timed out", {}],
} as const;

/** Describes a fault in a few words. */
export function faultText(fault: Fault): string {
  switch (fault.fault) {
    case "crash": {
      const lag = fault.lag ? `, with a view that lags by ${fault.lag} ms` : "";
      const when = { before: "before the server gets", at: "while the server answers", after: "after" }[
        fault.when
      ];
      const request = "write" in fault ? `write ${fault.write}` : `call ${fault.call}`;
      return `${fault.process} dies ${when} its ${request}, and starts again after ${fault.down} ms${lag}`;
    }
    case "refuse": {
      const what =
        fault.process === "controllers"
          ? `write ${fault.request} of the cluster's controllers`
          : `request ${fault.request} of ${fault.process}`;
      return `${what} ends with ${fault.with}${fault.done ? ", although it was done" : ""}`;
    }
    case "call":
      return `call ${fault.call} of ${fault.process} ends with ${fault.with}${fault.done ? ", although it was done" : ""}`;
    case "hold":
      return `events for ${fault.process} are held for ${fault.for} ms`;
    case "break":
      return `the watches of ${fault.process} break, for ${fault.for} ms`;
    case "expire":
      return `${fault.process} misses the events of ${fault.for} ms, and lists again`;
    case "cut":
      return `${fault.process} is cut off for ${fault.for} ms`;
    case "lease":
      return `${fault.process} can't renew its Lease for ${fault.for} ms`;
    case "suspend":
      return `${fault.process} stands still for ${fault.for} ms`;
    case "clock":
      return `the date of ${fault.process} is wrong by ${fault.by} ms for ${fault.for} ms`;
    case "delete-child":
      return `somebody deletes object ${fault.child} that the operators created`;
    case "edit-child":
      return `somebody overwrites object ${fault.child} that the operators created`;
    case "recreate-child":
      return `somebody deletes object ${fault.child} that the operators created, and creates it again`;
    case "pod": {
      const what = {
        crash: "crashes",
        oom: "is killed for want of memory",
        unready: "isn't ready",
        evict: "is evicted",
      }[fault.how];
      return `pod ${fault.pod} ${what}, for ${fault.for} ms`;
    }
    case "node":
      return `the node can't be reached for ${fault.for} ms`;
    case "webhook":
      return fault.delay === undefined
        ? `the webhooks of ${fault.operator} can't be reached for ${fault.for} ms`
        : `for ${fault.for} ms, the webhooks of ${fault.operator} take ${fault.delay} ms to answer`;
    case "upgrade":
      return `${fault.operator} is upgraded`;
  }
}
