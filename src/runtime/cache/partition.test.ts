import assert from "node:assert/strict";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { keyText } from "../client/object-key.ts";
import type { InformerEvent } from "./informer.ts";
import { Partition } from "./partition.ts";

function object(name: string, version: number, uid = `uid-${name}`): KubernetesObject {
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, namespace: "default", uid, resourceVersion: String(version) },
  };
}

/** A partition whose subscribers note what they are told. */
function partition(
  covers: (object: KubernetesObject) => boolean = () => true,
  clock = new FakeClock(),
): {
  partition: Partition<KubernetesObject>;
  told: InformerEvent[];
  read: (name: string) => string | undefined;
} {
  const told: InformerEvent[] = [];
  const made = new Partition<KubernetesObject>({
    prepare: (object) => object,
    covers,
    emit: (events) => void told.push(...events),
    onSynced: () => {},
    onError: () => {},
    onIndexError: () => {},
    clock,
  });
  const read = (name: string): string | undefined =>
    made.store.get({ namespace: "default", name })?.object.metadata.resourceVersion;
  return { partition: made, told, read };
}

function fill(target: Partition<KubernetesObject>, version: number, ...objects: KubernetesObject[]): void {
  target.begin();
  for (const each of objects) target.keep(each, 10, false);
  target.replace(String(version));
}

const summary = (events: InformerEvent[]): string[] =>
  events.map(
    (event) => `${event.type} ${event.object.metadata.name}@${event.object.metadata.resourceVersion}`,
  );

test("Partition forgets a write that the watch doesn't tell within half a minute", () => {
  const clock = new FakeClock();
  const { partition: target, told, read } = partition(undefined, clock);
  fill(target, 5, object("a", 1));
  target.wroteDeletion({ namespace: "default", name: "a" }, "uid-a");
  clock.advanceSync(29_999);
  target.progress("6");
  expect(read("a")).toBeUndefined();
  clock.advanceSync(1);
  target.progress("7");
  expect(read("a")).toBe("1");
  expect(summary(told)).toEqual(["add a@1"]);
});

test("Partition tells a list, changes, and what a later list lacks", () => {
  const { partition: target, told } = partition();
  fill(target, 5, object("a", 1), object("b", 2));
  target.change("MODIFIED", object("a", 6), 10);
  target.change("DELETED", object("b", 7), 10);
  target.change("ADDED", object("c", 8), 10);
  fill(target, 9, object("a", 6), object("d", 9));
  expect(summary(told)).toEqual([
    "add a@1",
    "add b@2",
    "update a@6",
    "delete b@7",
    "add c@8",
    "add d@9",
    "delete c@8",
  ]);
  expect(told[0]).toMatchObject({ isInInitialList: true });
  expect(told[2]).toMatchObject({ oldObject: object("a", 1) });
  expect(told[3]).toMatchObject({ isStateUnknown: false });
  expect(told[5]).toMatchObject({ isInInitialList: false });
  expect(told[6]).toMatchObject({ isStateUnknown: true });
  expect(target.relists).toBe(1);
});

test("Partition tells an object that was made again under its name as two objects", () => {
  const { partition: target, told } = partition();
  fill(target, 5, object("a", 1, "first"));
  fill(target, 9, object("a", 8, "second"));
  expect(summary(told)).toEqual(["add a@1", "delete a@1", "add a@8"]);
});

test("Partition doesn't repeat what subscribers know", () => {
  const { partition: target, told } = partition();
  fill(target, 5, object("a", 1));
  target.change("ADDED", object("a", 1), 10);
  fill(target, 6, object("a", 1));
  expect(summary(told)).toEqual(["add a@1"]);
});

