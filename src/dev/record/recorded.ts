import type { ClusterWrite } from "@tsbuilder/cluster";
import type { KubernetesObject } from "@tsbuilder/runtime";
import type { RecordedCall } from "./recorded-call.ts";
import type { RecordedReconcile } from "./reconcile-history.ts";

/** The version of the format: other ones are refused. */
export const format = 1;

/** The first line of a record. */
export interface RecordedSession {
  readonly type: "session";
  readonly format: number;
  readonly at: string;
  readonly project: string;
  readonly tsbuilder: string;
}

/** A write to the embedded cluster. */
export interface RecordedWrite extends Pick<ClusterWrite, "resource" | "key" | "by"> {
  readonly type: "write";
  readonly at: string;
  readonly write: ClusterWrite["type"];
  /** Of a Secret without its values. */
  readonly object: KubernetesObject;
}

/** The user of the writes by which a page brings the cluster back to a moment. */
export const restorer = "system:tsbuilder:restore";

/** A line of the operator's output, or what dev said. */
export interface RecordedText {
  readonly type: "operator" | "dev";
  readonly at: string;
  readonly text: string;
}

/** The file has as much as it may; nothing follows. */
export interface RecordedEnd {
  readonly type: "full";
  readonly at: string;
}

/** What happened, in the order in which it ended. */
export type Recorded =
  | RecordedWrite
  | (RecordedReconcile & { readonly type: "reconcile" })
  | RecordedCall
  | RecordedText
  | RecordedEnd;
