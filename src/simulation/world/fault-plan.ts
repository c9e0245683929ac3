import type {
  CallFault,
  CrashFault,
  Fault,
  Phase,
  RefusalFault,
  SimulatedOperator,
  WebhookFault,
} from "../contract/index.ts";
import type { ReleaseName } from "../contract/run.ts";

/** The number of writes, requests and calls that a process has made. */
interface Counts {
  readonly name: string;
  readonly writes: number;
  readonly requests: number;
  readonly externalCalls: number;
  readonly writesOfKind: ReadonlyMap<string, number>;
}

/** The faults of a run. The network asks for those that strike a request; `simulate.ts` carries out the others. */
export class FaultPlan {
  /** The faults of the phases that have begun. Their times and numbers count from the start of the run. */
  readonly #faults: Fault[];
  /** The faults as the scenario gives them, by those. */
  readonly #given = new Map<Fault, Fault>();
  readonly #later: readonly Fault[];

  constructor(faults: readonly Fault[]) {
    // The cluster's controllers write before the first step.
    this.#faults = faults.filter((fault) => fault.in === undefined);
    this.#later = faults.filter((fault) => fault.in !== undefined);
    for (const entry of faults)
      if (entry.fault === "refuse" && entry.process === "controllers" && !(entry.with in refusalAnswers))
        throw new TypeError(
          `a write of the cluster's controllers can't end with ${entry.with}: no network lies between them and the server. Use ${Object.keys(refusalAnswers).join(", ")}`,
        );
  }

  /** Lets the faults of a phase count from now on. Returns those that strike at a given time, and not at a request. */
  begin(phase: Phase, now: number, processes: readonly Counts[]): readonly TimedFault[] {
    if (phase === "steps") return this.timed;
    const begun = this.#later.filter((fault) => fault.in === phase);
    const placed = begun.map((fault) => place(fault, now, processes));
    for (const [index, fault] of placed.entries()) this.#given.set(fault, begun[index]!);
    this.#faults.push(...placed);
    return placed.filter(isTimed);
  }

  /** Describes a fault as the scenario gives it. */
  textOf(fault: Fault): string {
    return faultText(this.#given.get(fault) ?? fault);
  }

  /** Returns the crash of a process at its write of this number, counted from 1, or of this number among those of its kind. */
  crashAt(
    process: string,
    write: number,
    { kind, number }: { readonly kind: string; readonly number: number },
  ): CrashFault | undefined {
    return this.#ofKind("crash").find(
      (entry) =>
        entry.process === process &&
        "write" in entry &&
        (entry.kind === undefined ? entry.write === write : entry.kind === kind && entry.write === number),
    );
  }

