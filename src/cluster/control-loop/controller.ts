// The parts of controllers, on top of `ClusterObjects` and without HTTP. This file says what a controller is,
// `control-loop.ts` runs one. The other files have what controllers share: keys, Events, adoption, pods, revisions.

import type { Clock, TimerPurpose } from "@tsbuilder/apimachinery/time";
import type { CertificateWithKey } from "@tsbuilder/apimachinery/certs";
import type { Authorizer } from "../contract/authorizer.ts";
import type { ClusterObjects, ObjectEvent, ResourceName } from "../contract/cluster-objects.ts";
import type { Pace } from "./pace.ts";

export interface ControllerContext {
  readonly objects: ClusterObjects;
  readonly clock: Clock;
  /** The CA certificate that clients verify the server with, in PEM. */
  readonly caCertificate?: string | undefined;
  /** The CA that signs certificate requests. Default: none are signed. */
  readonly authority?: CertificateWithKey | undefined;
  /** Decides what the senders of certificate requests may ask for. */
  readonly authorizer?: Authorizer | undefined;
  /** Reads the API of metrics-server. Default: there is none. */
  readonly readMetrics?: MetricsReader | undefined;
  /** How long pods and claims take. Default: no time. */
  readonly pace?: Pace | undefined;
  /** Called with the error of a failed reconcile before it is retried; not called for conflicts. */
  readonly onError?: (controller: string, key: string, error: unknown) => void;
}

/** Reads metrics.k8s.io, as far as a server behind this one serves it. */
export interface MetricsReader {
  isServed(): boolean;
  /** Returns the document at a path. Rejects if the server does not respond. */
  get(path: string): Promise<unknown>;
}

/** One control loop, level-based: an event only says which key to reconcile; `reconcile` reads the current state. */
export interface Controller {
  /** The resources to watch. Default: all. */
  readonly watches?: readonly ResourceName[];
  /** The purpose of the timers of its requeues. Default: `work`. */
  readonly requeues?: TimerPurpose;
  /** Keys to reconcile at the start, besides those of existing objects. */
  readonly startKeys?: readonly string[];
  keysOf(event: ObjectEvent): readonly string[];
  /** Reconciles one key. Returns the milliseconds after which to requeue it, if any. */
  reconcile(key: string): Promise<number | undefined>;
}

export type ControllerFactory = (context: ControllerContext) => Controller;

/** The objects that a controller writes, and the user to whom its writes are attributed. */
export interface Writer {
  readonly objects: ClusterObjects;
  readonly user: string;
}

/** The user of a controller: each has its own service account. */
export function userOf(controller: string): string {
  return `system:serviceaccount:kube-system:${controller}-controller`;
}
