// Turns what the flight recorder of a deployed operator has kept into lines of a record, as dev writes them.

import { isObject } from "@tsbuilder/apimachinery/json";
import type { FlightChange, FlightLine } from "@tsbuilder/runtime/advanced";
import { parseJson } from "../../shared/read-json.ts";
import { ReconcileHistory, recordedSample } from "./operator-messages.ts";
import { keyName, managerPrefix, type Recorded, type RecordedWrite } from "./recorded.ts";

const writeTypes = { before: "KEPT", add: "ADDED", update: "MODIFIED", delete: "DELETED" } as const;

/** Translates the lines of one pod, whose processes followed each other. */
export class FlightLines {
  readonly #pod: string;
  /** The requests of the reconciles that run. */
  #begun = new Map<string, { readonly controller: string; readonly request: string }>();
  #history = new ReconcileHistory();
  #since: number | undefined;
  /** The name of the operator, once it is known. */
  operator = "";

  constructor(pod: string) {
    this.#pod = pod;
  }

  /** Returns the lines of what has ended. */
  add(line: FlightLine): Recorded[] {
    const at = new Date(line.at).toISOString();
    switch (line.channel) {
      case "tsbuilder:flight": {
        if (line.since === this.#since) return [];
        const unfinished = this.unfinished();
        this.#history = new ReconcileHistory();
        this.#begun = new Map();
        this.#since = line.since;
        this.operator = line.name;
        return [...unfinished, { type: "dev", at, text: `a process of pod ${this.#pod} begins its record` }];
      }
      case "tsbuilder:log":
        return [{ type: "operator", at, text: this.#withPod(line.text.trimEnd()) }];
      case "tsbuilder:sample":
        return [recordedSample(line)];
      case "tsbuilder:change":
        return [this.#write(at, line)];
      case "tsbuilder:reconcile:start":
        this.#begun.set(line.reconcileID, line);
        this.#history.add(line);
        return [];
      case "tsbuilder:reconcile:end": {
        const { loggedID, ...message } = line;
        const begun = this.#begun.get(line.reconcileID);
        this.#begun.delete(line.reconcileID);
        const ended = begun && this.#history.add({ ...begun, ...message });
        return ended ? [{ type: "reconcile", ...ended, reconcileID: loggedID ?? ended.reconcileID }] : [];
      }
      case "tsbuilder:enqueue":
      case "tsbuilder:request":
        this.#history.add(line);
        return [];
    }
  }

  /** Returns the reconciles that run, or ran when the process ended. */
  unfinished(): Recorded[] {
    return this.#history.unfinished().map((reconcile) => ({ type: "reconcile", ...reconcile }));
  }

  /** Returns a line of the log with the pod that wrote it. */
  #withPod(text: string): string {
    const fields = text.startsWith("{") ? parseJson(text) : undefined;
    return isObject(fields) ? JSON.stringify({ ...fields, pod: this.#pod }) : `${this.#pod} ${text}`;
  }

  #write(at: string, { change, resource, object, isOwnWrite, manager }: FlightChange): RecordedWrite {
    const key = keyName(object.metadata);
    // Another replica wrote if it was not this process.
    const isOwn = isOwnWrite || manager === this.operator;
    const by = isOwn ? { user: this.#account } : writerOf(manager);
    return { type: "write", at, write: writeTypes[change], resource, key, by, object };
  }

  get #account(): string {
    return `system:serviceaccount:${this.operator}-system:${this.operator}-controller-manager`;
  }
}

/** Returns the writer with the name of a field manager. Programs of the control plane are named like their users. */
function writerOf(manager: string | undefined): RecordedWrite["by"] {
  if (manager === undefined) return undefined;
  if (/^kube-|^kubelet$/u.test(manager)) return { user: `system:${manager}` };
  return { user: `${managerPrefix}${manager}`, userAgent: manager };
}
