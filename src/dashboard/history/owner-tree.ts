import { type KubernetesObject, type OwnerReference, isCustomGroup } from "@tsbuilder/apimachinery/meta";
import { compareText } from "@tsbuilder/apimachinery/text";
import { type History, type Revision, type Track, revisionAt } from "./history.ts";
import { eventResources, isOperator, isPerson } from "../../dev/record/recorded.ts";
import { type Standing, standingOf } from "../../dev/view/standing.ts";

/** An object at a moment, with the objects that it owns. */
export interface TreeNode {
  readonly place: string;
  readonly kind: string;
  readonly key: string;
  readonly revision: Revision;
  readonly standing: Standing;
  /** True once the object has a deletionTimestamp. */
  readonly deleting: boolean;
  /** In the order of kinds and keys. */
  readonly children: readonly TreeNode[];
}

interface GrowingNode extends TreeNode {
  revision: Revision;
  standing: Standing;
  deleting: boolean;
  readonly children: GrowingNode[];
}

/**
 * Returns the objects that existed at a moment as a tree. An object appears once: below its controller, else below its first
 * owner that existed, else as a root. Roots of the project's own resources come first.
 */
export function ownerTree(
  history: History,
  moment: number,
  isOwn: (resource: string) => boolean = isCustom,
): readonly TreeNode[] {
  const { written } = history;
  const before = last?.history === history && last.isOwn === isOwn ? last : undefined;
  // Several views draw the same tree.
  if (before?.written === written && before.moment === moment) return before.tree;
  const nodes = before?.nodes ?? new Map<string, GrowingNode>();
  const isMoved = before?.written === written && moveNodes(history, nodes, before.moment, moment);
  const tree = isMoved ? [...before.tree] : buildTree(history, moment, isOwn, nodes);
  last = { history, written, moment, isOwn, tree, nodes };
  return tree;
}

/** The tree that was drawn last. Its nodes are changed when the moment moves: to build it for each frame takes too long. */
let last:
  | {
      readonly history: History;
      readonly written: number;
      readonly moment: number;
      readonly isOwn: (resource: string) => boolean;
      readonly tree: readonly TreeNode[];
      /** By their places. */
      readonly nodes: Map<string, GrowingNode>;
    }
  | undefined;

/** The number of writes from which on a tree is built anew. */
const mostMoves = 500;

/** Moves the nodes of a tree to another moment. Returns false if objects appear, disappear or change their owners meanwhile. */
function moveNodes(
  history: History,
  nodes: ReadonlyMap<string, GrowingNode>,
  from: number,
  to: number,
): boolean {
  const written = history.writtenBetween(from, to);
  if (written === undefined || written.length > mostMoves) return false;
  const moves: { readonly node: GrowingNode; readonly revision: Revision }[] = [];
  for (const place of new Set(written)) {
    const node = nodes.get(place);
    const revision = revisionAt(history.tracks.get(place)!, to);
    if (node === undefined && revision === undefined) continue;
    if (node === undefined || revision === undefined) return false;
    if (tiesOf(node.revision) !== tiesOf(revision)) return false;
    moves.push({ node, revision });
  }
  for (const { node, revision } of moves)
    Object.assign(node, nodeOf(node.place, node.key, revision), { children: node.children });
  return true;
}

/** Returns what decides about an object's place in the tree. */
function tiesOf({ object: { metadata } }: Revision): string {
  return JSON.stringify([metadata.uid, metadata.ownerReferences]);
}

