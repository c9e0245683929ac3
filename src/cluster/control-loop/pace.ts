import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";

/**
 * A step that takes time in a cluster: until a pod is looked at by the scheduler (`schedule`), until its containers run on its node
 * (`start`), until they are ready (`ready`), until those of a Job have completed (`run`) and those of a deleted pod have
 * ended (`stop`); until a claim is bound (`bind`).
 */
export type PacedStep = "schedule" | "start" | "ready" | "run" | "stop" | "bind";

/**
 * Returns the milliseconds that a step takes for a pod or a claim: the same whenever it is asked, or later if it gets stuck. If
 * `start` takes for ever, or for minutes, the images of the pod can't be pulled until then.
 */
export type Pace = (step: PacedStep, object: KubernetesObject) => number;

/** Nothing takes time, but for the pod of a Job. */
export const withoutDelay: Pace = (step) => (step === "run" ? 1000 : 0);
