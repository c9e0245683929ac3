import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { ClusterWrite } from "@tsbuilder/cluster";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { RecentRecord } from "./recent-record.ts";
import { lineOf, lineOfWrite } from "./record-line.ts";

const session = lineOf({ type: "session", at: time(0) });

function time(second: number): string {
  return new Date(second * 1000).toISOString();
}

function write(
  type: ClusterWrite["type"],
  name: string,
  value: unknown,
  resource = "configmaps",
): ClusterWrite {
  const kind = resource === "secrets" ? "Secret" : "ConfigMap";
  const object = { apiVersion: "v1", kind, metadata: { name }, data: { value } };
  return { type, resource, key: name, by: { user: "ann" }, bytes: Buffer.from(JSON.stringify(object)) };
}

function opened(most?: number): RecentRecord {
  const record = new RecentRecord(most);
  record.open(session);
  return record;
}

interface Told {
  readonly type: string;
  readonly at: string;
  readonly write?: ClusterWrite["type"];
  readonly key?: string;
  readonly object?: { readonly data: { readonly value: unknown } };
}

function pastOf(record: RecentRecord): Told[] {
  const { past, close } = record.read(() => expect.unreachable());
  close();
  return parse(Buffer.concat([...(past as Iterable<Buffer>)]));
}

function parse(bytes: Buffer): Told[] {
  const lines = bytes.toString().split("\n");
  expect(lines.pop()).toBe("");
  return lines.map((line) => JSON.parse(line) as Told);
}

test("a reader gets the session, the lines so far in their order, and then the new ones", async () => {
  const record = opened();
  record.add(lineOfWrite(time(1), write("ADDED", "a", 1)));
  record.add(lineOf({ type: "dev", at: time(2) }));
  const { past, live } = record.read(() => expect.unreachable());
  record.add(lineOf({ type: "dev", at: time(3) }));
  expect(parse(Buffer.concat([...(past as Iterable<Buffer>)]))).toMatchObject([
    { type: "session", at: time(0) },
    {
      type: "write",
      at: time(1),
      write: "ADDED",
      key: "a",
      by: { user: "ann" },
      object: { data: { value: 1 } },
    },
    { type: "dev", at: time(2) },
  ]);
  record.add(lineOf({ type: "dev", at: time(4) }));
  record.close();
  expect(parse(await collected(live!)).map(({ at }) => at)).toEqual([time(3), time(4)]);
});

test("what is told of a Secret has no value of it, also once its write is dropped; its state has them", () => {
  const record = opened(2000);
  record.add(lineOfWrite(time(1), write("ADDED", "a", "aHVudGVyMg==", "secrets")));
  const all = () => JSON.stringify(pastOf(record));
  expect(all()).toContain("(not shown)");
  expect(all()).not.toContain("aHVudGVyMg==");
  for (let second = 2; second < 20; second++) record.add(lineOf({ type: "dev", at: time(second) }));
  expect(pastOf(record)[1]).toMatchObject({ write: "KEPT", key: "a", at: time(1) });
  expect(all()).not.toContain("aHVudGVyMg==");
  expect(String(record.statesAt(new Date(time(1)))![0]!.bytes)).toContain("aHVudGVyMg==");
});

test("a reader that falls too far behind is told so and gets no more, and the others do", async () => {
  const record = opened(3000);
  let lost = 0;
  const slow = record.read(() => lost++);
  const line = lineOf({ type: "dev", at: time(1) });
  for (let count = 0; count < 200; count++) record.add(line);
  expect(lost).toBe(1);
  const other = record.read(() => expect.unreachable());
  record.add(line);
  record.close();
  expect(await collected(slow.live!)).toEqual(Buffer.of());
  expect(parse(await collected(other.live!))).toHaveLength(1);
});

async function collected(lines: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts = [];
  for await (const part of lines) parts.push(part);
  return Buffer.concat(parts);
}

const writes = fc.array(
  fc.record({
    name: fc.constantFrom("a", "b", "c"),
    type: fc.constantFrom("ADDED" as const, "MODIFIED" as const, "DELETED" as const),
    length: fc.integer({ min: 0, max: 300 }),
    resource: fc.constantFrom("configmaps", "secrets"),
  }),
);

test("whatever is dropped, the bytes stay within the limit, and each moment back to the first is known", () => {
  fc.assert(
    fc.property(writes, fc.integer({ min: 500, max: 5000 }), (written, most) => {
      const record = opened(most);
      const states = new Map<string, unknown>();
      const moments = [new Map(states)];
      for (const [index, { name, type, length, resource }] of written.entries()) {
        const one = write(type, name, "x".repeat(length), resource);
        record.add(lineOfWrite(time(index + 1), one));
        expect(record.bytes).toBeLessThanOrEqual(most);
        if (type === "DELETED") states.delete(`${resource} ${name}`);
        else states.set(`${resource} ${name}`, String(one.bytes));
        moments.push(new Map(states));
      }
      const found = moments.map((_, second) => record.statesAt(new Date(time(second))));
      expect(found.map((states) => states && new Map(states.map(placed)))).toEqual(
        moments.map((expected, second) => (time(second) < record.since ? undefined : expected)),
      );
      // The lines that a reader gets lead to the same objects.
      const told = new Set<string>();
      for (const { write: type, key, resource } of pastOf(record).slice(1) as (Told & {
        resource: string;
      })[]) {
        if (type === "DELETED") told.delete(`${resource} ${key}`);
        else told.add(`${resource} ${key}`);
      }
      expect(told).toEqual(new Set(states.keys()));
    }),
  );
});

test("lines that were dropped are not held any more, however long they are", async () => {
  const most = 64 * 1024;
  const record = opened(most);
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const added: WeakRef<Buffer>[] = [];
  for (let index = 1; index <= 100; index++) {
    const one = write("MODIFIED", "a", "x".repeat(16 * 1024));
    record.add(lineOfWrite(time(index), one));
    added.push(new WeakRef(one.bytes));
  }
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(added.filter((one) => one.deref() !== undefined).length).toBeLessThan(10);
});

function placed({ resource, key, bytes }: ClusterWrite): [string, string] {
  return [`${resource} ${key}`, String(bytes)];
}
