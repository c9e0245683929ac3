import { expect, test } from "vitest";
import type { KubernetesObject, ObjectMeta } from "@tsbuilder/apimachinery/meta";
import type { InformerEvent } from "../cache/cache.ts";
import type { ObjectKey, Stored } from "../client/client.ts";
import {
  allOf,
  annotationsChanged,
  anyOf,
  generationChanged,
  labelsChanged,
  labelsMatch,
  not,
  notOwnWrite,
  objectMatches,
  resourceVersionChanged,
} from "./predicate.ts";

type AnyObject = Stored<KubernetesObject, ObjectKey>;

const object = (metadata: ObjectMeta): AnyObject => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: {
    namespace: "default",
    name: "a",
    uid: "1",
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
    ...metadata,
  },
});
const update = (before: ObjectMeta, after: ObjectMeta): InformerEvent<AnyObject> => ({
  type: "update",
  oldObject: object(before),
  object: object(after),
  isResync: false,
  isOwnWrite: false,
});
const add = (metadata: ObjectMeta): InformerEvent<AnyObject> => ({
  type: "add",
  object: object(metadata),
  isInInitialList: false,
  isOwnWrite: false,
});

test.each([
  ["generationChanged", generationChanged, { generation: 1 }, { generation: 1 }, false],
  ["generationChanged", generationChanged, { generation: 1 }, { generation: 2 }, true],
  ["generationChanged for a kind without metadata.generation", generationChanged, {}, {}, true],
  [
    "resourceVersionChanged",
    resourceVersionChanged,
    { resourceVersion: "1" },
    { resourceVersion: "1" },
    false,
  ],
  [
    "resourceVersionChanged",
    resourceVersionChanged,
    { resourceVersion: "1" },
    { resourceVersion: "2" },
    true,
  ],
  ["labelsChanged", labelsChanged, { labels: { a: "1" } }, { labels: { a: "1" } }, false],
  ["labelsChanged", labelsChanged, { labels: { a: "1" } }, { labels: { b: "1" } }, true],
  ["labelsChanged", labelsChanged, {}, { labels: {} }, false],
  ["annotationsChanged", annotationsChanged, { annotations: { a: "1" } }, { annotations: { a: "2" } }, true],
])("%s accepts an update that changes what it compares (%#)", (_name, predicate, before, after, passes) => {
  expect(predicate(update(before, after))).toBe(passes);
  expect(predicate(add(after))).toBe(true);
});

test.each([
  [{ matchLabels: { app: "db" } }, { app: "db", x: "y" }, true],
  [{ matchLabels: { app: "db" } }, {}, false],
  [{ matchExpressions: [{ key: "tier", operator: "In" as const, values: ["a", "b"] }] }, { tier: "b" }, true],
  [{ matchExpressions: [{ key: "tier", operator: "NotIn" as const, values: ["a"] }] }, {}, true],
  [{ matchExpressions: [{ key: "tier", operator: "Exists" as const }] }, {}, false],
  [{ matchExpressions: [{ key: "tier", operator: "DoesNotExist" as const }] }, {}, true],
  [{}, {}, true],
])("labelsMatch(%j) matches %j as the API server does", (selector, labels, passes) => {
  expect(labelsMatch(selector)(add({ labels }))).toBe(passes);
});

test("allOf(), anyOf() and not() combine predicates", () => {
  const yes = objectMatches(() => true);
  const no = objectMatches(() => false);
  const event = add({});
  expect(
    [allOf(yes, no), anyOf(yes, no), not(no), allOf(), anyOf()].map((predicate) => predicate(event)),
  ).toEqual([false, true, true, true, false]);
});

test("notOwnWrite rejects updates written by this process, but never a deletion", () => {
  const own = { ...update({}, {}), isOwnWrite: true } as InformerEvent<AnyObject>;
  const deletion: InformerEvent<AnyObject> = { type: "delete", object: object({}), isStateUnknown: false };
  expect([notOwnWrite(own), notOwnWrite(update({}, {})), notOwnWrite(deletion)]).toEqual([false, true, true]);
});
