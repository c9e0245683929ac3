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

/** A controller as its manager sees it. */
export interface Controller {
  readonly name: string;
  /** Requests that are ready to be processed, not including delayed ones. */
  readonly depth: number;
  /** Reconciles that are running. */
  readonly active: number;
}

/** The parts and settings of a controller; times in milliseconds. */
export interface ControllerSpec<R> {
  readonly name: string;
  readonly keyOf: (request: R) => string;
  /** Log fields that identify a request. */
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
  /** Called when a user's function failed; counts it in the metrics. */
  readonly onCallbackError?: ((callback: CallbackName) => void) | undefined;
}

/** Is notified of what a controller does; updates the metrics. */
export interface ControllerObserver extends QueueObserver {
  reconciled(result: Outcome["result"], milliseconds: number): void;
  failed(kind: "error" | "terminal" | "panic" | "timeout"): void;
}

/** What metrics read from a controller. */
export interface ObservedController extends Controller {
  readonly workers: number;
  readonly queue: { readonly depths: ReadonlyMap<number, number> };
  /** How long each running reconcile has taken so far. */
  readonly workingSeconds: readonly number[];
}

/** A controller that an observer can be attached to. */
export interface MeasurableController extends ObservedController {
  /** The keys being reconciled, and those whose last reconcile ended after a time of `performance.now()`. */
  workedSince(moment: number): readonly string[];
  observe(observer: ControllerObserver): void;
}
