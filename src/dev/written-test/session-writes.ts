import { type KubernetesObject, parseApiVersion } from "@tsbuilder/apimachinery/meta";
import {
  type Recorded,
  type RecordedWrite,
  endedAt,
  eventResources,
  pageAgent,
  placeName,
} from "../record/recorded.ts";
import { managedFieldsOf } from "./owned-fields.ts";
import { StableValues } from "./literal.ts";
import { TsbuilderError } from "../../shared/errors.ts";
import type { ProjectFacts } from "./project-facts.ts";

/** Somebody with kubectl or a client, the operator, or the cluster with its own controllers. */
type Writer = "hand" | "operator" | "cluster";

/** Who a write is by. What dev and the API server do for themselves in somebody's name is the cluster's. */
export function writerOf(write: RecordedWrite, project: string): Writer {
  if (write.by === undefined) return "cluster";
  const { user } = write.by;
  const [, namespace] = /^system:serviceaccount:([^:]+):/u.exec(user) ?? [];
  if (namespace === `${project}-system`) return "operator";
  if (namespace === "kube-system" || (namespace === undefined && user.startsWith("system:")))
    return "cluster";
  return isAlongside(write) || isOfDev(write, project) ? "cluster" : "hand";
}

/** Resources that are written because of a request for another one, by the API server or to tell of it. */
const alongside: ReadonlySet<string> = new Set([
  "apiservices.apiregistration.k8s.io",
  ...eventResources,
  "ipaddresses.networking.k8s.io",
]);

function isAlongside({ resource, object, write }: RecordedWrite): boolean {
  if (alongside.has(resource)) return true;
  // The rules of admin, edit and view follow the ClusterRoles that they aggregate.
  const isBootstrapped = object.metadata.labels?.["kubernetes.io/bootstrapping"] !== undefined;
  return isBootstrapped || (resource === crds && write === "MODIFIED");
}

const crds = "customresourcedefinitions.apiextensions.k8s.io";

/** Resources that dev applies before it starts the operator. */
const ofDev = new Set([
  crds,
  "clusterrolebindings.rbac.authorization.k8s.io",
  "clusterroles.rbac.authorization.k8s.io",
  "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  "rolebindings.rbac.authorization.k8s.io",
  "roles.rbac.authorization.k8s.io",
  "validatingwebhookconfigurations.admissionregistration.k8s.io",
]);

function isOfDev({ by, resource, key }: RecordedWrite, project: string): boolean {
  if (by?.userAgent?.startsWith("tsbuilder") !== true || by.userAgent === pageAgent) return false;
  const namespace = `${project}-system`;
  return ofDev.has(resource) || key === namespace || key.startsWith(`${namespace}/`);
}

/** A write, who it is by, and the object before it. */
export interface SessionWrite extends Pick<RecordedWrite, "resource" | "key" | "object"> {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly write: RecordedWrite["write"];
  readonly by: Writer;
  readonly before: KubernetesObject | undefined;
  /** When something last happened before it that was no hand's; 0 if nothing did. */
  readonly restedSince: number;
  /** When the operator last did something before it; 0 if it did nothing. */
  readonly idleSince: number;
}

/** What became of an object of a name. */
export interface FinalObject extends Pick<RecordedWrite, "resource" | "key"> {
  /** As it was last. */
  readonly object: KubernetesObject;
  readonly isThere: boolean;
  /** Who created it; undefined if it was there before. */
  readonly madeBy: Writer | undefined;
  /** Whether the operator has written it. */
  readonly isOperators: boolean;
}

/** All writes of a session, in their order, and what they led to. */
export interface SessionWrites {
  readonly writes: readonly SessionWrite[];
  readonly objects: readonly FinalObject[];
  /** The names of the field managers with which the operator writes. */
  readonly managers: ReadonlySet<string>;
  readonly values: StableValues;
  /** When something last happened that was no hand's; 0 if nothing did. */
  readonly restedSince: number;
  /** Whether the record had no space for what followed. */
  readonly isFull: boolean;
}

/** Resources that tell of others, or beat like a heart. */
const chatter = new Set([...alongside, "nodes"]);

