import { closeSync, openSync, writeSync } from "node:fs";
import type { ClusterWrite } from "@tsbuilder/cluster";
import type { KubernetesObject } from "@tsbuilder/runtime";
import type { DevEvent } from "../dev-event.ts";
import { hideSecret } from "../hide-secret.ts";
import type { RecordedReconcile } from "./reconcile-history.ts";
import { format, type RecordedSession, type RecordedText } from "./recorded.ts";

/** After so many bytes nothing more is recorded. */
const mostBytes = 256 * 1024 * 1024;

/** Lines are written together, after so many milliseconds. */
const pause = 50;

interface RecordingOptions {
  readonly project: string;
  readonly tsbuilder: string;
  readonly describe: (error: unknown) => string;
  /** Called once if the file can't be written, or is full. */
  readonly onEnd: (reason: unknown) => void;
  readonly most?: number;
}

/** The file with all that happens in a session, as lines of JSON. Others can't read it. */
export class SessionRecording {
  readonly #file: number;
  readonly #options: RecordingOptions;
  #lines: (string | Buffer)[] = [];
  #left: number;
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(path: string, options: RecordingOptions) {
    this.#file = openSync(path, "w", 0o600);
    this.#options = options;
    this.#left = options.most ?? mostBytes;
    const { project, tsbuilder } = options;
    const session: RecordedSession = { type: "session", format, at: now(), project, tsbuilder };
    this.#add(JSON.stringify(session));
  }

  /** The renewals of leases and what every cluster does with them are left out. */
  write({ type, resource, key, by, bytes }: ClusterWrite): void {
    if (this.#isEnded || resource === "leases.coordination.k8s.io") return;
    const head = JSON.stringify({ type: "write", at: now(), write: type, resource, key, by });
    this.#add(head.slice(0, -1), ',"object":', resource === "secrets" ? hidden(bytes) : bytes, "}");
  }

  reconciled(reconciles: readonly RecordedReconcile[]): void {
    for (const reconcile of reconciles) this.#add(JSON.stringify({ type: "reconcile", ...reconcile }));
  }

  /** Objects are recorded as writes. */
  event(event: DevEvent): void {
    if (event.type === "object") return;
    const text = textOf(event, this.#options.describe);
    const line: RecordedText = { type: event.type === "operator" ? "operator" : "dev", at: now(), text };
    this.#add(JSON.stringify(line));
  }

  close(): void {
    if (!this.#isEnded) this.#flush();
    this.#isEnded = true;
    clearTimeout(this.#timer);
    closeSync(this.#file);
  }

  #add(...parts: (string | Buffer)[]): void {
    if (this.#isEnded) return;
    for (const part of parts) this.#left -= Buffer.byteLength(part);
    if (this.#left < 0) {
      this.#lines.push(JSON.stringify({ type: "full", at: now() }), "\n");
      return this.#end(new Error("it is full"));
    }
    this.#lines.push(...parts, "\n");
    this.#timer ??= setTimeout(() => this.#flush(), pause).unref();
  }

  #flush(): void {
    this.#timer = undefined;
    const lines = this.#lines.map((part) => (typeof part === "string" ? Buffer.from(part) : part));
    this.#lines = [];
    try {
      const bytes = Buffer.concat(lines);
      for (let at = 0; at < bytes.length;) at += writeSync(this.#file, bytes, at);
    } catch (error) {
      this.#end(error);
    }
  }

  #end(reason: unknown): void {
    this.#isEnded = true;
    if (this.#lines.length > 0) this.#flush();
    this.#options.onEnd(reason);
  }
}

function now(): string {
  return new Date().toISOString();
}

function hidden(bytes: Buffer): string {
  return JSON.stringify(hideSecret(JSON.parse(bytes.toString()) as KubernetesObject));
}

function textOf(event: Exclude<DevEvent, { type: "object" }>, describe: (error: unknown) => string): string {
  switch (event.type) {
    case "info":
      return event.text;
    case "error":
      return describe(event.error);
    case "operator":
      return event.line;
  }
}
