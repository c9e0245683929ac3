import { isObject } from "@tsbuilder/apimachinery/json";
import type { AdmissionCall, ConversionCall, WebhookCall } from "@tsbuilder/cluster";
import { hideCall } from "./hide-call.ts";
import type { RecordedAdmission, RecordedCall, RecordedConversion } from "./recorded-call.ts";

/** An object or a patch with more characters is left out. */
const mostLength = 64 * 1024;

/** So much of what a webhook says is kept. */
const mostText = 4096;

/** Of so many objects of a conversion. */
const mostObjects = 10;

type Answer = NonNullable<AdmissionCall["answer"]>;

/** What is recorded of a call that has just ended. Its times are those of other lines, whatever the cluster's clock says. */
export function recordCall(call: WebhookCall, now: number): RecordedCall {
  const timed = { ...call, at: now - call.milliseconds };
  return timed.type === "conversion" ? conversion(timed) : admission(timed);
}

function admission(call: AdmissionCall): RecordedAdmission {
  const { type, at, milliseconds, object, oldObject, answer, failure, ...facts } = call;
  const { patch } = answer ?? {};
  const bodies = { object, oldObject, patch };
  const omitted = (["object", "oldObject", "patch"] as const).filter((body) => isLarge(bodies[body]));
  const kept = <Body extends keyof typeof bodies>(body: Body) =>
    omitted.includes(body) ? undefined : bodies[body];
  return hideCall({
    type: "webhook",
    ...timesOf(at, milliseconds),
    call: type,
    ...facts,
    object: kept("object"),
    oldObject: kept("oldObject"),
    ...(answer && {
      answer: {
        ...saidIn(answer),
        ...(kept("patch") && { patch: kept("patch")! }),
      },
    }),
    ...(failure && { failure: { ...failure, message: shortText(failure.message) } }),
    ...(omitted.length > 0 && { omitted }),
  });
}

function conversion(call: ConversionCall): RecordedConversion {
  const { type, at, milliseconds, objects, converted, failure, ...facts } = call;
  const many = objects.slice(0, mostObjects).findIndex((_, i) => isLarge([objects[i], converted?.[i]]));
  const kept = many === -1 ? mostObjects : many;
  return {
    type: "webhook",
    ...timesOf(at, milliseconds),
    call: type,
    ...facts,
    count: objects.length,
    objects: objects.slice(0, kept),
    ...(converted && { converted: converted.slice(0, kept) }),
    ...(failure && { failure: { ...failure, message: shortText(failure.message) } }),
  };
}

function timesOf(at: number, milliseconds: number): { readonly at: string; readonly seconds: number } {
  return { at: new Date(at).toISOString(), seconds: Math.round(milliseconds * 1000) / 1e6 };
}

/** What a webhook says, as far as it keeps the contract: it may answer anything, also a number instead of a text. */
function saidIn({ allowed, status, warnings, auditAnnotations }: Answer): Answer {
  return {
    allowed,
    ...(isObject(status) && { status: statusIn(status) }),
    ...(Array.isArray(warnings) && { warnings: warnings.filter(isText).map(shortText) }),
    ...(isObject(auditAnnotations) && {
      auditAnnotations: Object.fromEntries(
        Object.entries(auditAnnotations).flatMap(([key, value]) =>
          isText(value) ? [[key, shortText(value)]] : [],
        ),
      ),
    }),
  };
}

function statusIn({
  code,
  message,
  reason,
}: Readonly<Record<string, unknown>>): NonNullable<Answer["status"]> {
  return {
    ...(typeof code === "number" && { code }),
    ...(isText(message) && { message: shortText(message) }),
    ...(isText(reason) && { reason: shortText(reason) }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function shortText(text: string): string {
  return text.length > mostText ? `${text.slice(0, mostText)}…` : text;
}

function isLarge(body: unknown): boolean {
  return body !== undefined && JSON.stringify(body).length > mostLength;
}
