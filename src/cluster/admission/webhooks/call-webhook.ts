import { randomUUID } from "node:crypto";
import type { MutatingWebhook } from "@tsbuilder/apimachinery/k8s/admissionregistration/v1";
import type { JSONPatch } from "@tsbuilder/apimachinery/patch";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { ApiObject } from "../../contract/api-object.ts";
import { StatusError, badRequest, internalError, qualifiedName } from "../../contract/status-error.ts";
import type { AdmissionRequest, Operation } from "../../registry/core.ts";
import { type Writer, currentWriter } from "../../registry/writers.ts";
import { InvalidAnswerError, type WebhookAnswer, readAnswer } from "./webhook-answer.ts";
import { objectsInVersion, requestMap } from "../../expressions/request-names.ts";
import { type WebhookClient, WebhookUnreachableError } from "./webhook-client.ts";

/** A webhook of either kind of configuration: only mutating ones have a `reinvocationPolicy`. */
export type Webhook = MutatingWebhook;

/** A webhook with the name of its configuration. */
export interface ConfiguredWebhook {
  readonly configuration: string;
  readonly webhook: Webhook;
}

interface CallOptions {
  /** The version in which the webhook receives the object. */
  readonly version: string;
  readonly type: "mutating" | "validating";
  /** Applies a mutating webhook's patch. */
  readonly apply?: (patch: JSONPatch) => Promise<ApiObject | undefined>;
}

/** The reason why a call of a webhook failed. */
export interface WebhookFailure {
  /** `Refused`: a conversion webhook answered that it can't convert the objects. */
  readonly reason: "Unreachable" | "Timeout" | "BadCertificate" | "InvalidAnswer" | "Refused";
  readonly message: string;
}

/** The fields of all calls of webhooks. */
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
  /** The writer of the request that the webhook was called for, if known. */
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
  /** The object and the old object as they were sent. */
  readonly object: ApiObject | undefined;
  readonly oldObject: ApiObject | undefined;
  readonly failurePolicy: "Fail" | "Ignore";
  /** True if the call failed and its failure policy `Ignore` let the request continue. */
  readonly ignored: boolean;
  /** The response. A call with a response has failed if its patch can't be applied. */
  readonly answer?: WebhookAnswer | undefined;
}

/** A call of a conversion webhook. */
export interface ConversionCall extends EndedCall {
  readonly type: "conversion";
  /** The apiVersion that the objects were converted to. */
  readonly apiVersion: string;
  readonly objects: readonly ApiObject[];
  /** The converted objects, in the order of `objects`. */
  readonly converted?: readonly ApiObject[] | undefined;
}

/** A call of a webhook that has ended. Its objects are the server's own: don't change or keep them. */
export type WebhookCall = AdmissionCall | ConversionCall;

interface CallObserver {
  readonly clock: Clock;
  readonly tell: (call: WebhookCall) => void;
}

/** The client that calls webhooks, and the observer of its calls. */
export interface Caller {
  readonly client: WebhookClient;
  readonly observer: CallObserver | undefined;
}

/**
 * Calls one webhook, and returns the object as it has patched it; undefined if it hasn't. A denial is thrown as the error
 * that the client receives. So is a failed call, unless the failure policy is `Ignore`.
 */
export async function callWebhook(
  { client, observer }: Caller,
  { configuration, webhook }: ConfiguredWebhook,
  request: AdmissionRequest,
  { version, type, apply }: CallOptions,
): Promise<ApiObject | undefined> {
  checkDryRun(webhook, request);
  const uid = randomUUID();
  const reviewed = await reviewRequest(request, version, uid);
  const review = { kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1", request: reviewed };
  const timing = observer && startTiming(observer);
  const tell = (end: Pick<AdmissionCall, "answer" | "failure" | "ignored">): void =>
    observer?.tell({ ...timing!(), type, configuration, ...callFields(webhook, request, reviewed), ...end });
  let answer: WebhookAnswer;
  try {
    const body = await client.post(webhook.clientConfig, review, webhook.timeoutSeconds ?? 10);
    answer = readAnswer(body, { uid, mutating: type === "mutating" });
  } catch (error) {
    const ignored = webhook.failurePolicy === "Ignore";
    tell({ failure: failureOf(error), ignored });
    if (ignored) return undefined;
    const { message } = error as Error;
    const why = error instanceof InvalidAnswerError ? message : `failed to call webhook: ${message}`;
    throw internalError(`failed calling webhook ${JSON.stringify(webhook.name)}: ${why}`);
  }
  for (const warning of answer.warnings ?? []) request.warn(warning);
  let patched: ApiObject | undefined;
  try {
    if (answer.allowed && answer.patch) patched = await apply?.(answer.patch);
  } catch (error) {
    tell({ answer, failure: failureOf(error), ignored: false });
    throw error;
  }
  tell({ answer, ignored: false });
  if (!answer.allowed) throw denialOf(webhook, answer);
  return patched;
}

function checkDryRun({ name, sideEffects }: Webhook, { dryRun }: AdmissionRequest): void {
  if (!dryRun || sideEffects === "None" || sideEffects === "NoneOnDryRun") return;
  throw badRequest(`admission webhook ${JSON.stringify(name)} does not support dry run`);
}

/** The `request` of an AdmissionReview, with the objects in the version that the webhook wants. */
async function reviewRequest(request: AdmissionRequest, version: string, uid: string) {
  const [object = null, oldObject = null] = await objectsInVersion(request, version);
  return { uid, ...requestMap(request, version), object, oldObject };
}

/** The fields of an AdmissionCall that are known before the webhook answers. */
function callFields(
  webhook: Webhook,
  request: AdmissionRequest,
  { uid, object, oldObject }: Awaited<ReturnType<typeof reviewRequest>>,
) {
  const { resource, operation, subresource, dryRun, user, namespace } = request;
  const { name = "", generateName = "" } = (object ?? oldObject)?.metadata ?? {};
  const shownName = request.name || name || generateName;
  return {
    uid,
    webhook: webhook.name,
    resource: qualifiedName(resource),
    operation,
    subresource,
    key: namespace === "" ? shownName : `${namespace}/${shownName}`,
    dryRun,
    by: currentWriter() ?? { user: user.name },
    failurePolicy: webhook.failurePolicy === "Ignore" ? ("Ignore" as const) : ("Fail" as const),
    object: object ?? undefined,
    oldObject: oldObject ?? undefined,
  };
}

/** A denial keeps the webhook's code, reason and details; the message names the webhook. */
function denialOf({ name }: Webhook, { status = {} }: WebhookAnswer): StatusError {
  // As on the real server, a webhook can't deny with a code of success.
  const code = Math.max(status.code ?? 0, 400);
  const who = `admission webhook ${JSON.stringify(name)} denied the request`;
  const why = status.message || status.reason;
  const message = why ? `${who}: ${why}` : `${who} without explanation`;
  return new StatusError(code, status.reason, message, status.details);
}

/** Notes when a call begins. Returns a function that returns this time and the duration so far. */
export function startTiming({ clock }: CallObserver): () => Pick<EndedCall, "at" | "milliseconds"> {
  const [at, since] = [clock.now(), clock.monotonic()];
  return () => ({ at, milliseconds: clock.monotonic() - since });
}

/** The failure that an observer is told for an error of `WebhookClient` or of a reader of its answers. */
export function failureOf(error: unknown): WebhookFailure {
  const reason = error instanceof WebhookUnreachableError ? error.reason : "InvalidAnswer";
  return { reason, message: (error as Error).message };
}
