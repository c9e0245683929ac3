import assert from "node:assert/strict";
import type { KubernetesObject } from "@tsbuilder/apimachinery/meta";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { configMap, fill, startPartition } from "../../../e2e/support/runtime/partition-under-test.ts";
import { formatKey } from "../client/client.ts";

/** The events at the server, and between it and this process. */
type Step = Write | { do: "answer" } | { do: "event" } | { do: "wait" } | { do: "relist"; lag: number };
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
  { weight: 1, arbitrary: fc.constant<Step>({ do: "wait" }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("relist" as const), lag: fc.nat(3) }) },
);

/** A server, the watch that follows it, and answers that come at any time after their writes. */
class World {
  readonly #clock = new FakeClock();
  readonly target = startPartition(undefined, this.#clock);
  readonly log: { type: "ADDED" | "MODIFIED" | "DELETED"; object: KubernetesObject }[] = [];
  readonly #live = new Map<string, KubernetesObject>();
  readonly #answers: (() => void)[] = [];
  delivered = 0;
  /** The names of objects that this process wrote and of which subscribers have had no event yet. */
  readonly owed = new Set<string>();
  /** The objects that exist according to the events that subscribers got. */
  readonly believed = new Map<string, KubernetesObject>();
  #told = 0;

  constructor(isSynced: boolean) {
    if (isSynced) this.#relist(0);
  }

  run(next: Step): void {
    const before = this.#reads();
    if (next.do === "write" || next.do === "delete") this.#change(next);
    else if (next.do === "answer") this.#answers.shift()?.();
    else if (next.do === "relist") this.#relist(next.lag);
    else if (next.do === "wait") this.#clock.advanceSync(60_000);
    else this.#deliver();
    const told = new Set(this.target.told.slice(this.#told).map(({ object }) => object.metadata.name));
    // Between two events, only our own writes may change the result of a read.
    if (next.do !== "answer")
      for (const [name, read] of this.#reads()) assert.ok(read === before.get(name) || told.has(name));
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

  /** Notes that subscribers are owed an event about an object until the watch delivers this version. */
  #owe(name: string, version: number): void {
    if (this.delivered < version) this.owed.add(name);
  }

  #reads(): Map<string, string | undefined> {
    return new Map(["a", "b"].map((name) => [name, this.target.read(name)]));
  }

  #change({ do: what, name, by }: Write): void {
    if (what === "write") this.#write(name, by === "us");
    else this.#delete(name, by === "us");
  }

  #write(name: string, isOurs: boolean): void {
    const known = this.#live.get(name);
    const version = this.log.length + 1;
    const written = configMap(name, version, known?.metadata.uid ?? `uid-${version}`);
    this.#live.set(name, written);
    this.log.push({ type: known ? "MODIFIED" : "ADDED", object: written });
    if (!isOurs) return;
    this.#answers.push(() => {
      this.target.partition.wrote(structuredClone(written));
      this.#owe(name, version);
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
    this.log.push({ type: "DELETED", object: configMap(name, this.log.length + 1, known.metadata.uid) });
    if (!isOurs) return;
    const version = this.log.length;
    this.#answers.push(() => {
      if (this.target.read(name) !== undefined) this.#owe(name, version);
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
      if (type === "DELETED") state.delete(formatKey(object.metadata));
      else state.set(formatKey(object.metadata), object);
    }
    this.delivered = version;
    fill(this.target.partition, version, ...[...state.values()].map((each) => structuredClone(each)));
  }

  #listen(): void {
    for (const event of this.target.told.slice(this.#told)) {
      const key = formatKey(event.object.metadata);
      this.owed.delete(event.object.metadata.name ?? "");
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
      expect([...world.owed]).toEqual([]);
    }),
    { numRuns: 1000 },
  );
});
