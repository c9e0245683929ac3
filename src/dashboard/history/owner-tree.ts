import { isObject } from "@tsbuilder/apimachinery/json";
import type { KubernetesObject, OwnerReference } from "@tsbuilder/apimachinery/meta";
import { compareText } from "@tsbuilder/apimachinery/text";
import { type History, type Revision, type Track, revisionAt } from "./history.ts";
import { eventResources } from "../../dev/record/recorded.ts";

/** What is shown of a condition. */
export interface ShownCondition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

/** An object at a moment, with what it owns. */
export interface TreeNode {
  readonly place: string;
  readonly kind: string;
  readonly key: string;
  readonly revision: Revision;
  readonly conditions: readonly ShownCondition[];
  /** Whether its deletion has begun. */
  readonly deleting: boolean;
  /** In the order of kinds and keys. */
  readonly children: readonly TreeNode[];
}

interface GrowingNode extends TreeNode {
  readonly children: GrowingNode[];
}

/**
 * The objects that were there at a moment. Each stands once: below its controller, else below the first of its owners
 * that was there, else at the top, where those of own resources come first.
 */
export function ownerTree(
  history: History,
  moment: number,
  isOwn: (resource: string) => boolean = () => false,
): TreeNode[] {
  const nodes: GrowingNode[] = [];
  const foreign = new Set<TreeNode>();
  const byUid = new Map<string, GrowingNode>();
  for (const track of history.tracks.values()) {
    const revision = revisionAt(track, moment);
    if (revision === undefined) continue;
    const node = nodeOf(track.place, track.key, revision);
    nodes.push(node);
    if (!isOwn(track.resource)) foreign.add(node);
    const { uid } = revision.object.metadata;
    if (uid !== undefined) byUid.set(uid, node);
  }
  nodes.sort(inOrder);
  const parents = new Map<GrowingNode, GrowingNode>();
  for (const node of nodes) {
    const parent = parentOf(node, byUid);
    if (parent !== undefined) parents.set(node, parent);
  }
  cutCycles(nodes, parents);
  const roots: GrowingNode[] = [];
  for (const node of nodes) (parents.get(node)?.children ?? roots).push(node);
  return [...roots.filter((root) => !foreign.has(root)), ...roots.filter((root) => foreign.has(root))];
}

function nodeOf(place: string, key: string, revision: Revision): GrowingNode {
  const { object } = revision;
  const deleting = object.metadata.deletionTimestamp != null;
  return {
    place,
    kind: object.kind,
    key,
    revision,
    conditions: conditionsOf(object),
    deleting,
    children: [],
  };
}

