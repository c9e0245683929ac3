import { createMergePatch } from "@tsbuilder/apimachinery/patch";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { PlannedFailure } from "@tsbuilder/cluster";
import { type Recorded, type RecordedAction, placeName, restorer } from "../record/recorded.ts";
import { initialObject, managedFieldsOf } from "./owned-fields.ts";
import type { Selection, SessionWrite, SessionWrites } from "./session-writes.ts";
import { describeAction } from "../record/describe-action.ts";

/** What a written test leaves out, each said once. */
export class Notes {
  readonly #texts = new Set<string>();

  add(text: string): void {
    this.#texts.add(text);
  }

  get texts(): readonly string[] {
    return [...this.#texts];
  }
}

/** What a test does in the place of a hand. */
export type Step =
  | { readonly type: "create"; readonly object: KubernetesObject; readonly body: object }
  | { readonly type: "change" | "change status"; readonly object: KubernetesObject; readonly patch: object }
  | { readonly type: "delete"; readonly object: KubernetesObject; readonly policy: string | undefined }
  | PageStep
  /** Waits until the operator is idle, and these custom resources, which changed since the last wait, are like this. */
  | { readonly type: "wait"; readonly rested: readonly KubernetesObject[] };

/** Steps that are closer than this, in milliseconds, are made without a wait, unless the operator did something. */
export const apart = 1000;

/**
 * What hands did with the selected objects, and what hands had made before, in the order of time, with what the page did
 * between.
 */
export function handSteps(
  { writes, values }: Pick<SessionWrites, "writes" | "values">,
  selection: Selection,
  notes: Notes,
  page: readonly TimedPageStep[] = [],
): Step[] {
  const steps: Step[] = [];
  const found = new Map<string, KubernetesObject>();
  let rested = new Set<KubernetesObject>();
  let last = Infinity;
  let next = 0;
  const followPage = (until: number): void => {
    for (; next < page.length && page[next]!.at <= until; next++) {
      const { at: _, ...step } = page[next]!;
      const before = steps.at(-1)?.type;
      // An operator that has had nothing to do since its start needs no other one.
      if (step.type === "restart" && (before === undefined || before === "restart")) continue;
      if (before !== undefined && before !== "fail") steps.push({ type: "wait", rested: [] });
      steps.push(step);
    }
  };
  // Of what was there before, custom resources come last: they may need the rest.
  const rank = ({ write, object }: SessionWrite): number =>
    write === "KEPT" ? Number(selection.isOwn(object)) : 2;
  for (const write of writes.toSorted((a, b) => rank(a) - rank(b))) {
    const { at, by, object, key } = write;
    if (!selection.has(object)) continue;
    const isHands = write.write === "KEPT" ? isKeptByHand(object, selection) : by === "hand";
    const step = isHands ? stepOf(write, notes) : undefined;
    if (step && values.isUnstable(object.metadata.name ?? "")) {
      notes.add(`what a hand did with ${object.kind} ${key} is left out: its name is generated`);
    } else if (step) {
      followPage(at);
      const isRested = at - write.restedSince >= apart;
      const isApart = at - last >= apart || write.idleSince > last;
      if (isApart && steps.length > 0) {
        const now = isRested ? [...found.values()] : [];
        steps.push({ type: "wait", rested: now.filter((each) => !rested.has(each)) });
        rested = new Set([...rested, ...now]);
      }
      steps.push(step);
      last = at;
    }
    if (!selection.isOwn(object)) continue;
    if (write.write === "DELETED") found.delete(placeName(write));
    else found.set(placeName(write), object);
  }
  followPage(Infinity);
  return steps;
}

/** What the page did besides writing objects, as far as a test can do it. */
type PageStep =
  /** Stops the operator and starts another one. */
  | { readonly type: "restart" }
  /** Has the operator's next requests fail, or wait for their answers. */
  | { readonly type: "fail"; readonly failure: PlannedFailure };

/** A step, in milliseconds since 1970. */
type TimedPageStep = PageStep & { readonly at: number };

/** Actions after which another process of the operator runs; the one of a test takes no Lease. */
const restarting: ReadonlySet<string> = new Set(["restart", "lose-leader"]);

/** Finds what a test does as the page did; the rest is noted. */
export function pageSteps(recorded: readonly Recorded[], notes: Notes): TimedPageStep[] {
  const steps: TimedPageStep[] = [];
  // Records of before have no actions.
  let wentBack = recorded.some((one) => one.type === "write" && one.by?.user === restorer);
  for (const action of recorded) {
    if (action.type !== "action" || action.outcome !== "done") continue;
    const at = Date.parse(action.at);
    if (restarting.has(action.name)) steps.push({ type: "restart", at });
    else if (action.name === "fail") steps.push({ type: "fail", at, failure: plannedFailure(action) });
    else if (action.name === "restore") wentBack = true;
    else if (action.name === "move-clock")
      notes.add(
        `the page ${describeAction(action)}, which the test does not: give the cluster and the manager a FakeClock, and move it with moveClock of @tsbuilder/runtime/testing`,
      );
  }
  if (wentBack)
    notes.add(
      "the session went back in time, which the test does not: correct what it expects, or record another session",
    );
  return steps;
}

/** Whether the operator's requests have met all failures that were planned. */
export function haveAllBeenMet(recorded: readonly Recorded[]): boolean {
  let left = 0;
  for (const one of recorded) {
    if (one.type === "fault") left--;
    else if (one.type === "action" && one.name === "fail" && one.outcome === "done")
      left += plannedFailure(one).times;
  }
  return left === 0;
}

function plannedFailure({ input }: RecordedAction): PlannedFailure {
  const { verb, resource, times = 1, code, delay } = input;
  const outcome = code === undefined ? { delay } : { code };
  return { verb, resource, outcome, times } as PlannedFailure;
}

/** Of what was there before, custom resources are a hand's, and what kubectl, the page or dev's samples made. */
function isKeptByHand(object: KubernetesObject, { isOwn }: Selection): boolean {
  const { deletionTimestamp, ownerReferences = [] } = object.metadata;
  if (deletionTimestamp !== undefined) return false;
  const [first] = managedFieldsOf(object);
  return (
    isOwn(object) ||
    (ownerReferences.length === 0 && /^(?:kubectl|tsbuilder-dev-|tsbuilder-page)/u.test(first?.manager ?? ""))
  );
}

function stepOf({ write, object, key, resource, before }: SessionWrite, notes: Notes): Step | undefined {
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
    // The last finalizer was removed.
    if ((before.metadata.finalizers ?? []).length === 0) return undefined;
    return { type: "change", object, patch: { metadata: { finalizers: null } } };
  }
  if (object.metadata.deletionTimestamp !== undefined && !wasEnding)
    return { type: "delete", object, policy: policyOf(object.metadata.finalizers ?? []) };
  const patch = createMergePatch(writable(before), writable(object));
  if (Object.keys(patch).length > 0) return { type: "change", object, patch };
  const status = createMergePatch(statusOf(before), statusOf(object));
  if (Object.keys(status).length > 0) return { type: "change status", object, patch: status };
  if (object.kind === "Secret")
    notes.add(`a change of the values of Secret ${key} is left out: they are not in a record`);
  return undefined;
}

/** Without finalizers, which the operator may have added, and whatever managed fields say of who changed it last. */
function asCreated(object: KubernetesObject): KubernetesObject {
  const { finalizers: _, managedFields: __, ...metadata } = object.metadata;
  return { ...object, metadata };
}

function policyOf(finalizers: readonly string[]): string | undefined {
  if (finalizers.includes("foregroundDeletion")) return "Foreground";
  return finalizers.includes("orphan") ? "Orphan" : undefined;
}

/** What a client may change. */
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

const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