function buildTree(
  history: History,
  moment: number,
  isOwn: (resource: string) => boolean,
  byPlace: Map<string, GrowingNode>,
): TreeNode[] {
  byPlace.clear();
  const nodes: GrowingNode[] = [];
  const byUid = new Map<string, GrowingNode>();
  for (const track of sortTracks(history).all) {
    const revision = revisionAt(track, moment);
    if (revision === undefined) continue;
    const node = nodeOf(track.place, track.key, revision);
    nodes.push(node);
    byPlace.set(track.place, node);
    const { uid } = revision.object.metadata;
    if (uid !== undefined) byUid.set(uid, node);
  }
  const parents = new Map<GrowingNode, GrowingNode>();
  for (const node of nodes) {
    const parent = parentOf(node, byUid);
    if (parent !== undefined) parents.set(node, parent);
  }
  cutCycles(nodes, parents);
  const roots: GrowingNode[] = [];
  for (const node of nodes) (parents.get(node)?.children ?? roots).push(node);
  const own = new Set(roots.filter(({ place }) => isOwn(place.slice(0, place.indexOf(" ")))));
  return [...own, ...roots.filter((root) => !own.has(root))];
}

function nodeOf(place: string, key: string, revision: Revision): GrowingNode {
  const { object } = revision;
  const deleting = object.metadata.deletionTimestamp != null;
  return {
    place,
    kind: object.kind,
    key,
    revision,
    standing: standingOf(object),
    deleting,
    children: [],
  };
}

const sorted = new WeakMap<History, { readonly all: readonly Track[]; readonly own: readonly Track[] }>();

/** Returns all tracks in the order of kinds and keys, and those of custom resources; they are sorted again once there are more. */
function sortTracks(history: History): { readonly all: readonly Track[]; readonly own: readonly Track[] } {
  let tracks = sorted.get(history);
  if (tracks?.all.length !== history.tracks.size) {
    const kindOf = ({ revisions }: Track): string => revisions[0]!.object.kind;
    const all = [...history.tracks.values()].sort(
      (a, b) =>
        compareText(kindOf(a), kindOf(b)) || compareText(a.key, b.key) || compareText(a.place, b.place),
    );
    tracks = { all, own: all.filter(({ resource }) => isCustom(resource)) };
    sorted.set(history, tracks);
  }
  return tracks;
}

/** Returns the tracks of the project's own kinds, in the order of kinds and keys. */
export function ownTracks(history: History): readonly Track[] {
  return sortTracks(history).own;
}

function parentOf({ revision }: TreeNode, byUid: ReadonlyMap<string, GrowingNode>): GrowingNode | undefined {
  const references = revision.object.metadata.ownerReferences ?? [];
  const present = references.filter(({ uid }) => byUid.has(uid));
  const isController = ({ controller }: OwnerReference): boolean => controller === true;
  const owner = present.find(isController) ?? present[0];
  return owner && byUid.get(owner.uid);
}

/** Removes a parent from each cycle of owners, which would otherwise be below no root. */
function cutCycles(nodes: readonly GrowingNode[], parents: Map<GrowingNode, GrowingNode>): void {
  /** The path on which a node was seen first. */
  const paths = new Map<GrowingNode, GrowingNode>();
  for (const start of nodes) {
    for (let at: GrowingNode | undefined = start; at && !paths.has(at); at = parents.get(at)) {
      paths.set(at, start);
      const parent = parents.get(at);
      if (parent && paths.get(parent) === start) parents.delete(parent);
    }
  }
}

const customResources = new Map<string, boolean>();

/** Returns true for custom resources. */
export function isCustom(resource: string): boolean {
  let known = customResources.get(resource);
  if (known === undefined) {
    known = isCustomGroup(resource.slice(resource.indexOf(".") + 1));
    customResources.set(resource, known);
  }
  return known;
}

/** The user agent of dev, which applies the project's manifests, and the resources that the API server allocates for others. */
const [devAgent, allocated] = ["tsbuilder-runtime", "ipaddresses.networking.k8s.io"];

/** Returns true for a tree that is shown by default: of custom resources, and of what the operator or a person wrote. */
export function isOfInterest(history: History, { place, children }: TreeNode): boolean {
  const { resource, revisions } = history.tracks.get(place)!;
  if (isCustom(resource)) return true;
  if (resource === allocated || eventResources.has(resource)) return false;
  const isAsked = ({ write, by }: Revision): boolean =>
    write !== "KEPT" && (isOperator(by) || isPerson(by)) && by?.userAgent !== devAgent;
  return revisions.some(isAsked) || children.some((child) => isOfInterest(history, child));
}

