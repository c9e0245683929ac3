import type { OwnerReference } from "@tsbuilder/apimachinery/meta";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { History } from "./history.ts";
import { madeWrite } from "../../dev/record/testdata/made-records.ts";
import { ownerTree, type TreeNode } from "./owner-tree.ts";

const ownedBy = (uid: string, controller?: boolean): OwnerReference => ({
  apiVersion: "v1",
  kind: "Any",
  name: uid,
  uid,
  ...(controller !== undefined && { controller }),
});

interface Made {
  readonly uid: string;
  readonly kind?: string;
  readonly resource?: string;
  readonly owners?: OwnerReference[];
}

function historyOf(objects: readonly Made[]): History {
  const history = new History();
  for (const { uid, kind = "Any", resource = "anys", owners = [] } of objects) {
    const metadata = { namespace: "default", name: uid, uid, ownerReferences: owners };
    history.add(madeWrite({ at: 1, write: "ADDED", resource }, { kind, metadata }));
  }
  return history;
}

const shape = (nodes: readonly TreeNode[]): unknown[] =>
  nodes.map(({ kind, key, children }) => [
    `${kind} ${key}`,
    ...(children.length > 0 ? [shape(children)] : []),
  ]);

test("what an object owns stands below it, own resources stand first, and all is in the order of kinds and keys", () => {
  const history = historyOf([
    { uid: "x", kind: "Namespace", resource: "namespaces" },
    { uid: "pod-b", kind: "Pod", owners: [ownedBy("set")] },
    { uid: "pod-a", kind: "Pod", owners: [ownedBy("set")] },
    { uid: "set", kind: "StatefulSet", resource: "statefulsets.apps", owners: [ownedBy("db")] },
    { uid: "config", kind: "ConfigMap", resource: "configmaps", owners: [ownedBy("db")] },
    { uid: "db", kind: "MySQL", resource: "mysqls.shop.example" },
  ]);
  expect(shape(ownerTree(history, 1, (resource) => resource.endsWith(".shop.example")))).toEqual([
    [
      "MySQL default/db",
      [
        ["ConfigMap default/config"],
        ["StatefulSet default/set", [["Pod default/pod-a"], ["Pod default/pod-b"]]],
      ],
    ],
    ["Namespace default/x"],
  ]);
});

test("among several owners the controller counts, else the first that is there", () => {
  const history = historyOf([
    { uid: "a" },
    { uid: "b" },
    { uid: "by-controller", owners: [ownedBy("a"), ownedBy("b", true)] },
    { uid: "by-first", owners: [ownedBy("gone"), ownedBy("a"), ownedBy("b")] },
    { uid: "gone-controller", owners: [ownedBy("a"), ownedBy("gone", true)] },
    { uid: "orphan", owners: [ownedBy("gone", true)] },
  ]);
  expect(shape(ownerTree(history, 1))).toEqual([
    ["Any default/a", [["Any default/by-first"], ["Any default/gone-controller"]]],
    ["Any default/b", [["Any default/by-controller"]]],
    ["Any default/orphan"],
  ]);
});

test("a node has the revision and the standing of its moment; what is deleted by then is not there", () => {
  const history = new History();
  const metadata = { namespace: "default", name: "db", uid: "1" };
  const condition = { type: "Ready", status: "False", reason: "Starting", message: "…" };
  history.add(madeWrite({ at: 10, write: "ADDED" }, { metadata }));
  history.add(
    madeWrite({ at: 20 }, { metadata, status: { conditions: [condition, null, { status: "x" }] } }),
  );
  history.add(
    madeWrite({ at: 30 }, { metadata: { ...metadata, deletionTimestamp: "1970-01-01T00:00:00Z" } }),
  );
  history.add(madeWrite({ at: 40, write: "DELETED" }, { metadata }));
  const at = (moment: number) =>
    ownerTree(history, moment).map(({ revision, standing, deleting }) => [
      revision.index,
      standing.why,
      deleting,
    ]);
  expect(at(9)).toEqual([]);
  expect(at(10)).toEqual([[0, "", false]]);
  expect(at(29)).toEqual([[1, "Ready is False: Starting: …", false]]);
  expect(at(39)).toEqual([[2, "is being deleted", true]]);
  expect(at(40)).toEqual([]);
});

interface Placed {
  readonly uid: string;
  readonly owners: readonly string[];
  readonly parent: string | undefined;
}

function placed(nodes: readonly TreeNode[], parent?: string): Placed[] {
  return nodes.flatMap(({ revision, children }) => {
    const { uid = "", ownerReferences = [] } = revision.object.metadata;
    return [{ uid, owners: ownerReferences.map((owner) => owner.uid), parent }, ...placed(children, uid)];
  });
}

test("each object stands in the tree once, whatever owns it, and below one of its owners or at the top", () => {
  const uid = fc.constantFrom("a", "b", "c", "d", "e", "f");
  const reference = fc.tuple(uid, fc.option(fc.boolean(), { nil: undefined })).map((of) => ownedBy(...of));
  const object = fc.record({ uid, owners: fc.array(reference, { maxLength: 3 }) });
  fc.assert(
    fc.property(fc.uniqueArray(object, { selector: ({ uid }) => uid }), (objects) => {
      const found = placed(ownerTree(historyOf(objects), 1));
      expect(found.map(({ uid }) => uid).toSorted()).toEqual(objects.map(({ uid }) => uid).toSorted());
      expect(found.filter(({ owners, parent }) => parent !== undefined && !owners.includes(parent))).toEqual(
        [],
      );
    }),
  );
});

test("a tree that is moved in time is the one that would be built for that moment", () => {
  const write = fc.record({
    name: fc.constantFrom("a", "b", "c", "d"),
    owner: fc.constantFrom(undefined, "a", "b"),
    write: fc.constantFrom("ADDED" as const, "MODIFIED" as const, "MODIFIED" as const, "DELETED" as const),
    // A clock that is set back makes a record whose times are not in order.
    after: fc.constantFrom(0, 1, 1, 1, 1, 2, -1),
    phase: fc.constantFrom("Pending", "Failed"),
  });
  const allOf = (nodes: readonly TreeNode[]): unknown[] =>
    nodes.map(({ children, ...node }) => [node, allOf(children)]);
  fc.assert(
    fc.property(
      fc.array(write, { maxLength: 12 }),
      fc.array(fc.integer({ min: 10, max: 16 }), { minLength: 4 }),
      (writes, moments) => {
        let at = 10;
        const lines = writes.map(({ name, owner, write: type, after, phase }) => {
          at += after;
          const ownerReferences = owner === undefined || owner === name ? [] : [ownedBy(owner)];
          const metadata = { namespace: "default", name, uid: name, ownerReferences };
          return madeWrite(
            { at, write: type, resource: "pods" },
            { kind: "Pod", metadata, status: { phase } },
          );
        });
        const read = (): History => {
          const history = new History();
          for (const line of lines) history.add(line);
          return history;
        };
        const moved = read();
        // The tree of another record would be built anew in between.
        const trees = moments.map((moment) => allOf(ownerTree(moved, moment)));
        expect(trees).toEqual(moments.map((moment) => allOf(ownerTree(read(), moment))));
      },
    ),
  );
});
