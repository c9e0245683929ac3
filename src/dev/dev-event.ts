import type { Finding } from "./record/findings/finding.ts";
import type { RecordedReconcile, RecordedSample } from "./record/recorded.ts";

/** An event in a development session, for a view to show. */
export type DevEvent =
  /** An action of dev itself. */
  | { readonly type: "info"; readonly text: string }
  /** A problem to fix; the session goes on. */
  | { readonly type: "error"; readonly error: unknown }
  /** A reload or a restart begins, or the cluster is back: problems that were reported before may be solved. */
  | { readonly type: "again"; readonly what: "reload" | "operator" | "cluster" }
  /** A line of the operator's output. */
  | { readonly type: "operator"; readonly line: string }
  /** A reconcile of the operator has begun. */
  | { readonly type: "began"; readonly reconcile: BegunReconcile }
  /** A reconcile of the operator that has ended. */
  | { readonly type: "reconcile"; readonly reconcile: RecordedReconcile }
  /** A sample of the operator's process. */
  | { readonly type: "sample"; readonly sample: RecordedSample }
  /** The probable mistakes that the record shows so far. */
  | { readonly type: "findings"; readonly findings: readonly Finding[] }
  /** The current state of an object of one of the project's kinds. */
  | { readonly type: "object"; readonly object: ShownObject };

export type BegunReconcile = Pick<RecordedReconcile, "controller" | "request" | "reconcileID" | "groupedBy">;

/** An object as shown on the screen. */
export interface ShownObject {
  readonly kind: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly uid: string | undefined;
  readonly isDeleted: boolean;
  readonly conditions: readonly {
    readonly type: string;
    readonly status: string;
    readonly reason?: string;
  }[];
  /** The object before the change as YAML, for a diff; undefined if it was not reported yet. */
  readonly before: string | undefined;
  /** The object after the change as YAML. */
  readonly now: string;
}

/** Receives the events of a session. */
export type Report = (event: DevEvent) => void;
