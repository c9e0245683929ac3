// The format of records: a session is lines of JSON, first a `RecordedSession`, then a `Recorded` for each thing that happened.
// `session-recording.ts` writes them, `read-recording.ts` reads a file; the page reads them over HTTP.

import type { AdmissionCall, ClusterWrite, ConversionCall } from "@tsbuilder/cluster";
import type { KubernetesObject } from "@tsbuilder/runtime";
import type {
  ReconcileEndMessage,
  ReconcileStartMessage,
  RequestMessage,
  SampleMessage,
} from "@tsbuilder/runtime/advanced";

/** The version of the format. Records of other versions are refused. */
export const format = 1;

/** The first line of a record. */
export interface RecordedSession {
  readonly type: "session";
  readonly format: number;
  readonly at: string;
  readonly project: string;
  readonly tsbuilder: string;
}

/** A line of a record after the first. Lines are in the order in which things ended. */
export type Recorded =
  | RecordedWrite
  | (RecordedReconcile & { readonly type: "reconcile" })
  | RecordedSample
  | RecordedCall
  | RecordedText
  | RecordedAction
  | RecordedFault
  | RecordedEnd;

/** A write to the embedded cluster. */
export interface RecordedWrite extends Pick<ClusterWrite, "resource" | "key" | "by"> {
  readonly type: "write";
  readonly at: string;
  readonly write: ClusterWrite["type"];
  /** The object after the write; a Secret without its values. */
  readonly object: KubernetesObject;
}

/** The user of the writes that restore an earlier state of the cluster. */
export const restorer = "system:tsbuilder:restore";

/** The user agent of the page's writes. */
export const pageAgent = "tsbuilder-page";

/** A request of a reconcile. */
export interface RecordedRequest extends Omit<RequestMessage, "reconcileID" | "body"> {
  /** The body of a failed request, without values of Secrets; undefined if it is large. */
  readonly body?: string | undefined;
}

/** A reconcile: its causes, its requests and its outcome. */
export interface RecordedReconcile extends ReconcileStartMessage {
  /**
   * By what the API server told which requests belong together, for an operator whose runtime tells nothing: their time, or the trace
   * that the client sent. Then the causes are unknown, what came from a cache doesn't show, and the outcome is that of the requests.
   */
  readonly groupedBy?: "time" | "trace" | undefined;
  /** The time of its start. */
  readonly at: string;
  readonly outcome: ReconcileEndMessage["outcome"] | "unfinished";
  /** At most ten causes that queued the request since the reconcile before: `update of StatefulSet default/db`. */
  readonly causes: readonly string[];
  /** At most 100 requests to the API server; reads from the cache cause none. */
  readonly requests: readonly RecordedRequest[];
  /** The milliseconds after which the reconcile asked to run again. */
  readonly requeueAfter?: number | undefined;
  readonly error?: string | undefined;
  /** The stack of the error, mapped to the project's sources. */
  readonly stack?: string | undefined;
  readonly seconds?: number | undefined;
}

/** A sample of the operator's process. Once it has ended, all numbers are 0. */
export interface RecordedSample extends Omit<SampleMessage, "since" | "blockedAgo"> {
  readonly type: "sample";
  readonly at: string;
  /** The time at which its manager started: another time means another process. */
  readonly since: string;
  readonly blockedUntil?: string | undefined;
}

/** The members that all webhook calls have. */
interface CallMembers {
  readonly type: "webhook";
  /** The time of its start. */
  readonly at: string;
  readonly seconds: number;
}

type Bodies = "object" | "oldObject" | "answer";

/** A call of an admission webhook. Objects, patch and texts do not have the values of Secrets. */
export interface RecordedAdmission
  extends CallMembers, Omit<AdmissionCall, "type" | "at" | "milliseconds" | Bodies> {
  readonly call: AdmissionCall["type"];
  readonly object?: KubernetesObject | undefined;
  readonly oldObject?: KubernetesObject | undefined;
  readonly answer?: AdmissionCall["answer"];
  /** The parts that were too large to be recorded. */
  readonly omitted?: readonly ("object" | "oldObject" | "patch")[] | undefined;
}

/** A call of a conversion webhook. */
export interface RecordedConversion
  extends CallMembers, Omit<ConversionCall, "type" | "at" | "milliseconds" | "objects" | "converted"> {
  readonly call: "conversion";
  /** The number of objects to convert. */
  readonly count: number;
  /** The first objects, up to one that is too large to be recorded. */
  readonly objects: readonly KubernetesObject[];
  readonly converted?: readonly KubernetesObject[] | undefined;
}

/** A call of a webhook. */
export type RecordedCall = RecordedAdmission | RecordedConversion;

/** A line of output of the operator or of dev. */
export interface RecordedText {
  readonly type: "operator" | "dev";
  readonly at: string;
  readonly text: string;
}

/** An action on the page. */
export interface RecordedAction {
  readonly type: "action";
  /** The time of its start. */
  readonly at: string;
  /** Such as `restart`. */
  readonly name: string;
  /** Its parameters; an object is replaced by its name. */
  readonly input: Readonly<Record<string, string | number | boolean>>;
  readonly outcome: "done" | "refused";
  readonly seconds: number;
  /** The reason of a refusal. */
  readonly error?: string | undefined;
}

