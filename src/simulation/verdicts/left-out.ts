import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { LeftOut, Run, Scenario, State, TraceEvent } from "../contract/index.ts";
import { shortestPause } from "../contract/run.ts";
import { appliedIn } from "../contract/scenario.ts";
import { isPaused, refText, refTextOf } from "../contract/state.ts";
import type { Difference } from "./differences.ts";

/**
 * Returns the objects and statuses that the cluster's own controllers made in two runs, such as the revisions of a
 * StatefulSet, and the status of a Job. They depend on the way to the outcome, so they aren't compared. An object that an
 * operator wrote to in one of the runs is compared.
 */
export function derivedIn(one: Run, other: Run): LeftOut {
  const statuses = new Set([one, other].flatMap(({ derived }) => [...derived.statuses].map(refTextOf)));
  const all = [...one.state.objects, ...other.state.objects];
  return {
    objects: new Set([...derivedInBoth(one, other), ...derivedInBoth(other, one)]),
    statuses: new Set(all.filter((object) => statuses.has(refTextOf(object)))),
    formerUids: new Map([...formerUids(one), ...formerUids(other)]),
  };
}

/** Returns a text for the uid of each object that a run created: an object that outlives it may still hold its uid. */
function formerUids({ trace }: Run): (readonly [string, string])[] {
  return trace.flatMap((event) =>
    event.type === "change" && event.change === "ADDED"
      ? [[event.uid, `uid of a former ${event.resource} ${event.key}`] as const]
      : [],
  );
}

/** The number of times that a field changes by itself, and for how many milliseconds, until its value depends on the moment. */
const leastRecurrences = 3;
const leastRecurring = 3_600_000;

/**
 * Returns the fields, as differences name them, that operators go on changing for an hour after the last step: what is
 * tried, given up and tried again. A rollout changes fields several times, too, but is over before. When such a run is looked at decides what it has come to.
 */
export function recurringIn({ trace, state, writes }: Run): string[] {
  const names = new Map(state.objects.map((object) => [object.metadata.uid, refTextOf(object)]));
  const since = trace.findLastIndex(({ type }) => type === "step");
  const changed = new Map<string, { readonly first: number; readonly at: number; readonly times: number }>();
  for (const event of trace.slice(since + 1)) {
    if (event.type !== "change" || !(event.by in writes)) continue;
    for (const field of event.fields) {
      const name = `${names.get(event.uid)} ${field}`;
      const { first = event.at, at = -Infinity, times = 0 } = changed.get(name) ?? {};
      if (event.at - at >= shortestPause) changed.set(name, { first, at: event.at, times: times + 1 });
    }
  }
  return [...changed].flatMap(([name, { first, at, times }]) =>
    times >= leastRecurrences && at - first >= leastRecurring ? [name] : [],
  );
}

/**
 * Returns the Jobs (`Job.batch/v1 default/shop`) that were deleted because they had finished or their time was over, and not because
 * of what a user did: nobody runs them again.
 */
export function expiredIn({ trace }: Run): Set<string> {
  const finished = new Map<string, number>();
  const expired = new Set<string>();
  let lastStep = -Infinity;
  for (const event of trace) {
    if (event.type === "phase") break;
    if (event.type === "step") lastStep = event.at;
    if (event.type !== "change" || event.resource !== "jobs.batch") continue;
    const { at, by, change, fields, key } = event;
    if (change === "ADDED") finished.delete(key);
    if (by === "cluster" && fields.includes("status.conditions")) finished.set(key, at);
    const isDeleted = change === "DELETED" || fields.includes("metadata.deletionTimestamp");
    const isTime = lastStep <= (finished.get(key) ?? -Infinity) || at - lastStep >= shortestPause;
    if (isDeleted && by !== "user" && finished.has(key) && isTime) expired.add(`Job.batch/v1 ${key}`);
  }
  return expired;
}

/** Returns the derived objects of a run that no process wrote to in the other run. */
function derivedInBoth({ derived }: Run, other: Run): KubernetesObject[] {
  const counted = new Set(
    other.state.objects.filter((object) => !other.derived.objects.has(object)).map(refTextOf),
  );
  return [...derived.objects].filter((object) => !counted.has(refTextOf(object)));
}

type Write = TraceEvent & { readonly type: "request" };

/** The parts of an outcome that the spec leaves undefined, because it asks for objects that the API server rejects. */
interface Impossible {
  /**
   * The objects (`ConfigMap.v1 default/shop`) whose last write was rejected as invalid, and those with the same owner: an
   * operator may stop at the first error.
   */
  readonly objects: ReadonlySet<string>;
  /** The owners of these objects, whose status may report the error. */
  readonly owners: ReadonlySet<string>;
}

type Owned = Pick<KubernetesObject, "metadata">;

/** Finds the objects of a run whose last write was rejected as invalid, and the objects beside them. */
export function impossibleIn({ trace }: Run, states: readonly State[]): Impossible {
  const last = new Map<string, Write>();
  for (const event of trace) {
    if (event.type === "phase") break;
    if (event.type !== "request" || event.object === undefined || event.status === 0) continue;
    const [, subresource = ""] = /\/(status|scale)$/.exec(event.path.split("?")[0]!) ?? [];
    last.set(`${event.object} ${subresource}`, event);
  }
  const refused = [...last.values()].filter(({ status }) => status === 422);
  const owners = new Set(refused.flatMap(({ body = "{}" }) => ownersOf(JSON.parse(body) as Partial<Owned>)));
  const siblings = states
    .flatMap(({ objects }) => objects)
    .filter((object) => ownersOf(object).some((owner) => owners.has(owner)));
  return {
    objects: new Set([...refused.map(({ object }) => object!), ...siblings.map(refTextOf)]),
    owners,
  };
}

/** Returns whether a difference is in a part that the spec leaves undefined. */
export function isImpossible(
  { objects, owners }: Impossible,
  { object, field = "" }: Pick<Difference, "object" | "field">,
): boolean {
  return objects.has(object) || (owners.has(object) && field.split(".")[0] === "status");
}

/** Returns the possible references to an object's owners: each is in the object's namespace, or cluster-wide. */
function ownersOf({ metadata }: Partial<Owned>): string[] {
  return (metadata?.ownerReferences ?? []).flatMap(({ apiVersion, kind, name }) =>
    [metadata?.namespace, undefined].map((namespace) => refText({ apiVersion, kind, name, namespace })),
  );
}

/** Returns the objects that users paused, and the objects that they own: how far the operator came depends on the moment. */
export function pausedObjects(
  { objects }: State,
  { steps, objects: initial = [] }: Scenario,
): Set<KubernetesObject> {
  const userObjects = new Set([...initial, ...appliedIn(steps)].map(refTextOf));
  const paused = new Set<KubernetesObject>();
  const uids = new Set<string | undefined>();
  const add = (object: KubernetesObject): void => {
    paused.add(object);
    uids.add(object.metadata.uid);
  };
  for (const object of objects) if (isPaused(object) && userObjects.has(refTextOf(object))) add(object);
  for (let before = -1; before < paused.size;) {
    before = paused.size;
    for (const object of objects)
      if (object.metadata.ownerReferences?.some(({ uid }) => uids.has(uid))) add(object);
  }
  return paused;
}
