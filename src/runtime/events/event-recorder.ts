import type { Owner } from "../client/options.ts";

/**
 * Records what happened to an object as an `events.k8s.io/v1` Event, shown by `kubectl describe`. Recording never waits
 * and never throws: Events are sent in the background, equal ones become a series, and when too many are waiting, the
 * newest are dropped and counted.
 */
export interface EventRecorder {
  /** Something expected happened. */
  normal(regarding: Owner, reason: string, note: string, details?: EventDetails): void;
  /** Something needs attention. */
  warning(regarding: Owner, reason: string, note: string, details?: EventDetails): void;
}

/** Optional fields of an Event. */
export interface EventDetails {
  /** The action of the controller: `Scaling`. Default: the reason. */
  readonly action?: string | undefined;
  /** A second object that is involved. */
  readonly related?: Owner | undefined;
  readonly annotations?: { readonly [name: string]: string } | undefined;
}