test("Partition shows a write at once and tells it when the watch does", () => {
  const { partition: target, told, read } = partition();
  fill(target, 5, object("a", 1));
  target.wrote(object("a", 8));
  expect(read("a")).toBe("8");
  target.change("MODIFIED", object("a", 7), 10);
  expect(read("a")).toBe("8");
  target.change("MODIFIED", object("a", 8), 10);
  target.change("MODIFIED", object("a", 9), 10);
  expect(read("a")).toBe("9");
  expect(told.map((event) => event.type !== "delete" && event.isOwnWrite)).toEqual([
    false,
    false,
    true,
    false,
  ]);
  expect(summary(told)).toEqual(["add a@1", "update a@7", "update a@8", "update a@9"]);
});

test("Partition shows a deletion at once, and an object that follows under the same name", () => {
  const { partition: target, told, read } = partition();
  fill(target, 5, object("a", 1));
  target.wroteDeletion({ namespace: "default", name: "a" }, "uid-a");
  expect(read("a")).toBeUndefined();
  target.change("MODIFIED", object("a", 6), 10);
  expect(read("a")).toBeUndefined();
  target.wrote(object("a", 8, "second"));
  expect(read("a")).toBe("8");
  target.change("DELETED", object("a", 7), 10);
  expect(read("a")).toBe("8");
  target.change("ADDED", object("a", 8, "second"), 10);
  expect(summary(told)).toEqual(["add a@1", "update a@6", "delete a@7", "add a@8"]);
});

test("Partition doesn't let a write come back that the watch told and went past", () => {
  const { partition: target, read } = partition();
  fill(target, 5);
  target.change("ADDED", object("a", 6), 10);
  target.change("DELETED", object("a", 7), 10);
  target.wrote(object("a", 6));
  expect(read("a")).toBeUndefined();
});

test("Partition drops a written object that its watch doesn't deliver", () => {
  const { partition: target, told, read } = partition();
  fill(target, 5, object("a", 1));
  target.wrote(object("b", 8));
  target.wrote(object("a", 9));
  target.progress("10");
  expect([read("a"), read("b")]).toEqual(["1", undefined]);
  expect(summary(told)).toEqual(["add a@1"]);
});

test("Partition hides an object that a write took out of its selection", () => {
  const { partition: target, told, read } = partition(({ metadata }) => metadata.labels?.in !== "no");
  fill(target, 5, object("a", 1));
  const out = object("a", 8);
  out.metadata.labels = { in: "no" };
  target.wrote(out);
  expect(read("a")).toBeUndefined();
  target.change("DELETED", object("a", 8), 10);
  expect(summary(told)).toEqual(["add a@1", "delete a@8"]);
});

/** What can happen at the server, and between it and us. */
type Step = Write | { do: "answer" } | { do: "event" } | { do: "relist"; lag: number };
interface Write {
  do: "write" | "delete";
  by: "us" | "others";
  name: string;
}

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("write" as const),
      by: fc.constantFrom("us" as const, "others" as const),
      name: fc.constantFrom("a", "b"),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("delete" as const),
      by: fc.constantFrom("us" as const, "others" as const),
      name: fc.constantFrom("a", "b"),
    }),
  },
  { weight: 4, arbitrary: fc.constant<Step>({ do: "answer" }) },
  { weight: 5, arbitrary: fc.constant<Step>({ do: "event" }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("relist" as const), lag: fc.nat(3) }) },
);

/** A server, the watch that follows it, and answers that come at any time after their writes. */
class World {
  readonly target = partition();
  readonly log: { type: "ADDED" | "MODIFIED" | "DELETED"; object: KubernetesObject }[] = [];
  readonly #live = new Map<string, KubernetesObject>();
  readonly #answers: (() => void)[] = [];
  delivered = 0;
  /** What subscribers must believe after what they were told. */
  readonly believed = new Map<string, KubernetesObject>();
  #told = 0;

  constructor(isSynced: boolean) {
    if (isSynced) this.#relist(0);
  }

  run(next: Step): void {
    if (next.do === "write" || next.do === "delete") this.#change(next);
    else if (next.do === "answer") this.#answers.shift()?.();
    else if (next.do === "relist") this.#relist(next.lag);
    else this.#deliver();
    this.#listen();
  }

