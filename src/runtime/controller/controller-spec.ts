import type { CallbackName } from "../callbacks/callback-error.ts";
import type { Clock } from "@tsbuilder/apimachinery/time";
import type { EventRecorder } from "../events/event-recorder.ts";
import type { LogFields, Logger } from "../log/logger.ts";
import type { BackoffSettings } from "../queue/backoff.ts";
import type { QueueObserver } from "../queue/work-queue.ts";
import type { Tracing } from "../tracing/tracing.ts";
import type { Outcome } from "./outcome.ts";
import type { Reconciler } from "./reconciler.ts";
import type { Source } from "./source.ts";

/** A controller of a manager, which starts and stops it. */
export interface Controller {
  readonly name: string;
  /** Requests that are due; delayed ones are not counted. */
  readonly depth: number;
  /** Reconciles that run now. */
  readonly active: number;
}

/** What a controller is made of; times in milliseconds. */
export interface ControllerSpec<R> {
  readonly name: string;
  readonly keyOf: (request: R) => string;
  /** What lines about a request say of it. */
  readonly describe: (request: R) => LogFields;
  readonly sources: readonly Source<R>[];
  readonly reconciler: Reconciler<R>;
  readonly maxConcurrentReconciles: number;
  readonly reconcileTimeout: number | undefined;
  readonly stuckAfter: number;
  readonly cacheSyncTimeout: number;
  readonly backoff: BackoffSettings;
  readonly log: Logger;
  readonly events: EventRecorder;
  readonly clock?: Clock | undefined;
  readonly tracing?: Tracing | undefined;
  /** Told that a function of the user's failed, for metrics. */
  readonly onCallbackError?: ((callback: CallbackName) => void) | undefined;
}

/** Receives what a controller does, for metrics. */
export interface ControllerObserver extends QueueObserver {
  reconciled(result: Outcome["result"], milliseconds: number): void;
  failed(kind: "error" | "terminal" | "panic" | "timeout"): void;
}

/** What metrics look at. */
export interface ObservedController extends Controller {
  readonly workers: number;
  readonly queue: { readonly depths: ReadonlyMap<number, number> };
  /** How long each running reconcile has taken so far. */
  readonly workingSeconds: readonly number[];
}

/** A controller that can be told to report. */
export interface MeasurableController extends ObservedController {
  /** The keys being reconciled now, and those whose last reconcile ended after a moment of `performance.now()`. */
  workedSince(moment: number): readonly string[];
  observe(observer: ControllerObserver): void;
}
