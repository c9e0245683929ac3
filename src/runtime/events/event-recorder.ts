import type { Owner } from "../client/options.ts";

/**
 * Records what happened to an object as an `events.k8s.io/v1` Event, for people who read `kubectl describe`.
 * Recording never waits and never throws: events are sent in the background, equal ones become a series, and when
 * too many wait, the newest are dropped and counted.
 */
export interface EventRecorder {
  /** Something expected happened. */
  normal(regarding: Owner, reason: string, note: string, details?: EventDetails): void;
  /** Something needs attention. */
  warning(regarding: Owner, reason: string, note: string, details?: EventDetails): void;
}

/** What an event may say besides. */
export interface EventDetails {
  /** What the controller was doing; the reason unless said otherwise. */
  readonly action?: string | undefined;
  /** A second object that takes part. */
  readonly related?: Owner | undefined;
  readonly annotations?: { readonly [name: string]: string } | undefined;
}