/** An object that is deleted along with another one. */
export interface GoneWith {
  readonly place: string;
  readonly kind: string;
  readonly key: string;
}

/** An object that exists now. */
interface PresentObject {
  readonly place: string;
  readonly resource: string;
  readonly key: string;
  readonly object: KubernetesObject;
}

/**
 * Returns the objects that a deletion deletes, too, sorted by kind and key: dependents without another existing owner, the
 * objects in a Namespace, the custom resources of a CRD, and the dependents of all these.
 */
export function goesWith({ tracks }: History, place: string): GoneWith[] {
  const present = new Map<string, PresentObject>();
  const uids = new Set<string | undefined>();
  for (const { place: at, resource, key, ...track } of tracks.values()) {
    const object = revisionAt({ place: at, resource, key, ...track }, Infinity)?.object;
    if (object === undefined) continue;
    present.set(at, { place: at, resource, key, object });
    uids.add(object.metadata.uid);
  }
  const first = present.get(place);
  const found = new Set<PresentObject>();
  const gone = new Set<string | undefined>();
  for (let dependents = first ? [first] : []; dependents.length > 0;) {
    for (const other of dependents) {
      found.add(other);
      gone.add(other.object.metadata.uid);
    }
    const contents = dependents.map(contentOf);
    dependents = [...present.values()].filter(
      (other) =>
        !found.has(other) && (contents.some((has) => has(other)) || losesAllOwners(other, gone, uids)),
    );
  }
  return [...found]
    .filter((other) => other !== first)
    .map(({ place: at, key, object }) => ({ place: at, kind: object.kind, key }))
    .sort((a, b) => compareText(a.kind, b.kind) || compareText(a.key, b.key));
}

/** The garbage collector deletes an object once none of its owners exists. */
function losesAllOwners(
  { object }: PresentObject,
  gone: ReadonlySet<string | undefined>,
  present: ReadonlySet<string | undefined>,
): boolean {
  const owners = (object.metadata.ownerReferences ?? []).map(({ uid }) => uid);
  return owners.some((uid) => gone.has(uid)) && owners.every((uid) => gone.has(uid) || !present.has(uid));
}

function contentOf({ resource, key }: PresentObject): (other: PresentObject) => boolean {
  switch (resource) {
    case "namespaces":
      return (other) => other.key.startsWith(`${key}/`);
    case "customresourcedefinitions.apiextensions.k8s.io":
      return (other) => other.resource === key;
    default:
      return () => false;
  }
}

/** A row of the tree, which is drawn as a list. */
export interface TreeRow {
  readonly node: TreeNode;
  /** The depth; roots have 1. */
  readonly level: number;
  /** The position among its siblings, from 1 on, and their number: screen readers need both, since not all rows are drawn. */
  readonly position: number;
  readonly siblings: number;
  readonly isOpen: boolean;
}

interface RowFilter {
  readonly isClosed: (node: TreeNode) => boolean;
  /** Nodes for which this is true are shown with all their ancestors. */
  readonly isShown: (node: TreeNode) => boolean;
}

/** Returns the rows of a tree without the descendants of closed nodes. */
export function openRows(
  nodes: readonly TreeNode[],
  filter: RowFilter,
  level = 1,
  rows: TreeRow[] = [],
): TreeRow[] {
  const isShown = (node: TreeNode): boolean => filter.isShown(node) || node.children.some(isShown);
  const shown = nodes.filter(isShown);
  for (const [index, node] of shown.entries()) {
    const isOpen = !filter.isClosed(node);
    rows.push({ node, level, position: index + 1, siblings: shown.length, isOpen });
    if (isOpen && node.children.length > 0) openRows(node.children, filter, level + 1, rows);
  }
  return rows;
}
