/** What happens to one process or object. Processes are named `<operator>-<replica>`, such as `shop-0`. */
export type Fault =
  | CrashFault
  | RefusalFault
  | WatchFault
  /** Neither requests nor watches of the process come through from a time on, or only those for its Lease don't. */
  | { readonly fault: "cut" | "lease"; readonly process: string; readonly at: number; readonly for: number }
  /**
   * The process stands still, as when it is stopped by a signal, or collects garbage: nothing in it runs, and nothing
   * reaches it. Then everything that it missed comes at once.
   */
  | { readonly fault: "suspend"; readonly process: string; readonly at: number; readonly for: number }
  /** Its machine's date is wrong for a while. */
  | {
      readonly fault: "clock";
      readonly process: string;
      readonly at: number;
      readonly for: number;
      readonly by: number;
    }
  | ChildFault
  | WebhookFault
  /** Until then, the operator is its `former` version. */
  | { readonly fault: "upgrade"; readonly operator: string; readonly at: number };

/** The API server can't reach the webhooks of an operator for a while, or waits for their answers. */
export interface WebhookFault {
  readonly fault: "webhook";
  readonly operator: string;
  readonly at: number;
  readonly for: number;
  /** How many milliseconds each answer takes; one that takes longer than the API server waits is lost. Default: no answers. */
  readonly delay?: number;
}

/** Somebody deletes or overwrites the n-th object that the operators created, or deletes it and creates it again. */
export interface ChildFault {
  readonly fault: "delete-child" | "edit-child" | "recreate-child";
  readonly child: number;
  readonly at: number;
}

/** A process dies when it sends a write, and starts again. */
export interface CrashFault {
  readonly fault: "crash";
  readonly process: string;
  /** Which of its writes, counted from 1. */
  readonly write: number;
  /** `before` the server gets the write, `at` the server but before the answer, or `after` the answer. */
  readonly when: "before" | "at" | "after";
  /** Milliseconds until it starts again. */
  readonly down: number;
  /** By how many milliseconds the first view of the next process lags behind. */
  readonly lag?: number;
}

/** A request isn't answered as it should be. */
export interface RefusalFault {
  readonly fault: "refuse";
  /** One that isn't an operator's: `controllers` for those of the scenario, whose writes count. */
  readonly process: string;
  /** Which of its requests, counted from 1; watches don't count. */
  readonly request: number;
  readonly with: "conflict" | "too-many" | "error" | "time-out" | "reset";
  /** Whether the server had done it. A conflict never has. */
  readonly done: boolean;
}

/** The watches of a process fall behind, or break. */
export interface WatchFault {
  readonly fault: "hold" | "break" | "expire";
  readonly process: string;
  readonly at: number;
  /** How long events are held, or how long the server can't be watched. */
  readonly for: number;
}
