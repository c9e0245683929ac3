import { createMergePatch } from "@tsbuilder/apimachinery/patch";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { PlannedFailure } from "@tsbuilder/cluster";
import { type Recorded, type RecordedAction, placeName, restorer } from "../record/recorded.ts";
import { initialObject } from "./owned-fields.ts";
import type { Selection } from "./select-objects.ts";
import type { SessionWrite, SessionWrites } from "./session-writes.ts";
import { lastApplied } from "../record/hide-secrets.ts";
import { describeAction } from "../record/describe-action.ts";

/** An action of the page, other than a write, that a test can repeat. */
type PageStep =
  /** Stops the operator and starts another one. */
  | { readonly type: "restart" }
  /** Lets the operator's next requests fail, or wait for their answers. */
  | { readonly type: "fail"; readonly failure: PlannedFailure };

/** A statement of a test: a manual write, an action of the page, or a wait. */
export type Step =
  | { readonly type: "create"; readonly object: KubernetesObject; readonly body: object }
  | { readonly type: "change" | "change status"; readonly object: KubernetesObject; readonly patch: object }
  | { readonly type: "delete"; readonly object: KubernetesObject; readonly policy: string | undefined }
  | PageStep
  /** Waits until the operator is idle, and expects the custom resources that changed since the last wait: `rested`. */
  | { readonly type: "wait"; readonly rested: readonly KubernetesObject[] };

/** Remarks about parts of a session that a written test leaves out. */
export type Notes = Set<string>;

/** The time in milliseconds between two steps from which on the test waits; it also waits if the operator did something. */
export const pauseMilliseconds = 1000;

/** A step with its time in milliseconds since 1970. */
type TimedPageStep = PageStep & { readonly at: number };

/**
 * Returns the steps of a test in the order of time: the manual writes of selected objects, including those of objects that
 * existed before the record, the page's other actions, and waits where the session paused.
 */
export function handSteps(
  { writes, values }: Pick<SessionWrites, "writes" | "values">,
  selection: Selection,
  notes: Notes,
  page: readonly TimedPageStep[] = [],
): Step[] {
  const timeline = new StepTimeline(page);
  // Objects that existed before come first, and of these, custom resources last: they may need the others.
  const rank = ({ write, object }: SessionWrite): number =>
    write === "KEPT" ? Number(selection.isOwn(object)) : 2;
  for (const write of writes.toSorted((a, b) => rank(a) - rank(b))) {
    const { by, object, key } = write;
    if (!selection.has(object)) continue;
    const isManual = write.write === "KEPT" ? wasMadeManually(object, selection) : by === "hand";
    const step = isManual ? toStep(write, notes) : undefined;
    if (step && values.isUnstable(object.metadata.name ?? ""))
      notes.add(`what a hand did with ${object.kind} ${key} is left out: its name is generated`);
    else if (step) timeline.addManualStep(step, write);
    if (selection.isOwn(object)) timeline.follow(write);
  }
  timeline.addPageSteps(Infinity);
  return timeline.steps;
}

/** Puts manual steps and steps of the page into the order of time, with waits between them. */
class StepTimeline {
  readonly steps: Step[] = [];
  /** The steps of the page that are not added yet. */
  readonly #page: TimedPageStep[];
  /** The current states of the custom resources, by place. */
  readonly #current = new Map<string, KubernetesObject>();
  /** The states that an earlier wait expects. */
  readonly #expected = new Set<KubernetesObject>();
  /** The time of the last manual step. */
  #lastAt = Infinity;

  constructor(page: readonly TimedPageStep[]) {
    this.#page = [...page];
  }

  /** Adds a manual step after the earlier steps of the page, and after a wait if the session paused before it. */
  addManualStep(step: Step, { at, restedSince, idleSince }: SessionWrite): void {
    this.addPageSteps(at);
    const isAfterPause = at - this.#lastAt >= pauseMilliseconds || idleSince > this.#lastAt;
    if (isAfterPause && this.steps.length > 0)
      this.steps.push({
        type: "wait",
        rested: at - restedSince >= pauseMilliseconds ? this.#newStates() : [],
      });
    this.steps.push(step);
    this.#lastAt = at;
  }

  /** Adds the steps of the page up to a moment. */
  addPageSteps(until: number): void {
    while (this.#page.length > 0 && this.#page[0]!.at <= until) {
      const { at: _, ...step } = this.#page.shift()!;
      const before = this.steps.at(-1)?.type;
      // An operator that has had nothing to do since its start need not be restarted.
      if (step.type === "restart" && (before === undefined || before === "restart")) continue;
      if (before !== undefined && before !== "fail") this.steps.push({ type: "wait", rested: [] });
      this.steps.push(step);
    }
  }

  /** Remembers the state of a custom resource, for the next wait to expect. */
  follow(write: SessionWrite): void {
    if (write.write === "DELETED") this.#current.delete(placeName(write));
    else this.#current.set(placeName(write), write.object);
  }

  /** Returns the current states that no earlier wait expects. */
  #newStates(): KubernetesObject[] {
    const states = [...this.#current.values()].filter((object) => !this.#expected.has(object));
    for (const object of states) this.#expected.add(object);
    return states;
  }
}

