import type { AdmissionCall, ClusterWrite, ConversionCall } from "@tsbuilder/cluster";
import type {
  KubernetesObject,
  ReconcileEndMessage,
  ReconcileStartMessage,
  RequestMessage,
  SampleMessage,
} from "@tsbuilder/runtime";

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
  /** The stack of the error, with the files and lines of the project's sources. */
  readonly stack?: string | undefined;
  readonly seconds?: number | undefined;
}

/** How the operator's process does. Once it has ended, all numbers are 0. */
export interface RecordedSample extends Omit<SampleMessage, "since" | "blockedAgo"> {
  readonly type: "sample";
  readonly at: string;
  /** When its manager started: another time is another process. */
  readonly since: string;
  readonly blockedUntil?: string | undefined;
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

/** What the lines of all webhook calls have. */
interface Call {
  readonly type: "webhook";
  /** When it began. */
  readonly at: string;
  readonly seconds: number;
}

type Bodies = "object" | "oldObject" | "answer";

/** A call of an admission webhook, with objects, patch and texts without what Secrets hold. */
export interface RecordedAdmission
  extends Call, Omit<AdmissionCall, "type" | "at" | "milliseconds" | Bodies> {
  readonly call: AdmissionCall["type"];
  readonly object?: KubernetesObject | undefined;
  readonly oldObject?: KubernetesObject | undefined;
  readonly answer?: AdmissionCall["answer"];
  /** What was too large to be recorded. */
  readonly omitted?: readonly ("object" | "oldObject" | "patch")[] | undefined;
}

/** A call of a conversion webhook. */
export interface RecordedConversion
  extends Call, Omit<ConversionCall, "type" | "at" | "milliseconds" | "objects" | "converted"> {
  readonly call: "conversion";
  /** How many objects were to be converted. */
  readonly count: number;
  /** The first ones, but for what was too large. */
  readonly objects: readonly KubernetesObject[];
  readonly converted?: readonly KubernetesObject[] | undefined;
}

/** A call of a webhook. */
export type RecordedCall = RecordedAdmission | RecordedConversion;

/** The places of the objects that a call is about. */
export function placesOfCall(call: RecordedCall): readonly string[] {
  return keysOfCall(call).map((key) => placeName({ resource: call.resource, key }));
}

/** Where objects of one name are in a record: `statefulsets.apps default/db`. */
export function placeName({ resource, key }: { readonly resource: string; readonly key: string }): string {
  return `${resource} ${key}`;
}

/** The resources of Events, which are of two groups. */
export const eventResources: ReadonlySet<string> = new Set(["events", "events.events.k8s.io"]);

/** The objects that a call is about, such as `default/db`. */
export function keysOfCall(call: RecordedCall): readonly string[] {
  if (call.call !== "conversion") return [call.key];
  return call.objects.map(({ metadata: { namespace, name = "" } }) =>
    namespace === undefined ? name : `${namespace}/${name}`,
  );
}

/** When a reconcile ended, in milliseconds since 1970; of one that did not, when it began. */
export function endedAt({ at, seconds = 0 }: Pick<RecordedReconcile, "at" | "seconds">): number {
  return Date.parse(at) + seconds * 1000;
}