/** Of any object: nothing says that a status has the form of Kubernetes' own kinds. */
function conditionsOf(object: object): ShownCondition[] {
  const { status } = object as { readonly status?: { readonly conditions?: unknown } | null };
  if (!Array.isArray(status?.conditions)) return [];
  return status.conditions.flatMap((condition: unknown) => {
    if (!isObject(condition) || typeof condition["type"] !== "string") return [];
    const { type, status, reason } = condition;
    return [{ type, status: textOf(status), reason: textOf(reason) }];
  });
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function inOrder(a: TreeNode, b: TreeNode): number {
  return compareText(a.kind, b.kind) || compareText(a.key, b.key) || compareText(a.place, b.place);
}

function parentOf({ revision }: TreeNode, byUid: ReadonlyMap<string, GrowingNode>): GrowingNode | undefined {
  const references = revision.object.metadata.ownerReferences ?? [];
  const present = references.filter(({ uid }) => byUid.has(uid));
  const isController = ({ controller }: OwnerReference): boolean => controller === true;
  const owner = present.find(isController) ?? present[0];
  return owner && byUid.get(owner.uid);
}

/** Objects that own each other would stand below no root. */
function cutCycles(nodes: readonly GrowingNode[], parents: Map<GrowingNode, GrowingNode>): void {
  const seen = new Set<GrowingNode>();
  for (const start of nodes) {
    const way = new Set<GrowingNode>();
    for (let at: GrowingNode | undefined = start; at && !seen.has(at); at = parents.get(at)) {
      seen.add(at);
      way.add(at);
      const parent = parents.get(at);
      if (parent && way.has(parent)) parents.delete(parent);
    }
  }
}

/** Whether a resource is a custom one: those of Kubernetes' own groups are not. */
export function isCustom(resource: string): boolean {
  const group = resource.split(".").slice(1).join(".");
  return group.includes(".") && !group.endsWith(".k8s.io");
}

/**
 * Whether an object tells something about the operator: it is a custom one, or was written in this session, though not by
 * the cluster for itself. Events stand with the objects that they are about.
 */
export function isOfInterest({ resource, key, revisions }: Track): boolean {
  if (eventResources.has(resource)) return false;
  if (isCustom(resource)) return true;
  return !everywhere.has(key.slice(key.indexOf("/") + 1)) && revisions.some(isTold);
}

function isTold({ write, by }: Revision): boolean {
  return write !== "KEPT" && by !== undefined;
}

/** What each namespace gets. */
const everywhere = new Set(["kube-root-ca.crt", "default"]);

/** An object that is there, by its place. */
interface Present {
  readonly place: string;
  readonly resource: string;
  readonly key: string;
  readonly object: KubernetesObject;
}

/** An object that will be deleted because another one is. */
export interface GoneWith {
  readonly place: string;
  readonly kind: string;
  readonly key: string;
}

/**
 * What goes when an object is deleted: what it owns, unless something else that is there owns it, too; of a Namespace what is
 * in it, and of a CRD its custom resources; and what these own. In the order of kinds and keys.
 */
export function goesWith({ tracks }: History, place: string): GoneWith[] {
  const present = new Map<string, Present>();
  const uids = new Set<string | undefined>();
  for (const { place: at, resource, key, ...track } of tracks.values()) {
    const object = revisionAt({ place: at, resource, key, ...track }, Infinity)?.object;
    if (object === undefined) continue;
    present.set(at, { place: at, resource, key, object });
    uids.add(object.metadata.uid);
  }
  const first = present.get(place);
  const found = new Set<Present>();
  const gone = new Set<string | undefined>();
  for (let going = first ? [first] : []; going.length > 0;) {
    for (const one of going) {
      found.add(one);
      gone.add(one.object.metadata.uid);
    }
    const contained = going.map(containedIn);
    going = [...present.values()].filter(
      (one) => !found.has(one) && (contained.some((has) => has(one)) || losesOwners(one, gone, uids)),
    );
  }
  return [...found]
    .filter((one) => one !== first)
    .map(({ place: at, key, object }) => ({ place: at, kind: object.kind, key }))
    .sort((a, b) => compareText(a.kind, b.kind) || compareText(a.key, b.key));
}

/** The garbage collector deletes what has owners of which none is there. */
function losesOwners(
  { object }: Present,
  gone: ReadonlySet<string | undefined>,
  present: ReadonlySet<string | undefined>,
): boolean {
  const owners = (object.metadata.ownerReferences ?? []).map(({ uid }) => uid);
  return owners.some((uid) => gone.has(uid)) && owners.every((uid) => gone.has(uid) || !present.has(uid));
}

function containedIn({ resource, key }: Present): (one: Present) => boolean {
  switch (resource) {
    case "namespaces":
      return (one) => one.key.startsWith(`${key}/`);
    case "customresourcedefinitions.apiextensions.k8s.io":
      return (one) => one.resource === key;
    default:
      return () => false;
  }
}

/** A row of a tree that is drawn as a list. */
export interface TreeRow {
  readonly node: TreeNode;
  /** From 1 on. */
  readonly level: number;
  /** Its place among the rows below the same node, from 1 on, and how many these are: not all rows are drawn. */
  readonly position: number;
  readonly siblings: number;
  readonly isOpen: boolean;
}

interface Choice {
  readonly isClosed: (node: TreeNode) => boolean;
  /** What holds a node that is shown is shown, too. */
  readonly isShown: (node: TreeNode) => boolean;
}

/** The rows of a tree: what is below a node that is closed is left out. */
export function openRows(nodes: readonly TreeNode[], choice: Choice, level = 1): TreeRow[] {
  const shown = nodes.flatMap((node) => {
    const below = openRows(node.children, choice, level + 1);
    return below.length > 0 || choice.isShown(node) ? [{ node, below }] : [];
  });
  return shown.flatMap(({ node, below }, index): TreeRow[] => {
    const isOpen = !choice.isClosed(node);
    const row = { node, level, position: index + 1, siblings: shown.length, isOpen };
    return [row, ...(isOpen ? below : [])];
  });
}
