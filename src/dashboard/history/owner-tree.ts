import { isObject } from "@tsbuilder/apimachinery/json";
import type { OwnerReference } from "@tsbuilder/apimachinery/meta";
import { compareText } from "@tsbuilder/apimachinery/text";
import { type History, type Revision, revisionAt } from "./history.ts";

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
