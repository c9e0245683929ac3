import type { ClusterWrite } from "@tsbuilder/cluster";
import type { KubernetesObject } from "@tsbuilder/runtime";
import type { RecordedCall } from "./recorded-call.ts";
import type { RecordedReconcile } from "./reconcile-history.ts";
import type { RecordedSample } from "./recorded-sample.ts";

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

/** The program of what a page writes. */
export const pageAgent = "tsbuilder-page";

/** A line of the operator's output, or what dev said. */
export interface RecordedText {
  readonly type: "operator" | "dev";
  readonly at: string;
  readonly text: string;
}

/** Something that somebody did on the page. */
export interface RecordedAction {
  readonly type: "action";
  /** When it began. */
  readonly at: string;
  /** Such as `restart`. */
  readonly name: string;
  /** What it was about, without objects. */
  readonly input: Readonly<Record<string, string | number | boolean>>;
  readonly outcome: "done" | "refused";
  readonly seconds: number;
  /** Why it was refused. */
  readonly error?: string | undefined;
}

/** A request of the operator that failed or waited because the page asked for it. */
export interface RecordedFault {
  readonly type: "fault";
  readonly at: string;
  readonly verb: string;
  /** Plural and group, and the subresource: `mysqls.apps.example.com/status`. */
  readonly resource: string;
  /** The code with which it was answered. */
  readonly code?: number | undefined;
  /** The milliseconds that it waited. */
  readonly delay?: number | undefined;
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
  | RecordedSample
  | RecordedCall
  | RecordedText
  | RecordedAction
  | RecordedFault
  | RecordedEnd;
