import type { Clock } from "@tsbuilder/apimachinery/time";
import type { ApiObject } from "../contract/api-object.ts";
import type { Operation } from "../registry/admission-request.ts";
import type { Writer } from "../registry/writers.ts";
import type { WebhookAnswer } from "./webhook-answer.ts";
import { WebhookUnreachableError } from "./webhook-client.ts";

/** Why a call of a webhook has no answer that counts. */
export interface WebhookFailure {
  /** `Refused`: a conversion webhook answered that it can't convert the objects. */
  readonly reason: "Unreachable" | "Timeout" | "BadCertificate" | "InvalidAnswer" | "Refused";
  readonly message: string;
}

/** What the calls of all webhooks have. */
interface EndedCall {
  /** The uid of the review. */
  readonly uid: string;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  readonly milliseconds: number;
  /** The name of the webhook's configuration, or of the CRD with a conversion webhook. */
  readonly configuration: string;
  /** Plural and group: `statefulsets.apps`. */
  readonly resource: string;
  /** Who sent the request that the webhook was called for, if that is known. */
  readonly by: Writer | undefined;
  readonly failure?: WebhookFailure | undefined;
}

/** A call of an admission webhook. */
export interface AdmissionCall extends EndedCall {
  readonly type: "mutating" | "validating";
  /** The name of the webhook in its configuration. */
  readonly webhook: string;
  readonly operation: Operation;
  /** Empty for the object itself. */
  readonly subresource: string;
  /** `default/db`; without a namespace, `db`. Before a name is generated, it ends with `generateName`. */
  readonly key: string;
  readonly dryRun: boolean;
  /** As they were sent. */
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
  readonly failurePolicy: "Fail" | "Ignore";
  /** Whether the request went on although the call failed. */
  readonly ignored: boolean;
  /** A call may fail although there is an answer: its patch can't be applied. */
  readonly answer?: WebhookAnswer | undefined;
}

/** A call of a conversion webhook. */
export interface ConversionCall extends EndedCall {
  readonly type: "conversion";
  /** What the objects were converted to. */
  readonly apiVersion: string;
  readonly objects: readonly ApiObject[];
  /** In the same order. */
  readonly converted?: readonly ApiObject[] | undefined;
}

/** A call of a webhook that has ended. Its objects are the server's own: they must be neither changed nor kept. */
export type WebhookCall = AdmissionCall | ConversionCall;

/** Who is told of calls, and the clock by which they are timed. */
export interface CallObserver {
  readonly clock: Clock;
  readonly tell: (call: WebhookCall) => void;
}

/** Returns what tells when something began, and how long it has taken. */
export function startTiming({ clock }: CallObserver): () => Pick<EndedCall, "at" | "milliseconds"> {
  const [at, since] = [clock.now(), clock.monotonic()];
  return () => ({ at, milliseconds: clock.monotonic() - since });
}

/** What a call failed with. */
export function failureOf(error: unknown): WebhookFailure {
  const reason = error instanceof WebhookUnreachableError ? error.reason : "InvalidAnswer";
  return { reason, message: (error as Error).message };
}
