import type { AdmissionCall, ClusterWrite, ConversionCall, WebhookCall } from "@tsbuilder/cluster";
import { isObject } from "@tsbuilder/apimachinery/json";
import type { DevEvent } from "../dev-event.ts";
import type { RecentRecord } from "./recent-record.ts";
import { RecordingFile, lineOf, lineOfWrite } from "./record-line.ts";
import type { LineKeeper, RecordingFileOptions } from "./record-line.ts";
import {
  type Recorded,
  type RecordedAction,
  type RecordedFault,
  type RecordedSession,
  type RecordedText,
  format,
  type RecordedAdmission,
  type RecordedCall,
  type RecordedConversion,
} from "./recorded.ts";
import { hideCall } from "./hide-secrets.ts";

/** The session that is recorded, and the receivers of its lines besides the file. */
interface RecordingOptions extends RecordingFileOptions {
  readonly project: string;
  readonly tsbuilder: string;
  /** Formats an error of the session for the record. */
  readonly describe: (error: unknown) => string;
  /** Keeps the last lines in memory, for pages. */
  readonly recent?: RecentRecord | undefined;
  /** Another receiver of the lines, such as one that prints them for programs. */
  readonly keeper?: LineKeeper | undefined;
}

/** Records the events of a session as lines of JSON, for a file, for pages, and for programs that read the output of dev. */
export class SessionRecording {
  readonly #options: RecordingOptions;
  readonly #keepers: readonly LineKeeper[];
  /** The last lines in memory, if they are kept. */
  readonly recent: RecentRecord | undefined;
  #isOpen = false;

  /** Without a path, it writes no file. */
  constructor(path: string | undefined, options: RecordingOptions) {
    this.#options = options;
    this.recent = options.recent;
    this.#keepers = [
      ...(path === undefined ? [] : [new RecordingFile(path, options)]),
      ...(options.recent ? [options.recent] : []),
      ...(options.keeper ? [options.keeper] : []),
    ];
  }

  /** Starts the record. Nothing is recorded before. */
  open(): void {
    const { project, tsbuilder } = this.#options;
    const session: RecordedSession = { type: "session", format, at: now(), project, tsbuilder };
    for (const keeper of this.#keepers) keeper.open(lineOf(session));
    this.#isOpen = true;
  }

  /** Records a write, except for those of Leases, which are renewed all the time. */
  write(write: ClusterWrite): void {
    if (!this.#isOpen || write.resource === leases) return;
    const line = lineOfWrite(now(), write);
    for (const keeper of this.#keepers) keeper.add(line);
    this.recent?.findings.addWrite(line.at, write);
  }

  /** Records a call of a webhook. */
  called(call: WebhookCall): void {
    if (this.#isOpen && call.resource !== leases) this.#add(recordCall(call, Date.now()));
  }

  /** Records an event. Objects are recorded as writes, and the start of a step shows in its results. */
  event(event: DevEvent): void {
    switch (event.type) {
      case "object":
      case "again":
      case "began":
      case "findings":
        return;
      case "sample":
        return this.#add(event.sample);
      case "reconcile":
        return this.#add({ type: "reconcile", ...event.reconcile });
      case "operator":
        return this.#addText("operator", event.line);
      case "info":
        return this.#addText("dev", event.text);
      case "error":
        return this.#addText("dev", this.#options.describe(event.error));
    }
  }

  /** Records an action of the page. */
  acted(action: Omit<RecordedAction, "type">): void {
    this.#add({ type: "action", ...action });
  }

  /** Records a request of the operator that met a planned failure. */
  fault(fault: Omit<RecordedFault, "type" | "at">): void {
    this.#add({ type: "fault", at: now(), ...fault });
  }

  close(): void {
    this.#isOpen = false;
    for (const keeper of this.#keepers) keeper.close();
  }

  #addText(type: RecordedText["type"], text: string): void {
    const line: RecordedText = { type, at: now(), text };
    this.#add(line);
  }

  #add(recorded: Recorded): void {
    if (!this.#isOpen) return;
    const line = lineOf(recorded);
    for (const keeper of this.#keepers) keeper.add(line);
    this.recent?.findings.add(recorded);
  }
}

/** The resource of Leases, whose writes are not recorded. */
export const leases = "leases.coordination.k8s.io";

function now(): string {
  return new Date().toISOString();
}

/** Returns the line of a call that has just ended. Its times are in real time, as those of all lines, not in cluster time. */
export function recordCall(call: WebhookCall, now: number): RecordedCall {
  const timed = { ...call, at: now - call.milliseconds };
  return timed.type === "conversion" ? recordConversion(timed) : recordAdmission(timed);
}

function recordAdmission(call: AdmissionCall): RecordedAdmission {
  const { type, at, milliseconds, object, oldObject, answer, failure, ...rest } = call;
  const { patch } = answer ?? {};
  const bodies = { object, oldObject, patch };
  const omitted = (["object", "oldObject", "patch"] as const).filter((body) => isLarge(bodies[body]));
  const kept = <Body extends keyof typeof bodies>(body: Body) =>
    omitted.includes(body) ? undefined : bodies[body];
  return hideCall({
    type: "webhook",
    ...timesOf(at, milliseconds),
    call: type,
    ...rest,
    object: kept("object"),
    oldObject: kept("oldObject"),
    ...(answer && { answer: { ...validParts(answer), ...(kept("patch") && { patch: kept("patch")! }) } }),
    ...(failure && { failure: { ...failure, message: shortText(failure.message) } }),
    ...(omitted.length > 0 && { omitted }),
  });
}

/** The number of objects of a conversion that are recorded. */
const maxObjects = 10;

function recordConversion(call: ConversionCall): RecordedConversion {
  const { type, at, milliseconds, objects, converted, failure, ...rest } = call;
  const firstLarge = objects.slice(0, maxObjects).findIndex((_, i) => isLarge([objects[i], converted?.[i]]));
  const kept = firstLarge === -1 ? maxObjects : firstLarge;
  return {
    type: "webhook",
    ...timesOf(at, milliseconds),
    call: type,
    ...rest,
    count: objects.length,
    objects: objects.slice(0, kept),
    ...(converted && { converted: converted.slice(0, kept) }),
    ...(failure && { failure: { ...failure, message: shortText(failure.message) } }),
  };
}

function timesOf(at: number, milliseconds: number): { readonly at: string; readonly seconds: number } {
  return { at: new Date(at).toISOString(), seconds: Math.round(milliseconds * 1000) / 1e6 };
}

type Answer = NonNullable<AdmissionCall["answer"]>;

/** Returns the valid parts of an answer: a webhook may answer anything, even a number instead of a text. */
function validParts({ allowed, status, warnings, auditAnnotations }: Answer): Answer {
  return {
    allowed,
    ...(isObject(status) && { status: validStatus(status) }),
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

function validStatus(status: Readonly<Record<string, unknown>>): NonNullable<Answer["status"]> {
  const { code, message, reason } = status;
  return {
    ...(typeof code === "number" && { code }),
    ...(isText(message) && { message: shortText(message) }),
    ...(isText(reason) && { reason: shortText(reason) }),
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

/** The length to which texts of a webhook are cut. */
const maxText = 4096;

function shortText(text: string): string {
  return text.length > maxText ? `${text.slice(0, maxText)}…` : text;
}

/** The length from which on an object or a patch is left out. */
const maxLength = 64 * 1024;

function isLarge(body: unknown): boolean {
  return body !== undefined && JSON.stringify(body).length > maxLength;
}