  /** Returns the crash of a process at its call of this number of an external system, counted from 1. */
  crashAtCall(process: string, call: number): CrashFault | undefined {
    return this.#ofKind("crash").find(
      (entry) => entry.process === process && "call" in entry && entry.call === call,
    );
  }

  /** Returns the failure of a process's call of an external system, by its number, counted from 1, or its kind. */
  callFault(process: string, call: number, kind: string, now: number): CallFault | undefined {
    return this.#ofKind("call").find(
      (entry) =>
        entry.process === process &&
        ("call" in entry ? entry.call === call : entry.calls === kind && isActive(entry, now)),
    );
  }

  /** Returns the refusal of a process's request, by its number, counted from 1, or its kind. */
  refusalOf(process: string, request: number, kind = "", now = 0): RefusalFault | undefined {
    return this.#ofKind("refuse").find(
      (entry) =>
        entry.process === process &&
        ("request" in entry ? entry.request === request : entry.requests === kind && isActive(entry, now)),
    );
  }

  /** `cut`: nothing gets to or from a process now. `lease`: it can't reach its Lease. `break`: its watches are refused. */
  isUnder(fault: "cut" | "lease" | "break", process: string, now: number): boolean {
    return this.#faults.some(
      (entry) => entry.fault === fault && entry.process === process && isActive(entry, now),
    );
  }

  /** Returns what is wrong with the webhooks of an operator now. */
  webhookFault(operator: string, now: number): WebhookFault | undefined {
    return this.#ofKind("webhook").find((entry) => entry.operator === operator && isActive(entry, now));
  }

  /** Returns the time until which no events of a resource reach a process, whatever the fault; 0 if they do. */
  heldUntil(process: string, resource: string, now: number): number {
    const ends = this.#faults.flatMap((entry) =>
      (entry.fault === "hold" || entry.fault === "expire" || entry.fault === "cut") &&
      entry.process === process &&
      (!("of" in entry) || entry.of === resource) &&
      isActive(entry, now)
        ? [entry.at + entry.for]
        : [],
    );
    return Math.max(0, ...ends);
  }

  /** Returns the release that an operator is at a time. */
  releaseOf({ name, former, next }: SimulatedOperator, now: number): ReleaseName {
    const isOf = (entry: { readonly operator: string }): boolean => entry.operator === name;
    if (former && this.#ofKind("upgrade").some((entry) => isOf(entry) && now < entry.at)) return "former";
    if (next && this.#ofKind("rollback").some((entry) => isOf(entry) && isActive(entry, now))) return "next";
    return "present";
  }

  /** The time from which all operators are the scenario's own releases. No run ends before it: the outcome of others is of no interest. */
  get lastInstall(): number {
    return Math.max(
      0,
      ...this.#ofKind("upgrade").map(({ at }) => at),
      ...this.#ofKind("rollback").map((entry) => entry.at + entry.for),
    );
  }

  /** The faults of the phases that have begun, and that strike at a given time. */
  get timed(): readonly TimedFault[] {
    return this.#faults.filter(isTimed);
  }

  #ofKind<Kind extends Fault["fault"]>(kind: Kind) {
    return this.#faults.filter((entry): entry is Extract<Fault, { fault: Kind }> => entry.fault === kind);
  }
}

export type TimedFault = Fault & { readonly at: number };

function isTimed(fault: Fault): fault is TimedFault {
  return "at" in fault;
}

/** Returns a fault whose times and numbers count from the start of the run. */
function place(fault: Fault, now: number, processes: readonly Counts[]): Fault {
  if ("at" in fault) return { ...fault, at: fault.at + now };
  const counts = processes.find(({ name }) => name === fault.process);
  if (!counts) return fault;
  if ("write" in fault) {
    const before = fault.kind === undefined ? counts.writes : (counts.writesOfKind.get(fault.kind) ?? 0);
    return { ...fault, write: fault.write + before };
  }
  if ("request" in fault) return { ...fault, request: fault.request + counts.requests };
  return { ...fault, call: fault.call + counts.externalCalls };
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
  const { in: phase } = fault;
  return phase === undefined ? disturbanceText(fault) : `in the ${phase}, ${disturbanceText(fault)}`;
}

function disturbanceText(fault: Fault): string {
  switch (fault.fault) {
    case "crash": {
      const view = fault.of === undefined ? "a view" : `a view of ${fault.of}`;
      const lag = fault.lag ? `, with ${view} that lags by ${fault.lag} ms` : "";
      const when = { before: "before the server gets", at: "while the server answers", after: "after" }[
        fault.when
      ];
      const kind = "kind" in fault ? ` by ${fault.kind}` : "";
      const request = "write" in fault ? `write ${fault.write}${kind}` : `call ${fault.call}`;
      return `${fault.process} dies ${when} its ${request}, and starts again after ${fault.down} ms${lag}`;
    }
    case "refuse": {
      const done = fault.done ? ", although it was done" : "";
      if ("requests" in fault)
        return `each ${fault.requests} of ${fault.process} ends with ${fault.with} for ${fault.for} ms${done}`;
      const what =
        fault.process === "controllers"
          ? `write ${fault.request} of the cluster's controllers`
          : `request ${fault.request} of ${fault.process}`;
      return `${what} ends with ${fault.with}${done}`;
    }
    case "call": {
      const done = fault.done ? ", although it was done" : "";
      return "calls" in fault
        ? `each call ${fault.calls} of ${fault.process} ends with ${fault.with} for ${fault.for} ms${done}`
        : `call ${fault.call} of ${fault.process} ends with ${fault.with}${done}`;
    }
    case "hold":
      return `events${fault.of === undefined ? "" : ` of ${fault.of}`} for ${fault.process} are held for ${fault.for} ms`;
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
    case "rollback":
      return `${fault.operator} is upgraded, and rolled back after ${fault.for} ms`;
  }
}
