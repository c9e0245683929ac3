import type { MistakeClass } from "@tsbuilder/simulation";

/** A mistake of an operator, in a folder of its name: `wrong.ts` has it, `right.ts` beside it doesn't. */
export interface Exhibit {
  readonly mistake: string;
  /** The classes that the mistake may be found as: which one depends on the schedule that shows it first. */
  readonly classes: readonly MistakeClass[];
  /** The first plan of steps that shows it, unless it is the first of all. */
  readonly plan?: number;
  /** An object of another owner whose name an operator would use, too. */
  readonly withStranger?: true;
  /** True if one of the namespaces is deleted at the end. */
  readonly endsNamespace?: true;
}

/** All mistakes. */
export const exhibits: readonly Exhibit[] = [
  {
    mistake: "second-child-forgotten",
    classes: ["interrupted", "drift", "stale-view", "missed-event", "lost-answer"],
  },
  { mistake: "one-time-step-twice", classes: ["interrupted", "stale-view", "unretried", "lost-answer"] },
  { mistake: "stranger-deleted", plan: 4, classes: ["foreign-object"], withStranger: true },
  { mistake: "stranger-overwritten", plan: 4, classes: ["foreign-object"], withStranger: true },
  {
    mistake: "deletion-unobserved",
    classes: ["missed-event", "interrupted", "leftover", "stale-view", "lost-answer"],
  },
  {
    mistake: "finalizer-removed-first",
    classes: ["interrupted", "unretried", "missed-event", "lost-answer"],
  },
  { mistake: "finalizer-never-removed", classes: ["interrupted", "unretried", "drift", "lost-answer"] },
  { mistake: "updated-only-together", plan: 3, classes: ["history"] },
  { mistake: "removed-field-stays", plan: 9, classes: ["history", "stuck"] },
  { mistake: "blocked-for-ever", plan: 4, classes: ["stuck"] },
  { mistake: "two-writers", classes: ["fight", "hot-loop"] },
  { mistake: "status-wakes-itself", classes: ["hot-loop"] },
  { mistake: "owner-missing", classes: ["leftover"] },
  { mistake: "child-elsewhere", classes: ["leftover"] },
  { mistake: "one-object-only", plan: 2, classes: ["collision", "error"] },
  { mistake: "one-namespace-only", plan: 2, classes: ["collision", "error"] },
  { mistake: "short-names-only", plan: 6, classes: ["error"] },
  { mistake: "memory-lost", plan: 2, classes: ["interrupted"] },
  { mistake: "random-name", classes: ["stale-view", "history"] },
  { mistake: "already-exists-ignored", classes: ["history", "drift", "stuck"] },
  { mistake: "order-of-a-list", plan: 3, classes: ["collision"] },
  { mistake: "generation-not-observed", plan: 2, classes: ["observed-generation"] },
  { mistake: "condition-always-new", classes: ["hot-loop"] },
  { mistake: "condition-malformed", plan: 2, classes: ["conditions", "error"] },
  { mistake: "no-requeue", classes: ["hot-loop"] },
  { mistake: "watch-missing", plan: 4, classes: ["drift"] },
  { mistake: "permission-missing", classes: ["forbidden"] },
  { mistake: "write-without-lease", classes: ["without-lease"] },
  { mistake: "write-without-shard", classes: ["without-lease"] },
  { mistake: "state-shared", classes: ["collision"] },
  { mistake: "defaults-compared", classes: ["hot-loop"] },
  { mistake: "scaled-by-difference", classes: ["interrupted", "lost-answer"] },
  { mistake: "spec-read-once", plan: 8, classes: ["history", "hot-loop", "missed-event"] },
  { mistake: "old-name-stays", plan: 2, classes: ["history"] },
  { mistake: "names-that-begin-alike", plan: 8, classes: ["collision"] },
  { mistake: "created-never-updated", plan: 3, classes: ["history"] },
  { mistake: "unset-child-stays", plan: 9, classes: ["history"] },
  { mistake: "taken-for-a-strangers", plan: 6, classes: ["drift"] },
  { mistake: "former-child-stays", classes: ["history"] },
  { mistake: "cleanup-creates", classes: ["error", "leftover"], endsNamespace: true },
];