/** Goes through the record of a project's session. */
export function sessionWrites(recorded: readonly Recorded[], project: string): SessionWrites {
  const writes: SessionWrite[] = [];
  const objects = new Map<string, FinalObject>();
  const managers = new Set<string>();
  const values = new StableValues();
  let [restedSince, idleSince] = [0, 0];
  for (const one of recorded) {
    const at = Date.parse(one.at);
    if (one.type === "reconcile") idleSince = Math.max(idleSince, endedAt(one));
    if (one.type !== "write") continue;
    const { resource, key, write, object } = one;
    const place = placeName(one);
    const known = objects.get(place);
    const before = known?.isThere === true ? known.object : undefined;
    const by = writerOf(one, project);
    const isChatter = chatter.has(resource);
    writes.push({
      resource,
      key,
      write,
      object,
      at,
      by,
      before,
      idleSince,
      restedSince: Math.max(restedSince, idleSince),
    });
    const madeBy = write === "ADDED" ? by : write === "KEPT" ? undefined : known?.madeBy;
    // A test creates what a hand made by the name that it got.
    values.see(object, madeBy === "hand" || (madeBy === undefined && !object.metadata.ownerReferences));
    if (write !== "KEPT" && by !== "hand" && !isChatter) restedSince = at;
    if (by === "operator") idleSince = Math.max(idleSince, at);
    if (by === "operator" && !isChatter) for (const name of newManagers(before, object)) managers.add(name);
    objects.set(place, {
      resource,
      key,
      object,
      isThere: write !== "DELETED",
      madeBy,
      isOperators: !isChatter && (by === "operator" || (write !== "ADDED" && known?.isOperators === true)),
    });
  }
  const isFull = recorded.some(({ type }) => type === "full");
  return {
    writes,
    objects: [...objects.values()],
    managers,
    values,
    restedSince: Math.max(restedSince, idleSince),
    isFull,
  };
}

/** The managers that own something only since a write. */
function newManagers(before: KubernetesObject | undefined, object: KubernetesObject): string[] {
  const names = (each: KubernetesObject | undefined): string[] =>
    each === undefined ? [] : managedFieldsOf(each).flatMap(({ manager }) => manager ?? []);
  const known = new Set(names(before));
  return names(object).filter((name) => !known.has(name));
}

/** Which objects a test is about. */
export interface Selection {
  /** Whether an object is a custom resource of the project. */
  readonly isOwn: (object: KubernetesObject) => boolean;
  readonly has: (object: KubernetesObject) => boolean;
}

/**
 * All objects, or with `chosen`, such as `default/db`: the custom resources of this name, what they own, and what else is
 * in their namespace or in none, but no other custom resources of the project with theirs.
 */
export function select(
  { writes }: Pick<SessionWrites, "writes">,
  { kinds }: Pick<ProjectFacts, "kinds">,
  chosen: string | undefined,
): Selection {
  const own = new Set(kinds.filter(({ isOwn }) => isOwn).map(groupKind));
  const isOwn = (object: KubernetesObject): boolean => own.has(groupKind(object));
  if (chosen === undefined) return { isOwn, has: () => true };
  const keys = new Set(writes.filter(({ object }) => isOwn(object)).map(({ key }) => key));
  if (!keys.has(chosen)) {
    throw new TsbuilderError(`the record has no custom resource "${chosen}"`, {
      code: "NOT_FOUND",
      hint: keys.size === 0 ? "it has none at all" : `it has ${[...keys].join(", ")}`,
    });
  }
  const byUid = new Map(writes.map(({ object }) => [object.metadata.uid ?? "", object]));
  const [namespace] = chosen.includes("/") ? chosen.split("/") : [undefined];
  /** Undefined if an object belongs to no custom resource. Objects may own each other. */
  const belongs = (object: KubernetesObject, seen: readonly KubernetesObject[] = []): boolean | undefined => {
    if (isOwn(object)) return keyOf(object) === chosen;
    const owners = (object.metadata.ownerReferences ?? []).flatMap(({ uid }) => byUid.get(uid) ?? []);
    const answers = owners
      .filter((owner) => !seen.includes(owner))
      .map((owner) => belongs(owner, [...seen, owner]))
      .filter((answer) => answer !== undefined);
    return answers.length === 0 ? undefined : answers.includes(true);
  };
  const isBeside = ({ kind, metadata }: KubernetesObject): boolean => {
    const other = kind === "Namespace" ? metadata.name : metadata.namespace;
    return namespace === undefined || other === undefined || other === namespace;
  };
  return { isOwn, has: (object) => belongs(object) ?? isBeside(object) };
}

function keyOf({ metadata: { namespace, name } }: KubernetesObject): string {
  return namespace === undefined ? (name ?? "") : `${namespace}/${name}`;
}

function groupKind({ apiVersion, kind }: { readonly apiVersion?: string; readonly kind?: string }): string {
  return `${parseApiVersion(apiVersion ?? "v1").group} ${kind}`;
}
