import type { MistakeClass } from "../contract/index.ts";

/** What each class of mistake means, and what prevents it. */
export const advice: { readonly [name in MistakeClass]: string } = {
  interrupted:
    "a process that died between two writes never finished. Compute everything from the spec and the objects that exist, in each reconcile; remember nothing that a write has not stored.",
  "stale-view":
    "a process acted on a view that lagged behind. Let writes carry the uid or resourceVersion that was read, and name children so that a second create fails.",
  "missed-event":
    "what an event should have caused never happened. Compare desired and actual state instead of reacting to the kind of an event; use a finalizer for what must happen at deletion.",
  unretried: "a request that failed was never made again. Let the error end the reconcile: it is retried.",
  drift:
    "a child that somebody changed or deleted stays so. Watch the children (`owns`), and apply them in each reconcile.",
  history:
    "the outcome depends on the way that led to it. Set every field in each reconcile, and delete what the spec no longer asks for.",
  stuck: "after a wrong value was corrected, the operator did not continue.",
  collision: "right with one object, wrong with two: names or state are shared between them.",
  "hot-loop": "writes go on although nothing changes. Write only what differs, and no times or counters.",
  fight:
    "two writers change one field back and forth. Each field needs one owner: omit it from what you apply.",
  hang: "a process never comes to rest, although it writes nothing: a promise that nobody settles, a poll for what never comes, or a real timer that was taken before the simulation began. Return `requeueAfter` instead of waiting in a reconcile.",
  leftover:
    "something is left after the deletion. Set an owner reference on every child in the namespace, and a finalizer for everything else.",
  "foreign-object":
    "an object of somebody else was changed or deleted. Check the owner before, and delete with the uid as precondition.",
  forbidden: "the operator lacks a permission: add it to its RBAC markers.",
  error: "a reconcile fails although nothing disturbed it.",
  "observed-generation":
    "the status speaks of another generation: set observedGeneration in each reconcile, to the generation that was read.",
  conditions: "a condition is malformed: use setCondition.",
  "without-lease":
    "a process has written that does not lead, or does not hold the shard: write in reconciles only, or in a runnable that needs leader election.",
  promise: "a promise of the test is broken.",
};

const runtime = "@tsbuilder/runtime/README.md";
const simulation = "@tsbuilder/simulation/README.md";

/** Where the documentation tells more, in the packages that a project has. */
export const docs: { readonly [name in MistakeClass]: string } = {
  interrupted: `${runtime}#controllers`,
  "stale-view": `${runtime}#the-cache`,
  "missed-event": `${runtime}#controllers`,
  unretried: `${runtime}#controllers`,
  drift: `${runtime}#children`,
  history: `${runtime}#children`,
  stuck: `${runtime}#controllers`,
  collision: `${runtime}#children`,
  "hot-loop": `${runtime}#controllers`,
  fight: `${runtime}#the-client`,
  hang: `${runtime}#controllers`,
  leftover: `${runtime}#controllers`,
  "foreign-object": `${runtime}#the-client`,
  forbidden: `${runtime}#permissions`,
  error: `${runtime}#controllers`,
  "observed-generation": `${simulation}#verdicts`,
  conditions: `${simulation}#verdicts`,
  "without-lease": `${runtime}#leader-election`,
  promise: `${simulation}#verdicts`,
};
