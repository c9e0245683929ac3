import type { ClusterWrite, WebhookCall } from "@tsbuilder/cluster";
import type { DevEvent } from "../dev-event.ts";
import { recordCall } from "./record-call.ts";
import type { RecentRecord } from "./recent-record.ts";
import { type LineKeeper, lineOf, lineOfWrite } from "./record-line.ts";
import {
  format,
  type RecordedAction,
  type RecordedFault,
  type RecordedSession,
  type RecordedText,
} from "./recorded.ts";
import { RecordingFile, type RecordingFileOptions } from "./recording-file.ts";

interface RecordingOptions extends RecordingFileOptions {
  readonly project: string;
  readonly tsbuilder: string;
  readonly describe: (error: unknown) => string;
  /** Gets the lines, too. */
  readonly recent?: RecentRecord | undefined;
  readonly printed?: LineKeeper | undefined;
}

/** Puts all that happens in a session into lines of JSON, for a file, a page, or whoever reads along. */
export class SessionRecording {
  readonly #options: RecordingOptions;
  readonly #keepers: readonly LineKeeper[];
  #isOpen = false;

  /** Without a path, no file is written. */
  constructor(path: string | undefined, options: RecordingOptions) {
    this.#options = options;
    this.#keepers = [
      ...(path === undefined ? [] : [new RecordingFile(path, options)]),
      ...(options.recent ? [options.recent] : []),
      ...(options.printed ? [options.printed] : []),
    ];
  }

  /** What keeps the last lines in memory, if anything does. */
  get recent(): RecentRecord | undefined {
    return this.#options.recent;
  }

  /** Begins anew. Before, nothing is recorded. */
  open(): void {
    const { project, tsbuilder } = this.#options;
    const session: RecordedSession = { type: "session", format, at: now(), project, tsbuilder };
    for (const keeper of this.#keepers) keeper.open(lineOf(session));
    this.#isOpen = true;
  }

  /** Renewals of leases are left out. */
  write(write: ClusterWrite): void {
    if (!this.#isOpen || write.resource === leases) return;
    const line = lineOfWrite(now(), write);
    for (const keeper of this.#keepers) keeper.add(line);
  }

  called(call: WebhookCall): void {
    if (this.#isOpen && call.resource !== leases) this.#add(recordCall(call, Date.now()));
  }

  /** Objects are recorded as writes, and what begins anew shows in what follows. */
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

/** The resource whose writes are not recorded. */
export const leases = "leases.coordination.k8s.io";

function now(): string {
  return new Date().toISOString();
}
