import { closeSync, fchmodSync, fstatSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";
import type { ClusterWrite } from "@tsbuilder/cluster";
import type { KubernetesObject } from "@tsbuilder/runtime";
import { atFile } from "../../shared/at-file.ts";
import { makeFolder } from "../../shared/write-output.ts";
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
  readonly #path: string;
  readonly #options: RecordingOptions;
  #file: number | undefined;
  #lines: (string | Buffer)[] = [];
  #left: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(path: string, options: RecordingOptions) {
    this.#path = path;
    this.#options = options;
    this.#left = options.most ?? mostBytes;
  }

  /** Begins the file anew. Before, nothing is recorded. */
  open(): void {
    const path = this.#path;
    makeFolder(dirname(path));
    this.#file = atFile(path, () => openSync(path, "w", 0o600));
    // A file that was there keeps its mode.
    if (fstatSync(this.#file).isFile()) fchmodSync(this.#file, 0o600);
    const { project, tsbuilder } = this.#options;
    const session: RecordedSession = { type: "session", format, at: now(), project, tsbuilder };
    this.#add(JSON.stringify(session));
  }

  /** Renewals of leases are left out. */
  write({ type, resource, key, by, bytes }: ClusterWrite): void {
    if (this.#file === undefined || resource === "leases.coordination.k8s.io") return;
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
    const failure = this.#end();
    if (failure !== undefined) this.#options.onEnd(failure);
  }

  #add(...parts: (string | Buffer)[]): void {
    if (this.#file === undefined) return;
    for (const part of parts) this.#left -= Buffer.byteLength(part);
    if (this.#left < 0) {
      this.#lines.push(JSON.stringify({ type: "full", at: now() }), "\n");
      this.#options.onEnd(this.#end() ?? new Error("it is full"));
      return;
    }
    this.#lines.push(...parts, "\n");
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const failure = this.#flush();
      if (failure === undefined) return;
      this.#end();
      this.#options.onEnd(failure);
    }, pause).unref();
  }

  /** Returns the error of a write that failed. */
  #flush(): unknown {
    const lines = this.#lines.map((part) => (typeof part === "string" ? Buffer.from(part) : part));
    this.#lines = [];
    try {
      const bytes = Buffer.concat(lines);
      for (let at = 0; at < bytes.length;) at += writeSync(this.#file!, bytes, at);
      return undefined;
    } catch (error) {
      return error;
    }
  }

  /** Writes what is left, and closes the file; nothing more is recorded. */
  #end(): unknown {
    if (this.#file === undefined) return undefined;
    clearTimeout(this.#timer);
    const failure = this.#flush();
    closeSync(this.#file);
    this.#file = undefined;
    return failure;
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