/** Returns whether a person made an object of an earlier session: a custom resource, or by kubectl, the page or a sample. */
function wasMadeManually(object: KubernetesObject, { isOwn }: Selection): boolean {
  const { deletionTimestamp, ownerReferences = [], managedFields: [first] = [] } = object.metadata;
  if (deletionTimestamp !== undefined) return false;
  return (
    isOwn(object) ||
    (ownerReferences.length === 0 && /^(?:kubectl|tsbuilder-dev-|tsbuilder-page)/u.test(first?.manager ?? ""))
  );
}

/** Returns the step that repeats a manual write; undefined, mostly with a note, for a write that a test can't repeat. */
function toStep({ write, object, key, resource, before }: SessionWrite, notes: Notes): Step | undefined {
  if (resource === "customresourcedefinitions.apiextensions.k8s.io") {
    notes.add(`the CRD ${key} was applied by hand: give its file to startTestCluster, too`);
    return undefined;
  }
  if (write === "ADDED" || write === "KEPT") {
    if (object.kind === "Secret")
      notes.add(`the values of Secret ${key} are not in a record: replace "not-recorded" in the test`);
    if ((object.metadata.ownerReferences ?? []).length > 0)
      notes.add(`${object.kind} ${key} is created without its owners: their uids differ between runs`);
    return { type: "create", object, body: initialObject(write === "KEPT" ? asCreated(object) : object) };
  }
  if (before === undefined) return undefined;
  const wasEnding = before.metadata.deletionTimestamp !== undefined;
  if (write === "DELETED") {
    if (!wasEnding) return { type: "delete", object, policy: undefined };
    // This write removed the last finalizer.
    if ((before.metadata.finalizers ?? []).length === 0) return undefined;
    return { type: "change", object, patch: { metadata: { finalizers: null } } };
  }
  if (object.metadata.deletionTimestamp !== undefined && !wasEnding)
    return { type: "delete", object, policy: propagationPolicy(object.metadata.finalizers ?? []) };
  const patch = createMergePatch(writable(before), writable(object));
  if (Object.keys(patch).length > 0) return { type: "change", object, patch };
  const status = createMergePatch(statusOf(before), statusOf(object));
  if (Object.keys(status).length > 0) return { type: "change status", object, patch: status };
  if (object.kind === "Secret")
    notes.add(`a change of the values of Secret ${key} is left out: they are not in a record`);
  return undefined;
}

/** Removes finalizers, which the operator may have added, and managedFields, which only name the last writers. */
function asCreated(object: KubernetesObject): KubernetesObject {
  const { finalizers: _, managedFields: __, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Returns the policy of a deletion by the finalizers that the API server added for it. */
function propagationPolicy(finalizers: readonly string[]): string | undefined {
  if (finalizers.includes("foregroundDeletion")) return "Foreground";
  return finalizers.includes("orphan") ? "Orphan" : undefined;
}

/** Returns the part of an object that a client can change. */
function writable({ metadata, ...object }: KubernetesObject): object {
  const { status: _, ...rest } = object as { readonly status?: unknown };
  const { labels = {}, annotations = {}, finalizers = [] } = metadata;
  const { [lastApplied]: __, ...kept } = annotations;
  return { ...rest, metadata: { labels, annotations: kept, finalizers } };
}

function statusOf(object: KubernetesObject): object {
  const { status } = object as { readonly status?: unknown };
  return status === undefined ? {} : { status };
}

/** Actions that start another process of the operator. The operator of a test takes no Lease, so it can only be restarted. */
const restarting: ReadonlySet<string> = new Set(["restart", "lose-leader"]);

/** Returns the actions of the page that a test can repeat, and adds a note for each other one. */
export function pageSteps(recorded: readonly Recorded[], notes: Notes): TimedPageStep[] {
  const steps: TimedPageStep[] = [];
  for (const action of recorded) {
    if (action.type !== "action" || action.outcome !== "done") continue;
    const at = Date.parse(action.at);
    if (restarting.has(action.name)) steps.push({ type: "restart", at });
    else if (action.name === "fail") steps.push({ type: "fail", at, failure: plannedFailure(action) });
    else if (action.name === "move-clock")
      notes.add(
        `the page ${describeAction(action)}, which the test does not: give the cluster and the manager a FakeClock, and move it with moveClock of @tsbuilder/runtime/testing`,
      );
  }
  // Records of earlier versions have no actions, but the writes of a restore.
  if (recorded.some((line) => line.type === "write" && line.by?.user === restorer))
    notes.add(
      "the session went back in time, which the test does not: correct what it expects, or record another session",
    );
  return steps;
}

function plannedFailure({ input }: RecordedAction): PlannedFailure {
  const { verb, resource, times = 1, code, delay } = input;
  const outcome = code === undefined ? { delay } : { code };
  return { verb, resource, outcome, times } as PlannedFailure;
}

/** Returns true if the operator's requests met all planned failures. */
export function haveAllBeenMet(recorded: readonly Recorded[]): boolean {
  let unmet = 0;
  for (const line of recorded) {
    if (line.type === "fault") unmet--;
    else if (line.type === "action" && line.name === "fail" && line.outcome === "done")
      unmet += plannedFailure(line).times;
  }
  return unmet === 0;
}
