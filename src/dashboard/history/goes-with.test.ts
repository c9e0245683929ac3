import { expect, test } from "vitest";
import type { RecordedWrite } from "../../dev/record/recorded.ts";
import { goesWith } from "./owner-tree.ts";
import { History } from "./history.ts";
import { madeWrite } from "../../dev/record/testdata/made-records.ts";

function object(
  name: string,
  owners: readonly string[] = [],
  changes: Partial<RecordedWrite> = {},
): RecordedWrite {
  const [namespace, own = ""] = name.includes("/") ? name.split("/") : [undefined, name];
  const ownerReferences = owners.map((uid) => ({ apiVersion: "v1", kind: "A", name: uid, uid }));
  const write = madeWrite(
    { at: 1, write: "ADDED", resource: "as" },
    {
      apiVersion: "v1",
      kind: "A",
      metadata: { ...(namespace !== undefined && { namespace }), name: own, uid: own, ownerReferences },
    },
  );
  return { ...write, ...changes };
}

function names(place: string, ...writes: RecordedWrite[]): string[] {
  const history = new History();
  for (const write of writes) history.add(write);
  return goesWith(history, place).map(({ kind, key }) => `${kind} ${key}`);
}

test("what an object owns goes with it, and what that owns", () => {
  const writes = [object("d/c", ["b"]), object("d/a"), object("d/b", ["a"]), object("d/other")];
  expect(names("as d/a", ...writes)).toEqual(["A d/b", "A d/c"]);
  expect(names("as d/c", ...writes)).toEqual([]);
  expect(names("as d/unknown", ...writes)).toEqual([]);
});

test("what another object owns, too, stays, unless that goes as well or is not there", () => {
  const shared = object("d/shared", ["a", "b"]);
  expect(names("as d/a", object("d/a"), object("d/b"), shared)).toEqual([]);
  expect(names("as d/a", object("d/a"), object("d/b", ["a"]), shared)).toEqual(["A d/b", "A d/shared"]);
  expect(names("as d/a", object("d/a"), shared)).toEqual(["A d/shared"]);
});

test("what is gone does not go once more, and objects may own each other", () => {
  const gone = object("d/b", ["a"], { write: "DELETED" });
  expect(names("as d/a", object("d/a"), object("d/b", ["a"]), gone)).toEqual([]);
  expect(names("as d/a", object("d/a", ["b"]), object("d/b", ["a"]))).toEqual(["A d/b"]);
});

test("what is in a Namespace goes with it, and the custom resources of a CRD", () => {
  const writes = [
    object("d", [], { resource: "namespaces" }),
    object("as", [], { resource: "customresourcedefinitions.apiextensions.k8s.io" }),
    object("d/a"),
    object("e/b"),
  ];
  expect(names("namespaces d", ...writes)).toEqual(["A d/a"]);
  expect(names("customresourcedefinitions.apiextensions.k8s.io as", ...writes)).toEqual(["A d/a", "A e/b"]);
});
