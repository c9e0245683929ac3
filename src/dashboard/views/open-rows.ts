import type { TreeNode } from "../history/owner-tree.ts";

/** A row of a tree that is drawn as a list. */
export interface TreeRow {
  readonly node: TreeNode;
  /** From 1 on. */
  readonly level: number;
  readonly isOpen: boolean;
}

interface Choice {
  readonly isClosed: (node: TreeNode) => boolean;
  /** What holds a node that is shown is shown, too. */
  readonly isShown: (node: TreeNode) => boolean;
}

/** The rows of a tree: what is below a node that is closed is left out. */
export function openRows(nodes: readonly TreeNode[], choice: Choice, level = 1): TreeRow[] {
  return nodes.flatMap((node): TreeRow[] => {
    const below = openRows(node.children, choice, level + 1);
    if (below.length === 0 && !choice.isShown(node)) return [];
    const isOpen = !choice.isClosed(node);
    return [{ node, level, isOpen }, ...(isOpen ? below : [])];
  });
}
