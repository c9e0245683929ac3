import { expect, test } from "vitest";
import { findController, ownerReferenceTo, withOwnerReference } from "./object.ts";

const owner = { apiVersion: "apps.example.com/v1", kind: "MySQL", metadata: { name: "db", uid: "u1" } };

test("ownerReferenceTo() returns a controller reference that blocks the owner's deletion", () => {
  expect(ownerReferenceTo(owner)).toEqual({
    apiVersion: "apps.example.com/v1",
    kind: "MySQL",
    name: "db",
    uid: "u1",
    controller: true,
    blockOwnerDeletion: true,
  });
});

test("ownerReferenceTo() omits fields that would be false", () => {
  expect(Object.keys(ownerReferenceTo(owner, { controller: false }))).toEqual([
    "apiVersion",
    "kind",
    "name",
    "uid",
  ]);
});

test("ownerReferenceTo() rejects an owner that is not stored", () => {
  expect(() => ownerReferenceTo({ ...owner, metadata: { name: "db" } })).toThrow("without name and uid");
});

test("withOwnerReference() replaces a reference to the same owner", () => {
  const plain = ownerReferenceTo(owner, { controller: false });
  const references = withOwnerReference([plain], ownerReferenceTo(owner));
  expect(references).toHaveLength(1);
  expect(findController({ ...owner, metadata: { ownerReferences: references } })?.uid).toBe("u1");
});