  finish(): void {
    if (!this.target.partition.hasSynced) this.run({ do: "relist", lag: 2 });
    for (const answer of this.#answers.splice(0)) answer();
    while (this.delivered < this.log.length) this.run({ do: "event" });
  }

  get live(): string[] {
    return [...this.#live.values()].map(text).sort();
  }

  #change({ do: what, name, by }: Write): void {
    if (what === "write") this.#write(name, by === "us");
    else this.#delete(name, by === "us");
  }

  #write(name: string, isOurs: boolean): void {
    const known = this.#live.get(name);
    const version = this.log.length + 1;
    const written = object(name, version, known?.metadata.uid ?? `uid-${version}`);
    this.#live.set(name, written);
    this.log.push({ type: known ? "MODIFIED" : "ADDED", object: written });
    if (!isOurs) return;
    this.#answers.push(() => {
      this.target.partition.wrote(structuredClone(written));
      // From the answer on, reads are at least as new as the write.
      const read = this.target.read(name);
      const isLater = this.log.slice(version).some((entry) => entry.object.metadata.name === name);
      if (!isLater) assert.equal(read, String(version));
      else if (read !== undefined) assert.ok(Number(read) >= version);
    });
  }

  #delete(name: string, isOurs: boolean): void {
    const known = this.#live.get(name);
    if (!known) return;
    this.#live.delete(name);
    this.log.push({ type: "DELETED", object: object(name, this.log.length + 1, known.metadata.uid) });
    if (!isOurs) return;
    this.#answers.push(() => {
      this.target.partition.wroteDeletion({ namespace: "default", name }, known.metadata.uid);
      const entry = this.target.partition.store.get({ namespace: "default", name });
      assert.notEqual(entry?.object.metadata.uid, known.metadata.uid);
    });
  }

  #deliver(): void {
    const entry = this.log[this.delivered];
    if (!entry || !this.target.partition.hasSynced) return;
    this.delivered++;
    this.target.partition.change(entry.type, structuredClone(entry.object), 10);
  }

  /** A list may be older than the newest state, never older than what the watch has told. */
  #relist(lag: number): void {
    const version = Math.max(this.delivered, this.log.length - lag);
    const state = new Map<string, KubernetesObject>();
    for (const { type, object } of this.log.slice(0, version)) {
      if (type === "DELETED") state.delete(keyText(object.metadata));
      else state.set(keyText(object.metadata), object);
    }
    this.delivered = version;
    fill(this.target.partition, version, ...[...state.values()].map((each) => structuredClone(each)));
  }

  #listen(): void {
    for (const event of this.target.told.slice(this.#told)) {
      const key = keyText(event.object.metadata);
      const before = this.believed.get(key);
      assert.equal(event.type === "add", before === undefined);
      if (event.type === "delete") this.believed.delete(key);
      else this.believed.set(key, event.object);
      if (event.type !== "update") continue;
      assert.equal(event.oldObject, before);
      assert.ok(Number(version(event.object)) > Number(version(before!)));
    }
    this.#told = this.target.told.length;
  }
}

const version = ({ metadata }: KubernetesObject): string => metadata.resourceVersion ?? "";
const text = (each: KubernetesObject): string => `${each.metadata.name}@${version(each)}`;

test("Partition shows every write at once and tells every change once, in whatever order things come", () => {
  fc.assert(
    fc.property(fc.boolean(), fc.array(step, { maxLength: 40 }), (isSynced, steps) => {
      const world = new World(isSynced);
      for (const next of steps) world.run(next);
      world.finish();
      const stored = [...world.target.partition.store.entries()].map(({ object }) => text(object)).sort();
      expect(stored).toEqual(world.live);
      expect([...world.believed.values()].map(text).sort()).toEqual(world.live);
    }),
    { numRuns: 1000 },
  );
});
