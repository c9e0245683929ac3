/**
 * A disturbance of one process, or of one object. Processes are named `<operator>-<replica>`, such as `shop-0`. All
 * times are virtual milliseconds: `at` counts from the start of the run, `for` is a duration.
 */
export type Fault = Disturbance & {
  /** Times and the numbers of writes, requests and calls count from the beginning of this phase. Default: the start of the run. */
  readonly in?: "months" | "deletion";
};

type Disturbance =
  | CrashFault
  | RefusalFault
  | CallFault
  | WatchFault
  /** `cut`: no request and no event gets through. `lease`: only requests for the process's Lease don't. */
  | { readonly fault: "cut" | "lease"; readonly process: string; readonly at: number; readonly for: number }
  /**
   * The process is paused, as by SIGSTOP or a long garbage collection: none of its code runs, and nothing reaches it.
   * Afterwards, everything that it missed arrives at once.
   */
  | { readonly fault: "suspend"; readonly process: string; readonly at: number; readonly for: number }
  /** The date of the process's machine is off by `by` milliseconds. Timers are not affected. */
  | {
      readonly fault: "clock";
      readonly process: string;
      readonly at: number;
      readonly for: number;
      readonly by: number;
    }
  | ChildFault
  | PodFault
  | NodeFault
  | WebhookFault
  | ReleaseFault;

/** An operator changes its release. */
export type ReleaseFault =
  /** It is its `former` release until `at`, and is upgraded then. */
  | { readonly fault: "upgrade"; readonly operator: string; readonly at: number }
  /** It is upgraded to its `next` release at `at`, and rolled back afterwards. */
  | {
      readonly fault: "rollback";
      readonly operator: string;
      readonly at: number;
      readonly for: number;
    };

/** The API server gets late answers from the webhooks of an operator, or none. */
export interface WebhookFault {
  readonly fault: "webhook";
  readonly operator: string;
  readonly at: number;
  readonly for: number;
  /** Milliseconds that each answer takes; an answer after the webhook's timeout is lost. Default: there are no answers. */
  readonly delay?: number;
}

/** A user deletes, overwrites, or deletes and recreates an object of an operator. */
export interface ChildFault {
  readonly fault: "delete-child" | "edit-child" | "recreate-child";
  /** The index of the object among those that the operators have created, counted from 0. */
  readonly child: number;
  readonly at: number;
}

/** Something happens to a running pod. Only scenarios with the cluster's `kubelet` have any. */
export interface PodFault {
  readonly fault: "pod";
  /** The index of the pod among all that were created, counted from 0. */
  readonly pod: number;
  /**
   * `crash`, `oom`: its containers end with an error, or for want of memory, and start again; a pod that must not restart fails.
   * `unready`: its probes fail. `evict`: somebody drains its node.
   */
  readonly how: "crash" | "oom" | "unready" | "evict";
  readonly at: number;
  /** Milliseconds for which it isn't ready; for which its eviction is tried again if a disruption budget refuses it. */
  readonly for: number;
}

/**
 * The node can't be reached for a while: its pods aren't ready and don't change, and after five minutes they are evicted. Only
 * scenarios with the cluster's controller `node` have one.
 */
export interface NodeFault {
  readonly fault: "node";
  readonly at: number;
  readonly for: number;
}

/** A process dies when it sends a write, or calls an external system, and starts again. */
export type CrashFault = Death &
  (
    | {
        /** The number of the write among those of the process, counted from 1. */
        readonly write: number;
        /** Only writes of this kind count, such as `PATCH ConfigMap`: what a process of its own tries again moves all numbers. Default: all. */
        readonly kind?: string;
      }
    | {
        /** The number of the call among those of the process, counted from 1. */
        readonly call: number;
      }
  );

interface Death {
  readonly fault: "crash";
  readonly process: string;
  /** `before` the server gets the request, `at` the server but before the answer, or `after` the answer. */
  readonly when: "before" | "at" | "after";
  /** Milliseconds until the process starts again. */
  readonly down: number;
  /** Milliseconds by which the first lists of the restarted process are out of date. */
  readonly lag?: number;
  /** The only resource whose lists are, such as `shops`: servers keep a cache of each. Default: all. */
  readonly of?: string;
}

/** A request fails, or all requests of a kind do for a while. */
export type RefusalFault = {
  readonly fault: "refuse";
  /** The process that sends the request; `controllers` for the scenario's controllers of the cluster. */
  readonly process: string;
  readonly with: "conflict" | "too-many" | "error" | "time-out" | "reset";
  /** The server carried the request out before it failed. Never true of a conflict. */
  readonly done: boolean;
} & (
  | {
      /** The number of the request, counted from 1; watches don't count. For `controllers`, only writes count. */
      readonly request: number;
    }
  | (While & {
      /** The kind of the requests: `PATCH ConfigMap`, `GET Shop`, `PATCH Shop/status`. Not for `controllers`. */
      readonly requests: string;
    })
);

interface While {
  readonly at: number;
  readonly for: number;
}

/** A call of an external system fails, which is a `fetch()` or a command in a container, or all calls of a kind do for a while. */
export type CallFault = {
  readonly fault: "call";
  readonly process: string;
  /**
   * `refused`: no connection. `reset`: it breaks. `time-out`: no answer ever comes. `too-many`: 429, with a `Retry-After`
   * of a second. `error`: 500. `garbage`: 200, with a page of a proxy for a body. `slow`: the answer takes half a minute.
   * A command ends with exit code 1 for `too-many`, `error` and `garbage`.
   */
  readonly with: "refused" | "reset" | "time-out" | "too-many" | "error" | "garbage" | "slow";
  /** The system did what was asked before it failed. Never true of `refused` and `too-many`, always of `slow`. */
  readonly done: boolean;
} & (
  | {
      /** The number of the call among those of the process, counted from 1. */
      readonly call: number;
    }
  | (While & {
      /** The kind of the calls, which is the method or the program, and the system: `DELETE dns`, `psql servers`. */
      readonly calls: string;
    })
);

/** The watches of a process fall behind (`hold`), break (`break`), or lose events and must list again (`expire`). */
export interface WatchFault {
  readonly fault: "hold" | "break" | "expire";
  readonly process: string;
  readonly at: number;
  /** The milliseconds for which events are held, or for which the server refuses watches. */
  readonly for: number;
  /** The only resource whose events are held, such as `shops`: each has a watch of its own. Not for others than `hold`. Default: all. */
  readonly of?: string;
}
