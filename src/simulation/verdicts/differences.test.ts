import { expect, test } from "vitest";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { runOf } from "../../../e2e/support/simulation/simulated-run.ts";
import { type Run, stateOf } from "../contract/index.ts";
import { chanceOf, differenceText, differencesBesides, differencesOf } from "./differences.ts";
import { derivedIn } from "./left-out.ts";

const shop = (more: object = {}): KubernetesObject => ({
  apiVersion: "sim.dev/v1",
  kind: "Shop",
  metadata: { namespace: "default", name: "a", uid: "1", generation: 2 },
  ...more,
});
test("ids, times and generated names are no difference, values and missing objects are", () => {
  const pod = (name: string, owner: string, image: string, started: string): KubernetesObject[] => [
    shop({ metadata: { namespace: "default", name: "a", uid: owner } }),
    {
      apiVersion: "v1",
      kind: "Pod",
      metadata: {
        namespace: "default",
        name,
        generateName: "a-",
        uid: name,
        ownerReferences: [{ uid: owner }],
      },
      spec: { image },
      status: { started },
    } as unknown as KubernetesObject,
  ];
  const here = stateOf(pod("a-x7k2v", "1", "one", "2030-01-01T00:00:00Z"));
  expect(differencesOf(here, stateOf(pod("a-9qwzt", "2", "one", "2030-01-01T00:00:09Z")))).toEqual([]);
  const other = stateOf([...pod("a-9qwzt", "1", "two", "2030-01-01T00:00:00Z").slice(1), shop()]);
  expect(differencesOf(here, other).map(differenceText)).toEqual([
    'Pod.v1 default/a-*: spec.image is "one", not "two"',
  ]);
  expect(differencesOf(here, stateOf([shop()])).map(differenceText)).toEqual([
    "Pod.v1 default/a-* should not be there",
  ]);
});