/** A request of the operator that failed or waited because the page planned it. */
export interface RecordedFault {
  readonly type: "fault";
  readonly at: string;
  readonly verb: string;
  /** Plural and group, and the subresource: `mysqls.apps.example.com/status`. */
  readonly resource: string;
  /** The status code of the answer. */
  readonly code?: number | undefined;
  /** The milliseconds for which it waited. */
  readonly delay?: number | undefined;
}

/** The last line of a record that reached its size limit. */
export interface RecordedEnd {
  readonly type: "full";
  readonly at: string;
}

/** Returns the place of an object, by which a record identifies it: `statefulsets.apps default/db`. */
export function placeName({ resource, key }: { readonly resource: string; readonly key: string }): string {
  return `${resource} ${key}`;
}

/** Returns the places of the objects of a call. */
export function placesOfCall(call: RecordedCall): readonly string[] {
  return keysOfCall(call).map((key) => placeName({ resource: call.resource, key }));
}

/** Returns the keys of the objects of a call, such as `default/db`. */
export function keysOfCall(call: RecordedCall): readonly string[] {
  if (call.call !== "conversion") return [call.key];
  return call.objects.map(({ metadata }) => keyName(metadata));
}

/** Returns the key of an object: `default/db`, or without a namespace, `db`. */
export function keyName({
  namespace,
  name = "",
}: Partial<Record<"namespace" | "name", string | undefined>>): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** The resources of Events, in both API groups. */
export const eventResources: ReadonlySet<string> = new Set(["events", "events.events.k8s.io"]);

/** Returns the end of a reconcile in milliseconds since 1970; for an unfinished one, its start. */
export function endedAt({ at, seconds = 0 }: Pick<RecordedReconcile, "at" | "seconds">): number {
  return Date.parse(at) + seconds * 1000;
}

/** The types of events in causes, as the runtime formats them. */
const eventTypes = ["add", "update", "delete"] as const;
const objectCause = new RegExp(`^(?:${eventTypes.join("|")}) of (\\S+) (\\S+)$`, "u");

/** An object as a cause names it: without its API group. */
interface CausingObject {
  readonly kind: string;
  readonly key: string;
}

/** Returns the object that a cause such as `update of StatefulSet default/db` names. */
export function objectOfCause(cause: string): CausingObject | undefined {
  const [, kind, key] = objectCause.exec(cause) ?? [];
  return kind === undefined || key === undefined ? undefined : { kind, key };
}

/** Returns all causes that name an object. */
export function causesOf({ kind, key }: CausingObject): readonly string[] {
  return eventTypes.map((type) => `${type} of ${kind} ${key}`);
}

/** Returns the cause of a reconcile that its predecessor asked for. */
export function causeOfRequeue(milliseconds: number): string {
  return `requeueAfter ${milliseconds / 1000} s`;
}

const requeueCause = /^requeueAfter (\S+) s$/u;

/** Returns the milliseconds of a requeue; undefined for another cause. */
export function requeueOfCause(cause: string): number | undefined {
  const [, seconds] = requeueCause.exec(cause) ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1000;
}

/** An Event, read from either of its two API groups. */
export interface EventSummary {
  readonly regarding: EventReference | undefined;
  readonly isWarning: boolean;
  readonly reason: string;
  readonly text: string;
  /** The number of times that it happened. */
  readonly times: number;
}

/** The object that an Event is about. */
export interface EventReference {
  readonly uid?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** An Event of `v1` or of `events.k8s.io/v1`. */
interface EventObject {
  readonly involvedObject?: EventReference;
  readonly regarding?: EventReference;
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly note?: string;
  readonly count?: number;
  readonly deprecatedCount?: number;
  readonly series?: { readonly count?: number };
}

/** Reads an Event; undefined if the object is none. */
export function summarizeEvent(write: {
  readonly resource: string;
  readonly object: object;
}): EventSummary | undefined {
  if (!eventResources.has(write.resource)) return undefined;
  const event: EventObject = write.object;
  return {
    regarding: event.regarding ?? event.involvedObject,
    isWarning: event.type === "Warning",
    reason: event.reason ?? "",
    text: event.note ?? event.message ?? "",
    times: event.series?.count ?? event.count ?? event.deprecatedCount ?? 1,
  };
}

/** The user of a write of which only the field manager is known, as in the record of a deployed operator, begins with this. */
export const managerPrefix = "manager:";

/** Returns the name of a writer: of a ServiceAccount its own name, of another user also the program. */
export function writerName(by: RecordedWrite["by"]): string {
  if (by === undefined) return "the cluster";
  const { user, userAgent = "" } = by;
  if (user.startsWith(managerPrefix)) return user.slice(managerPrefix.length);
  const [, account] = /^system:serviceaccount:[^:]+:(.+)$/u.exec(user) ?? [];
  if (account !== undefined) return account;
  const [program = ""] = userAgent.split(/[/ ]/u);
  return program === "" ? user : `${user} (${program})`;
}

/** Returns true if an operator wrote: not the cluster's own controllers, and not a person with kubectl or the page. */
export function isOperator(by: RecordedWrite["by"]): boolean {
  if (by === undefined || isPerson(by) || by.user.startsWith(managerPrefix)) return false;
  return !by.user.startsWith("system:") || /^system:serviceaccount:(?!kube-system:)/u.test(by.user);
}

/** Returns true if a person wrote, with kubectl or on the page. */
export function isPerson(by: RecordedWrite["by"]): boolean {
  return by?.userAgent === pageAgent || by?.userAgent?.startsWith("kubectl") === true;
}
