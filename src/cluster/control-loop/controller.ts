import type { Clock } from "@tsbuilder/apimachinery/time";
import type { ClusterObjects, ObjectEvent, ResourceName } from "../contract/cluster-objects.ts";

/** What every controller gets. */
export interface ControllerContext {
  readonly objects: ClusterObjects;
  readonly clock: Clock;
  /** The certificate by which clients know the server, in PEM. */
  readonly caCertificate?: string | undefined;
  /** Gets what a controller failed with before it tries again; lost races are no failures. */
  readonly onError?: (controller: string, key: string, error: unknown) => void;
}

/**
 * One control loop. It is level-based: an event only says which key to look at, and `reconcile` reads what is
 * there and moves it towards what should be.
 */
export interface Controller {
  /** The resources whose events matter; all of them where none are named. */
  readonly watches?: readonly ResourceName[];
  /** Keys to settle at the start although no object asks for it. */
  readonly startKeys?: readonly string[];
  /** The keys that an event concerns. */
  keysOf(event: ObjectEvent): readonly string[];
  /** Settles one key. The answer, if any, is after how many milliseconds to look again. */
  reconcile(key: string): Promise<number | undefined>;
}

/** Makes a controller of a cluster. */
export type ControllerFactory = (context: ControllerContext) => Controller;

/** The user in whose name a controller writes: each has a service account of its own. */
export function userOf(controller: string): string {
  return `system:serviceaccount:kube-system:${controller}-controller`;
}
