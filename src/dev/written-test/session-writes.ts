import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import type { Recorded, RecordedAction, RecordedWrite } from "../record/recorded.ts";
import { endedAt, eventResources, pageAgent, placeName, restorer } from "../record/recorded.ts";
import { StableValues } from "./literal.ts";

/** A person with kubectl or a client ("hand"), the operator, or the cluster with its own controllers. */
type Writer = "hand" | "operator" | "cluster";

/** A write of the session, with its writer, the object before it, and how long the session had been quiet. */
export interface SessionWrite extends Pick<RecordedWrite, "resource" | "key" | "object"> {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly write: RecordedWrite["write"];
  readonly by: Writer;
  readonly before: KubernetesObject | undefined;
  /** The time of the last event before it that no person caused; 0 without one. */
  readonly restedSince: number;
  /** The time of the last activity of the operator before it; 0 without one. */
  readonly idleSince: number;
}

/** The last state of an object. */
export interface FinalObject extends Pick<RecordedWrite, "resource" | "key"> {
  /** The object after its last write. */
  readonly object: KubernetesObject;
  readonly exists: boolean;
  /** The writer that created it; undefined if it existed before. */
  readonly creator: Writer | undefined;
  readonly isWrittenByOperator: boolean;
}

/** The writes of a session in their order, and the last states of all objects. */
export interface SessionWrites {
  readonly writes: readonly SessionWrite[];
  readonly objects: readonly FinalObject[];
  /** The names of the field managers with which the operator writes. */
  readonly managers: ReadonlySet<string>;
  readonly values: StableValues;
  /** The time of the last event that no person caused; 0 without one. */
  readonly restedSince: number;
  /** True if the record reached its size limit. */
  readonly isFull: boolean;
}

/** Resources that are written as a side effect of a request for another one, such as Events. */
const sideEffectResources: ReadonlySet<string> = new Set([
  "apiservices.apiregistration.k8s.io",
  ...eventResources,
  "ipaddresses.networking.k8s.io",
]);

/** Resources that are written all the time, or about others: heartbeats and Events. */
const backgroundResources = new Set([...sideEffectResources, "nodes"]);

/** Reads the writes from the record of a project's session. */
export function sessionWrites(recorded: readonly Recorded[], project: string): SessionWrites {
  const writes: SessionWrite[] = [];
  const objects = new Map<string, FinalObject>();
  const managers = new Set<string>();
  const values = new StableValues();
  let [lastWrite, idleSince] = [0, 0];
  const restedSince = (): number => Math.max(lastWrite, idleSince);
  for (const line of recorded) {
    const at = Date.parse(line.at);
    if (line.type === "reconcile") idleSince = Math.max(idleSince, endedAt(line));
    if (line.type !== "write") continue;
    const { resource, key, write, object } = line;
    const place = placeName(line);
    const known = objects.get(place);
    const before = known?.exists === true ? known.object : undefined;
    const by = writerOf(line, project);
    const isBackground = backgroundResources.has(resource);
    writes.push({ resource, key, write, object, at, by, before, idleSince, restedSince: restedSince() });
    const creator = write === "ADDED" ? by : write === "KEPT" ? undefined : known?.creator;
    // A test creates the object of a person by the name that the cluster generated.
    values.see(object, creator === "hand" || (creator === undefined && !object.metadata.ownerReferences));
    if (write !== "KEPT" && by !== "hand" && !isBackground) lastWrite = at;
    if (by === "operator") idleSince = Math.max(idleSince, at);
    if (by === "operator" && !isBackground)
      for (const name of newManagers(before, object)) managers.add(name);
    objects.set(place, {
      resource,
      key,
      object,
      exists: write !== "DELETED",
      creator,
      isWrittenByOperator:
        !isBackground && (by === "operator" || (write !== "ADDED" && known?.isWrittenByOperator === true)),
    });
  }
  const isFull = recorded.some(({ type }) => type === "full");
  return { writes, objects: [...objects.values()], managers, values, restedSince: restedSince(), isFull };
}

/**
 * Returns the lines of a session that led to its end: where it went back to a moment, nothing of what came after that moment did.
 * The writes that brought the objects back are left out, too: what led to the moment makes them.
 */
export function linesThatLast(recorded: readonly Recorded[], until = Infinity): readonly Recorded[] {
  const isBack = (line: Recorded): line is RecordedAction =>
    line.type === "action" &&
    line.name === "restore" &&
    line.outcome === "done" &&
    Date.parse(line.at) <= until;
  const went = recorded.findLastIndex(isBack);
  const known = (lines: readonly Recorded[]): Recorded[] => lines.filter(({ at }) => Date.parse(at) <= until);
  if (went === -1) return known(recorded);
  const { at, input } = recorded[went] as RecordedAction;
  // The operator runs again before the action has ended.
  const began = recorded.findLastIndex(
    (line, index) => index < went && line.type === "write" && line.by?.user === restorer && line.at >= at,
  );
  const after = recorded.slice((began === -1 ? went : began) + 1);
  return [...linesThatLast(recorded.slice(0, went), Date.parse(String(input["at"]))), ...known(after)];
}

/** Returns the managers that own fields only since a write. */
function newManagers(before: KubernetesObject | undefined, object: KubernetesObject): string[] {
  const names = (state: KubernetesObject | undefined): string[] =>
    state?.metadata.managedFields?.flatMap(({ manager }) => manager ?? []) ?? [];
  const known = new Set(names(before));
  return names(object).filter((name) => !known.has(name));
}

/** Returns the writer. Writes that dev or the API server do on their own in a person's name count as the cluster's. */
export function writerOf(write: RecordedWrite, project: string): Writer {
  if (write.by === undefined) return "cluster";
  const { user } = write.by;
  const [, namespace] = /^system:serviceaccount:([^:]+):/u.exec(user) ?? [];
  if (namespace === `${project}-system`) return "operator";
  if (namespace === "kube-system" || (namespace === undefined && user.startsWith("system:")))
    return "cluster";
  return isSideEffect(write) || isByDev(write, project) ? "cluster" : "hand";
}

const crds = "customresourcedefinitions.apiextensions.k8s.io";

function isSideEffect({ resource, object, write }: RecordedWrite): boolean {
  if (sideEffectResources.has(resource)) return true;
  // The rules of admin, edit and view follow the ClusterRoles that they aggregate.
  const isBootstrapped = object.metadata.labels?.["kubernetes.io/bootstrapping"] !== undefined;
  return isBootstrapped || (resource === crds && write === "MODIFIED");
}

/** Resources that dev applies before it starts the operator. */
const appliedByDev = new Set([
  crds,
  "clusterrolebindings.rbac.authorization.k8s.io",
  "clusterroles.rbac.authorization.k8s.io",
  "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  "rolebindings.rbac.authorization.k8s.io",
  "roles.rbac.authorization.k8s.io",
  "validatingwebhookconfigurations.admissionregistration.k8s.io",
]);

function isByDev({ by, resource, key }: RecordedWrite, project: string): boolean {
  if (by?.userAgent?.startsWith("tsbuilder") !== true || by.userAgent === pageAgent) return false;
  const namespace = `${project}-system`;
  return appliedByDev.has(resource) || key === namespace || key.startsWith(`${namespace}/`);
}
