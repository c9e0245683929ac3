import type { Clock } from "@tsbuilder/apimachinery/time";
import type { Kubeconfig } from "../../../src/cluster/auth/credentials.ts";

/** A kubelet's report on pods: of those with these labels, on the first ones by name. */
export interface PodReport {
  readonly labels: Readonly<Record<string, string>>;
  /** Selects pods in these phases. Default: pending pods. */
  readonly phases?: readonly string[];
  readonly count?: number;
  readonly status: Readonly<Record<string, unknown>>;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly type?: string;
}

/** One step; after it, the controllers come to rest. */
export interface Step {
  readonly name: string;
  readonly requests?: readonly Request[];
  readonly reports?: readonly PodReport[];
  /** Seconds without any change after which a real control plane counts as at rest. Default: 3. */
  readonly rest?: number;
}

/**
 * Steps in a separate namespace: `{ns}` in paths and bodies, `{now}` for the time, `{uid PATH}` for an object's UID.
 */
export interface Story {
  readonly name: string;
  readonly steps: readonly Step[];
}

/** The state of a namespace after a step, masked: both control planes must agree on it. */
export interface Outcome {
  readonly step: string;
  readonly state: readonly unknown[];
}

export interface Target {
  readonly kubeconfig: Kubeconfig;
  readonly namespace: string;
  /** The machine's clock by default. */
  readonly clock?: Clock;
}

export const post = (path: string, body: unknown): Request => ({ method: "POST", path, body });
export const merge = (path: string, body: unknown): Request => ({
  method: "PATCH",
  path,
  body,
  type: "application/merge-patch+json",
});
export const remove = (path: string, body?: unknown): Request => ({
  method: "DELETE",
  path,
  ...(body !== undefined && { body }),
});

export const ready = {
  phase: "Running",
  conditions: [{ type: "Ready", status: "True", lastTransitionTime: "2020-01-01T00:00:00Z" }],
} as const;
