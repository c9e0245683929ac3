import type { MistakeClass } from "../contract/index.ts";

/** The meaning of each class of mistake, and how to prevent it. */
export const advice: { readonly [name in MistakeClass]: string } = {
  interrupted:
    "what had begun when the process died, or a request failed, was left unfinished, was done twice, or is in the way when it is tried again. Compute everything from the spec and the objects that exist, in each reconcile; remember nothing that a write has not stored; take what is done already for done.",
  "stale-view":
    "a process acted on a view that was out of date. Let writes carry the uid or resourceVersion that was read, and name children so that a second create fails.",
  "missed-event":
    "what an event should have caused never happened. Watch everything that a reconcile reads; compare desired and actual state instead of reacting to the kind of an event; use a finalizer for what must happen at deletion.",
  unretried: "a request that failed was never made again. Let the error end the reconcile: it is retried.",
  "lost-answer":
    "a request was carried out, but its answer was an error or got lost, and the operator went on as if nothing had been done. Give what you make a name that is computed, so that a repeated create finds what is there; if the API has idempotency keys, pass the uid.",
  handover:
    "a process that could not renew its lease ended, and the work was left incomplete or was done twice. Keep nothing in memory that the next leader needs, and make calls that no lease protects idempotent.",
  suspended:
    "a process stood still for a while, and went on as if no time had passed. Read again what a decision depends on before you act outside of the cluster: a lease protects writes to the cluster only.",
  "wrong-clock":
    "the outcome depends on the date of the operator's machine, and that was wrong for a while. Compare dates that the API server wrote with each other, wait with `requeueAfter`, which needs no date, and compute again what a date decided.",
  drift:
    "a child that somebody changed or deleted stays so. Watch the children (`owns`), and apply them in each reconcile.",
  upgrade:
    "what the former release left is not what this one makes of the same spec. Set every field in each reconcile, and delete what only the former release made.",
  rollback:
    "after a rollback, the former release can't go on from what this one left: a finalizer that it never removes, a child under another name, a field that it reads otherwise. Release what reads both first, and what writes the new one later.",
  tightened:
    "the API refuses what the former release accepts: manifests that were valid can't be applied, and stored objects can't be changed. Accept it again, or add a version. npx tsbuilder api check lists all such changes.",
  history:
    "the outcome depends on the way that led to it. Set every field in each reconcile, and delete what the spec no longer asks for.",
  stuck: "after a wrong value was corrected, the operator did not continue.",
  collision:
    "right with one object, wrong with two: names or state are shared between them. If what they share goes to whoever asks first, as a port of a pool does, allow that with `mayDiffer`.",
  order:
    "several objects name the same thing, and the outcome depends on which of them came first. If that is meant, allow it with `mayDiffer`; otherwise refuse all but one of them by a rule that doesn't depend on the past, such as the oldest `creationTimestamp` and then the name.",
  "hot-loop": "writes go on although nothing changes. Write only what differs, and no times or counters.",
  fight:
    "two writers change one field back and forth. Each field needs one owner: omit it from what you apply.",
  hang: "a process never comes to rest, although it writes nothing: a promise that nobody settles, a poll for what never comes, or a real timer that was taken before the simulation began. Return `requeueAfter` instead of waiting in a reconcile.",
  overdue:
    "a hundred days passed, and what became due in them is done only after a restart. Return `requeueAfter` for everything that a date decides, whatever else the reconcile returns, and watch what else the operator waits for.",
  leftover:
    "something is left after the deletion. Set an owner reference on every child in the namespace, and a finalizer for everything else.",
  "foreign-object":
    "an object of somebody else was changed or deleted. Check the owner before, and delete with the uid as precondition.",
  forbidden: "the operator lacks a permission: add it to its RBAC markers.",
  error:
    "a reconcile fails although nothing disturbed it. If Kubernetes rejects what it makes of a value that was drawn, report that in the status, or rule such values out: with markers in the types, or with exploreProject({ operations: { values } }).",
  "observed-generation":
    "the status speaks of another generation: set observedGeneration in each reconcile, to the generation that was read.",
  conditions: "a condition is malformed: use setCondition.",
  "without-lease":
    "a process has written that does not lead, or does not hold the shard: write in reconciles only, or in a runnable that needs leader election.",
  promise: "a promise of the test is broken.",
};

/** The book's address. A test compares it with `src/shared/book-address.ts`, which this room may not import. */
const book = "https://tsbuilder.dev/book";

/** The page of the book about each class. */
export const bookPages: { readonly [name in MistakeClass]: string } = {
  interrupted: `${book}/concepts/reconcile.html`,
  "stale-view": `${book}/concepts/cache.html`,
  "missed-event": `${book}/concepts/reconcile.html`,
  unretried: `${book}/concepts/queue.html`,
  "lost-answer": `${book}/guides/finalizers.html#calling-an-external-api`,
  handover: `${book}/concepts/leases.html`,
  suspended: `${book}/concepts/leases.html`,
  "wrong-clock": `${book}/concepts/reconcile.html`,
  drift: `${book}/concepts/owners.html`,
  upgrade: `${book}/guides/api-changes.html#explore-from-the-last-release`,
  rollback: `${book}/guides/api-changes.html#explore-from-the-last-release`,
  tightened: `${book}/guides/api-changes.html`,
  history: `${book}/guides/children.html`,
  stuck: `${book}/concepts/reconcile.html`,
  collision: `${book}/guides/children.html`,
  order: `${book}/guides/children.html`,
  "hot-loop": `${book}/concepts/status.html`,
  fight: `${book}/concepts/owners.html#server-side-apply`,
  hang: `${book}/concepts/queue.html`,
  overdue: `${book}/concepts/queue.html`,
  leftover: `${book}/guides/finalizers.html`,
  "foreign-object": `${book}/guides/children.html`,
  forbidden: `${book}/guides/permissions.html`,
  error: `${book}/guides/controllers.html`,
  "observed-generation": `${book}/concepts/status.html`,
  conditions: `${book}/concepts/status.html`,
  "without-lease": `${book}/concepts/leases.html`,
  promise: `${book}/guides/scenarios.html`,
};