test("JSON in a text is compared by what it says", () => {
  const shop = (text: string) =>
    stateOf([{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a", annotations: { spec: text } } }]);
  const here = shop('{"size":1,"colour":"red"}');
  expect(differencesOf(here, shop('{"colour":"red","size":1}'))).toEqual([]);
  expect(differencesOf(here, shop('{"colour":"red","size":2}')).map(differenceText)).toEqual([
    "ConfigMap.v1 a: metadata.annotations.spec.size is 1, not 2",
  ]);
  expect(differencesOf(here, shop("{colour"))).toHaveLength(1);
});

test.each([
  ["Deployment", "deployment.kubernetes.io/revision"],
  ["DaemonSet", "deprecated.daemonset.template.generation"],
])("the number of a %s's rollouts, which the cluster writes, is no difference", (kind, annotation) => {
  const state = (number: string) =>
    stateOf([
      {
        apiVersion: "apps/v1",
        kind,
        metadata: { namespace: "default", name: "a", annotations: { [annotation]: number } },
      },
    ]);
  expect(differencesOf(state("1"), state("2"))).toEqual([]);
});

test("node ports are no difference, be it that a status repeats them", () => {
  const state = (...nodePorts: number[]) =>
    stateOf([
      { ...shop(), metadata: { name: "a" }, status: { nodePorts } } as KubernetesObject,
      {
        apiVersion: "v1",
        kind: "Service",
        metadata: { name: "a" },
        spec: { ports: nodePorts.map((nodePort) => ({ port: 80, nodePort })) },
      } as KubernetesObject,
    ]);
  expect(differencesOf(state(30_000, 30_000), state(30_000, 30_001))).toEqual([]);
  expect(differencesOf(state(30_000), state(30_000, 30_001))).not.toEqual([]);
});

test("names that are random in undisturbed runs, or made of a uid, are no difference; a second object is", () => {
  const map = (name: string, data = "1"): KubernetesObject =>
    ({
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { namespace: "default", name },
      data: { data },
    }) as KubernetesObject;
  const [one, other, two] = [[map("a-x")], [map("a-y")], [map("a-z"), map("a-w")]].map((objects) =>
    stateOf(objects),
  );
  const chance = chanceOf(one!, other!);
  expect(differencesBesides(chance, one!, stateOf([map("a-z")]))).toEqual([]);
  expect(differencesBesides(chance, two!, one!)).toHaveLength(1);
  expect(differencesBesides(chance, stateOf([map("a-z", "2")]), one!)).toHaveLength(2);
  expect(differencesBesides({ fields: new Set(), named: new Set(), pairs: [] }, one!, other!)).toHaveLength(
    2,
  );
  // Another system notes the id that it chose in what it made, too.
  const [made, again] = ["a-u", "a-v"].map((name) => stateOf([map(name, name)]));
  expect(differencesBesides(chance, made!, again!)).toEqual([]);
  // Two runs draw the same names, and give them to others.
  const [ours, theirs] = [
    [map("a-u", "1"), map("a-v", "2")],
    [map("a-v", "1"), map("a-u", "2")],
  ].map((objects) => stateOf(objects));
  expect(differencesBesides(chance, ours!, theirs!)).toEqual([]);
  expect(differencesBesides(chance, ours!, stateOf([map("a-v", "1"), map("a-u", "3")]))).not.toEqual([]);
  const [black, white] = ["black", "white"].map((data) => stateOf([map("a", data)]));
  expect(differencesBesides({ fields: new Set(), named: new Set(), pairs: [] }, black!, white!)).toHaveLength(
    1,
  );
  expect(differencesBesides(chanceOf(black!, white!), black!, stateOf([map("a", "red")]))).toEqual([]);
  const uids = ["0a1b2c3d-0000-4000-8000-000000000000", "4e5f6a7b-0000-4000-8000-000000000000"];
  const [here, there] = uids.map((uid) =>
    stateOf([{ ...shop(), metadata: { name: "a", uid } }, map(`a-${uid.slice(0, 8)}`)]),
  );
  expect(differencesOf(here!, there!)).toEqual([]);
});

test("what the cluster's controllers made doesn't count, unless an operator wrote to it in one of the runs", () => {
  const claim = (name: string, more: object = {}): KubernetesObject => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: { namespace: "default", name },
    ...more,
  });
  const [left, grown, before] = [claim("left"), claim("grown", { spec: { size: 2 } }), claim("grown")];
  const [busy, idle] = [shop({ status: { pods: 1 } }), shop({ status: { pods: 0 } })];
  const one = {
    ...runOf([], [left, grown, busy]),
    derived: { objects: new Set([left]), statuses: new Set([busy]) },
  };
  const other = {
    ...runOf([], [before, idle]),
    derived: { objects: new Set([before]), statuses: new Set<KubernetesObject>() },
  };
  const found = differencesOf(one.state, other.state, derivedIn(one, other)).map(differenceText);
  expect(found).toEqual(['PersistentVolumeClaim.v1 default/grown: spec is {"size":2}, not absent']);
});

test("the uid of an object that is gone is that of another one that was called so", () => {
  const [first, second] = ["0a1b2c3d-0000-4000-8000-000000000000", "4e5f6a7b-0000-4000-8000-000000000000"];
  const ran = (uid: string, key: string) => {
    const added = {
      type: "change",
      change: "ADDED",
      by: "user",
      at: 0,
      resource: "shops",
      key,
      uid,
    } as const;
    const kept = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "kept", annotations: { owner: uid } },
    };
    return runOf([{ ...added, fields: [], owners: [undefined, undefined] }], [kept]);
  };
  const found = (one: Run, other: Run) => differencesOf(one.state, other.state, derivedIn(one, other));
  expect(found(ran(first, "default/a"), ran(second, "default/a"))).toEqual([]);
  expect(found(ran(first, "default/a"), ran(second, "default/b")).map(differenceText)).toEqual([
    "Secret.v1 kept: metadata.annotations.owner is " +
      '"uid of a former shops default/a", not "uid of a former shops default/b"',
  ]);
});

test("a pod of a StatefulSet that is called as another object is doesn't rename that", () => {
  const pod = (name: string): KubernetesObject => ({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { namespace: "default", name, generateName: "a-" },
  });
  const one = shop({ metadata: { namespace: "default", name: "a-1" } });
  const found = differencesOf(stateOf([one, pod("a-1"), pod("a-x7k2v")]), stateOf([one, pod("a-9qwzt")]));
  expect(found.map(differenceText)).toEqual(["Pod.v1 default/a-1 should not be there"]);
});
