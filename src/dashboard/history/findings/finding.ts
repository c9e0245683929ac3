import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { RecordedWrite } from "../../../dev/record/recorded.ts";
import type { Call, Reconcile } from "../history.ts";
import type { Sample } from "../samples.ts";
import type { Change } from "./changes.ts";

/** Something in a record that is likely to be a mistake. */
export interface Finding {
  readonly kind:
    | "fight"
    | "hot loop"
    | "missing right"
    | "slow request"
    | "retry loop"
    | "conflicts"
    | "stuck deletion"
    | "slow webhook"
    | "failing webhook"
    | "denied writes"
    | "restless webhook"
    | "undone writes"
    | "blocked event loop"
    | "growing queue"
    | "growing memory";
  readonly title: string;
  /** A sentence that says what happened, and what to do. */
  readonly text: string;
  /** When it began, in milliseconds since 1970. */
  readonly from: number;
  /** When it was seen for the last time. */
  readonly at: number;
  /** The objects that it is about. */
  readonly places: readonly string[];
  /** The requests whose reconciles it is about. */
  readonly requests: readonly FoundRequest[];
  /** The uid of a webhook's call that shows it. */
  readonly call?: string;
}

/** What a controller reconciles. */
export interface FoundRequest {
  readonly controller: string;
  readonly request: string;
}

/** A write, with what is known about its object. */
export interface SeenWrite {
  readonly place: string;
  readonly key: string;
  readonly at: number;
  readonly write: RecordedWrite["write"];
  readonly by: RecordedWrite["by"];
  readonly writer: string;
  readonly object: KubernetesObject;
  /** What it changed in the object that was there. */
  changes(): readonly Change[];
}

/** Requests of a reconcile. */
export type AskedRequests = ReadonlySet<Reconcile["requests"][number]>;

/** A call of a webhook, with what it made of the object. */
export interface SeenCall {
  readonly call: Call;
  /** Undefined if it changed nothing. */
  readonly patched: () => KubernetesObject | undefined;
}

/** Looks for one kind of mistake. */
export interface Detector {
  seeWrite?(write: SeenWrite): void;
  /** `asked` are those of its requests that failed or waited because the page asked for it. */
  seeReconcile?(reconcile: Reconcile, asked: AskedRequests): void;
  seeSample?(sample: Sample): void;
  seeCall?(seen: SeenCall): void;
  /** What was found up to a moment, to which the record is known. */
  found(now: number): readonly Finding[];
}
