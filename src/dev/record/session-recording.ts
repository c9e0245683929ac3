import { closeSync, fchmodSync, fstatSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { AdmissionCall, ClusterWrite, ConversionCall, WebhookCall } from "@tsbuilder/cluster";
import { isObject } from "@tsbuilder/apimachinery/json";
import type { DevEvent } from "../dev-event.ts";
import type { RecentRecord } from "./recent-record.ts";
import { type LineKeeper, type RecordLine, bytesOf, lengthOf, lineOf, lineOfWrite } from "./record-line.ts";
import {
  type RecordedAction,
  type RecordedFault,
  type RecordedSession,
  type RecordedText,
  format,
  type RecordedAdmission,
  type RecordedCall,
  type RecordedConversion,
} from "./recorded.ts";
import { atFile, makeFolder } from "../../shared/files.ts";
import { hideCall } from "./hide-secrets.ts";

interface RecordingFileOptions {
  /** Called once if the file can't be written, or is full. */
  readonly onEnd: (reason: unknown) => void;
  readonly most?: number | undefined;
}

interface RecordingOptions extends RecordingFileOptions {
  readonly project: string;
  readonly tsbuilder: string;
  readonly describe: (error: unknown) => string;
  /** Keeps the last lines in memory, for pages. */
  readonly recent?: RecentRecord | undefined;
  readonly printed?: LineKeeper | undefined;
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
      ...(options.printed ? [options.printed] : []),
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
  }

  called(call: WebhookCall): void {
    if (this.#isOpen && call.resource !== leases) this.#add(recordCall(call, Date.now()));
  }

  /** Records an event. Objects are recorded as writes, and the start of a step shows in its results. */
  event(event: DevEvent): void {
    switch (event.type) {
      case "object":
      case "again":
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

  acted(action: Omit<RecordedAction, "type">): void {
    this.#add({ type: "action", ...action });
  }

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

  #add(recorded: { readonly type: string; readonly at: string }): void {
    if (!this.#isOpen) return;
    const line = lineOf(recorded);
    for (const keeper of this.#keepers) keeper.add(line);
  }
}

/** The resource of Leases, whose writes are not recorded. */
export const leases = "leases.coordination.k8s.io";

function now(): string {
  return new Date().toISOString();
}

/** The size limit of a file. */
const mostBytes = 256 * 1024 * 1024;

/** The time in milliseconds for which lines are collected before they are written. */
const pause = 50;

/** The file of a record. Only its owner can read it. */
class RecordingFile implements LineKeeper {
  readonly #path: string;
  readonly #onEnd: (reason: unknown) => void;
  #file: number | undefined;
  #lines: RecordLine[] = [];
  #left: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string, { onEnd, most = mostBytes }: RecordingFileOptions) {
    this.#path = path;
    this.#onEnd = onEnd;
    this.#left = most;
  }

  open(first: RecordLine): void {
    const path = this.#path;
    makeFolder(dirname(path));
    this.#file = atFile(path, () => openSync(path, "w", 0o600));
    // An existing file keeps its mode when it is opened.
    if (fstatSync(this.#file).isFile()) fchmodSync(this.#file, 0o600);
    this.add(first);
  }

  add(line: RecordLine): void {
    if (this.#file === undefined) return;
    this.#left -= lengthOf(line);
    if (this.#left < 0) {
      this.#lines.push(lineOf({ type: "full", at: line.at }));
      this.#onEnd(this.#end() ?? new Error("it is full"));
      return;
    }
    this.#lines.push(line);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const failure = this.#flush();
      if (failure === undefined) return;
      this.#end();
      this.#onEnd(failure);
    }, pause).unref();
  }

  close(): void {
    const failure = this.#end();
    if (failure !== undefined) this.#onEnd(failure);
  }

  /** Returns the error of a write that failed. */
  #flush(): unknown {
    const lines = this.#lines;
    this.#lines = [];
    try {
      const bytes = bytesOf(lines);
      for (let at = 0; at < bytes.length;) at += writeSync(this.#file!, bytes, at);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** Writes the rest and closes the file; returns the error of a write that failed. */
  #end(): unknown {
    if (this.#file === undefined) return undefined;
    clearTimeout(this.#timer);
    const failure = this.#flush();
    closeSync(this.#file);
    this.#file = undefined;
    return failure;
  }
}

/** Returns the line of a call that has just ended. Its times are in real time, as those of all lines, not in cluster time. */
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

/** The number of objects of a conversion that are recorded. */
const mostObjects = 10;

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

type Answer = NonNullable<AdmissionCall["answer"]>;

/** Returns the valid parts of an answer: a webhook may answer anything, even a number instead of a text. */
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

/** The length to which texts of a webhook are cut. */
const mostText = 4096;

function shortText(text: string): string {
  return text.length > mostText ? `${text.slice(0, mostText)}…` : text;
}

/** The length from which on an object or a patch is left out. */
const mostLength = 64 * 1024;

function isLarge(body: unknown): boolean {
  return body !== undefined && JSON.stringify(body).length > mostLength;
}
