import { isEqual } from "@tsbuilder/apimachinery/json";
import { changedFields, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { changesOf } from "./finding.ts";

const name = fc.constantFrom("a", "b", "metadata", "generation", "resourceVersion", "constructor");
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    fc.constantFrom(1, 2, "1", null, true),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }),
  ),
}));
const members = fc.dictionary(name, value, { maxKeys: 3 });
const object = fc
  .tuple(members, members, fc.constantFrom("1", "2"))
  .map(([whole, metadata, resourceVersion]) => {
    const { generation: _none, ...rest } = metadata;
    return { ...whole, metadata: { ...rest, resourceVersion } } as unknown as KubernetesObject;
  });

test("the values of a change are those that differ", () => {
  fc.assert(
    fc.property(object, object, (before, after) => {
      const changes = changesOf(before, after);
      for (const change of changes) expect(isEqual(change.before, change.after)).toBe(false);
      expect(changes.length > 0).toBe(changedFields(before, after).length > 0);
    }),
  );
});

test("names with dots are found", () => {
  const of = (labels: Record<string, string>) =>
    ({ apiVersion: "v1", kind: "A", metadata: { labels } }) as KubernetesObject;
  expect(changesOf(of({ "app.kubernetes.io/name": "a", app: "x" }), of({ app: "y" }))).toEqual([
    { path: "metadata.labels.app.kubernetes.io/name", before: "a", after: undefined },
    { path: "metadata.labels.app", before: "x", after: "y" },
  ]);
});

test("each change has both values", () => {
  const of = (status: unknown) => ({ apiVersion: "v1", kind: "A", metadata: {}, status }) as KubernetesObject;
  expect(changesOf(of({ a: 1, b: [1], c: 3 }), of({ a: 2, b: [1, 2], d: 4 }))).toEqual([
    { path: "status.a", before: 1, after: 2 },
    { path: "status.b", before: [1], after: [1, 2] },
    { path: "status.c", before: 3, after: undefined },
    { path: "status.d", before: undefined, after: 4 },
  ]);
});

test("a spec of the same generation is not compared", () => {
  const of = (generation: number, replicas: number) =>
    ({ apiVersion: "v1", kind: "A", metadata: { generation }, spec: { replicas } }) as KubernetesObject;
  expect(changesOf(of(1, 1), of(2, 3)).map(({ path }) => path)).toEqual(["spec.replicas"]);
  expect(changesOf(of(1, 1), of(1, 3))).toEqual([]);
});
