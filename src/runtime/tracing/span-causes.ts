// Which span led to which reconcile. A watch event has no trace: what is known is which write of this process made a version
// of an object, and which webhook call admitted a change of it. All of it is bounded: what nobody asks for is forgotten.

import type { SpanContext } from "@opentelemetry/api";
import type { Kind, KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { tracingApi } from "./opentelemetry-api.ts";

/** Why a request was enqueued. */
export interface SpanCause {
  /** Such as `update of StatefulSet default/db`. */
  readonly text: string;
  readonly span: SpanContext | undefined;
  /** The span is that of a webhook call: the request of somebody else began the trace. */
  readonly isAdmission: boolean;
}

/** A map that forgets its oldest entries. */
class Memory<T> extends Map<string, T> {
  readonly #capacity: number;

  constructor(capacity: number) {
    super();
    this.#capacity = capacity;
  }

  override set(key: string, value: T): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.#capacity) this.delete(this.keys().next().value!);
    return this;
  }
}

/** The spans of writes, by the version of the object that they made. */
const written = new Memory<SpanContext>(1000);

/** The spans of webhook calls that admitted a change, by object. */
const admitted = new Memory<Admission>(1000);

interface Admission {
  readonly span: SpanContext;
  /** By `performance.now`. */
  readonly until: number;
}

/** The causes of requests that wait, by controller and key. */
const waiting = new Memory<readonly WaitingCause[]>(10_000);

interface WaitingCause extends Pick<SpanCause, "text" | "span"> {
  readonly change: Change | undefined;
}

/** How many causes of one reconcile are told. */
const mostCauses = 10;

/** The milliseconds within which an admitted change is stored and seen, unless something else rejected it. */
const admissionPeriod = 10_000;

/** Remembers the span of a write, by the object in the answer to it. */
export function noteWrite(span: SpanContext, { text }: { readonly text: string }): void {
  let answer: Partial<KubernetesObject> | undefined;
  try {
    answer = JSON.parse(text) as typeof answer;
  } catch {
    return;
  }
  if (answer?.metadata?.resourceVersion !== undefined) written.set(versionOf(answer.metadata), span);
}

function versionOf({ uid, resourceVersion }: KubernetesObject["metadata"]): string {
  return `${uid} ${resourceVersion}`;
}

interface AdmittedChange {
  readonly kind: { readonly group: string; readonly kind: string };
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

/** Describes the running webhook call in its span, which is remembered if it admitted a change. */
export function noteAdmission(
  { kind, namespace, name, dryRun }: AdmittedChange,
  fields: () => { readonly [name: string]: unknown },
  isAllowed: boolean,
): void {
  const span = tracingApi()?.trace.getActiveSpan();
  if (!span) return;
  // Who asked is a person, and in the API server's audit log.
  const told = { ...fields(), user: undefined, allowed: isAllowed, "k8s.namespace.name": namespace };
  for (const [field, value] of Object.entries(told))
    if (typeof value === "string" || typeof value === "boolean") span.setAttribute(field, value);
  if (!isAllowed || dryRun === true || !name) return;
  const until = performance.now() + admissionPeriod;
  admitted.set(objectKey(kind, { namespace, name }), { span: span.spanContext(), until });
}

function objectKey(
  { group, kind }: AdmittedChange["kind"],
  { namespace, name }: Pick<AdmittedChange, "namespace" | "name">,
): string {
  return [kind, group, namespace ?? "", name].join(" ");
}

/** Handles a watch event. The requests that are enqueued meanwhile are caused by the span that led to the event. */
export function becauseOf<T>(
  kind: Kind,
  { object }: { readonly object: KubernetesObject },
  handle: () => T,
): T {
  const api = tracingApi();
  if (!api) return handle();
  const { metadata } = object;
  const key = objectKey(kind, metadata);
  const change: Change = { version: versionOf(metadata), admission: admitted.get(key) };
  // The operator's own writes are admitted by its webhooks, too.
  const own = written.get(change.version);
  if (!own || own.traceId === change.admission?.span.traceId) admitted.delete(key);
  // The informer may have been started by a reconcile that has long ended.
  return api.context.with(api.ROOT_CONTEXT.setValue(changeKey, change), handle);
}

/** The change of an object that is handled. */
interface Change {
  readonly version: string;
  readonly admission: Admission | undefined;
}

const changeKey = Symbol("the change of an object that is handled");

/** Remembers why a request is enqueued: because of a change, or of the running span, whatever code enqueues it. */
export function noteCause(controller: string, request: string, text: () => string): void {
  const api = tracingApi();
  if (!api) return;
  const context = api.context.active();
  const change = context.getValue(changeKey) as Change | undefined;
  const cause = { text: text(), change, span: api.trace.getSpanContext(context) };
  const key = `${controller} ${request}`;
  const causes = waiting.get(key) ?? [];
  if (causes.length < mostCauses) waiting.set(key, [...causes, cause]);
}

/** Returns why a reconcile runs that begins now. */
export function takeCauses(controller: string, request: string): readonly SpanCause[] {
  const key = `${controller} ${request}`;
  const causes = waiting.get(key) ?? [];
  waiting.delete(key);
  return causes.map(({ text, change, span }): SpanCause => {
    // The answer to a write may come after the event.
    const own = change && written.get(change.version);
    if (own) return { text, span: own, isAdmission: false };
    const { admission } = change ?? {};
    return admission && admission.until > performance.now()
      ? { text, span: admission.span, isAdmission: true }
      : { text, span, isAdmission: false };
  });
}
