import type { RecordedReconcile, RecordedSample } from "./record/recorded.ts";

/** An event in a development session, for the view to show. */
export type DevEvent =
  /** An action of dev itself. */
  | { readonly type: "info"; readonly text: string }
  /** A problem to fix; the session goes on. */
  | { readonly type: "error"; readonly error: unknown }
  /** Something begins anew, or is back: problems that were reported before it may be over. */
  | { readonly type: "again"; readonly what: "reload" | "operator" | "cluster" }
  /** A line of the operator's output. */
  | { readonly type: "operator"; readonly line: string }
  /** A reconcile of the operator that has ended. */
  | { readonly type: "reconcile"; readonly reconcile: RecordedReconcile }
  /** How the operator's process does. */
  | { readonly type: "sample"; readonly sample: RecordedSample }
  /** The current state of an object of one of the project's kinds. */
  | { readonly type: "object"; readonly object: ShownObject };

/** An object as shown on the screen. */
export interface ShownObject {
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly isDeleted: boolean;
  readonly conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason?: string;
  }[];
  /** The object before and after the change, for a diff. */
  readonly now: string;
  readonly before: string | undefined;
}

/** Receives the events of a session. */
export type Report = (event: DevEvent) => void;
