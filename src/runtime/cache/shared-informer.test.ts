import { defineKind, type KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { systemClock } from "@tsbuilder/apimachinery/time";
import { expect, test } from "vitest";
import type { Partition } from "./partition.ts";
import { TimeSlices } from "../clock/time-slices.ts";
import { SharedInformer } from "./shared-informer.ts";

const ConfigMap = defineKind({ group: "", version: "v1" }, { kind: "ConfigMap", plural: "configmaps" });

function object(name: string, version: number): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", uid: name, resourceVersion: String(version) },
  };
}

/** A started informer, and the partition that a watch would fill. */
function start(slices = new TimeSlices(undefined, () => 0)): {
  informer: SharedInformer<KubernetesObject>;
  partition: Partition<KubernetesObject>;
} {
  let partition: Partition<KubernetesObject> | undefined;
  const plan = {
    namespace: undefined,
    covers: () => true,
    prepare: (each: KubernetesObject) => each,
    run: async (given: Partition<KubernetesObject>) => void (partition = given),
  };
  const informer = new SharedInformer(ConfigMap, [plan], {
    clock: systemClock,
    slices,
    onError() {},
  });
  informer.start();
  return { informer, partition: partition! };
}

function fill(partition: Partition<KubernetesObject>, ...objects: KubernetesObject[]): void {
  partition.begin();
  for (const each of objects) partition.keep(each, 1, false);
  partition.replace("5");
}

test("SharedInformer delivers a single event before the watch continues", () => {
  const { informer, partition } = start();
  const told: string[] = [];
  informer.subscribe(({ type, object }) => void told.push(`${type} ${object.metadata.name}`));
  fill(partition);
  partition.change("ADDED", object("a", 6), 1);
  expect(told).toEqual(["add a"]);
});

test("SharedInformer delivers everything once to a handler that another handler subscribed", () => {
  const { informer, partition } = start();
  const told: string[] = [];
  informer.subscribe((event) => {
    if (event.object.metadata.name !== "a") return;
    informer.subscribe(({ type, object }) => void told.push(`${type} ${object.metadata.name}`));
  });
  fill(partition, object("a", 1), object("b", 2));
  partition.change("ADDED", object("c", 6), 1);
  expect(told).toEqual(["add a", "add b", "add c"]);
});

test("handlers of all subscribers share the slice of a turn", async () => {
  let now = 0;
  const { informer, partition } = start(new TimeSlices(undefined, () => now));
  let told = 0;
  const tell = (): void => {
    now++;
    told++;
  };
  informer.subscribe(tell);
  informer.subscribe(async () => tell());
  fill(partition, ...Array.from({ length: 50 }, (_, at) => object(`o-${at}`, at + 1)));
  for (let turn = 0; turn < 40; turn++) {
    const before = told;
    await new Promise(setImmediate);
    expect(told - before).toBeLessThanOrEqual(5);
  }
  expect(told).toBe(100);
});

test("SharedInformer ends waits and subscriptions when it is stopped", async () => {
  const { informer } = start();
  const waiting = [informer.synced(), informer.subscribe(() => {}).synced()];
  await informer.stop();
  for (const wait of waiting) await expect(wait).rejects.toThrow(/stopped|ended/);
  expect(() => informer.subscribe(() => {})).toThrow("stopped");
});
