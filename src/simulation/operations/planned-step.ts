import type { Step } from "../contract/index.ts";

/** A step with what a plan knows about it. */
export type PlannedStep = Extract<Step, { do: "apply" | "delete" }> & {
  /** In words: `sets spec.replicas to its maximum, 10`. */
  readonly why: string;
  /** The schema or a rule doesn't admit it. */
  readonly expect?: "rejected";
  /** It is admitted, but means nothing to a typical operator; a later step corrects it. */
  readonly strange?: boolean;
};
