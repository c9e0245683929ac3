/** The parts of a run: the steps, a restart of all processes, and the deletion of what the steps created. */
export type Phase = "steps" | "restart" | "deletion";

/** One line of what happened. All of it is decided by the scenario and the seed. */
export type TraceEvent = { readonly at: number } & (
  | { readonly type: "start" | "died" | "leads"; readonly process: string }
  /** The Lease of a process that shares the objects claims these shards from now on; none once it is deleted. */
  | { readonly type: "claims"; readonly process: string; readonly lease: string; readonly claims: string }
  /** A part of the run is over; whether the operators rest, and which of them still work if they don't. */
  | {
      readonly type: "phase";
      readonly phase: Phase;
      readonly rests: boolean;
      readonly busy?: readonly string[];
    }
  | { readonly type: "promise"; readonly name: string; readonly promise: "always" | "never" | "eventually" }
  | { readonly type: "fault"; readonly text: string }
  | { readonly type: "step"; readonly text: string; readonly status: number }
  | {
      readonly type: "request";
      readonly process: string;
      readonly method: string;
      readonly path: string;
      readonly body?: string | undefined;
      /** The object that it writes: `ConfigMap.v1 default/shop`. */
      readonly object?: string;
      /** What the server answered; 0 if the process never learned of it. */
      /** 0 if there was no answer; it comes when the client stops waiting. */
      readonly status: number;
    }
  /** The API server called a webhook. */
  | {
      readonly type: "webhook";
      /** Which process it reached. */
      readonly process: string | undefined;
      readonly path: string;
      /** 0 if there was no answer. */
      readonly status: number;
    }
  | {
      readonly type: "watch";
      readonly process: string;
      readonly path: string;
      readonly event: string;
      readonly key: string;
    }
  | {
      readonly type: "change";
      readonly by: string;
      readonly change: "ADDED" | "MODIFIED" | "DELETED";
      readonly resource: string;
      readonly key: string;
      readonly uid: string;
      /** The fields that differ from before; the finalizers if their removal deleted it. */
      readonly fields: readonly string[];
      /** The uid of its controller, before and after. */
      readonly owners: readonly [before: string | undefined, after: string | undefined];
    }
  | {
      readonly type: "log";
      readonly process: string;
      readonly level: "warn" | "error";
      readonly message: string;
      readonly error?: string | undefined;
      readonly object?: string | undefined;
    }
);
