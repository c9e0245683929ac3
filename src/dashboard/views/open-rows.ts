import type { TreeNode } from "../history/owner-tree.ts";

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
