import { expect, test } from "vitest";
import { type TreeNode, openRows } from "./owner-tree.ts";

const node = (place: string, ...children: TreeNode[]): TreeNode => ({
  place,
  kind: "A",
  key: place,
  revision: {
    index: 0,
    at: 0,
    write: "ADDED",
    by: undefined,
    object: { apiVersion: "v1", kind: "A", metadata: {} },
  },
  standing: { tone: "none", why: "", conditions: [] },
  deleting: false,
  children,
});

const tree = [node("a", node("b"), node("c", node("d"))), node("e")];

/** Returns each row as its place, level, position and number of siblings. */
function rows(closed = "", hidden = ""): string[] {
  return openRows(tree, {
    isClosed: ({ place }) => closed.includes(place),
    isShown: ({ place }) => !hidden.includes(place),
  }).map((row) => `${row.node.place} ${row.level} ${row.position}/${row.siblings}`);
}

test("each row tells its level, and its position among those below the same node", () => {
  expect(rows()).toEqual(["a 1 1/2", "b 2 1/2", "c 2 2/2", "d 3 1/1", "e 1 2/2"]);
});

test("what is below a closed node has no rows, and what is hidden doesn't count", () => {
  expect(rows("c")).toEqual(["a 1 1/2", "b 2 1/2", "c 2 2/2", "e 1 2/2"]);
  expect(rows("", "be")).toEqual(["a 1 1/1", "c 2 1/1", "d 3 1/1"]);
});

test("what holds a node that is shown is shown, open or closed", () => {
  expect(rows("", "abce")).toEqual(["a 1 1/1", "c 2 1/1", "d 3 1/1"]);
  expect(rows("c", "abcde")).toEqual([]);
  expect(rows("c", "abce")).toEqual(["a 1 1/1", "c 2 1/1"]);
});
