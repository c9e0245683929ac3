import { fnv64 } from "@tsbuilder/apimachinery/text";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { parseShardSelector } from "../../cluster/handlers/list-options.ts";
import { assignRanges } from "./member.ts";
import {
  allRanges,
  countRanges,
  formatRanges,
  hasRange,
  noRanges,
  parseRanges,
  rangeCount,
  rangeOf,
  shardSelectorOf,
} from "./ranges.ts";

const someRanges = fc
  .uniqueArray(fc.nat(rangeCount - 1), { minLength: 1 })
  .map((list) => list.reduce((ranges, range) => ranges | (1n << BigInt(range)), noRanges));
const names = fc.uniqueArray(fc.string({ minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 70 });

test.each(["uid", "namespace"] as const)("the selector by %s matches the objects of its ranges", (field) => {
  fc.assert(
    fc.property(someRanges, fc.array(fc.uuid()), (ranges, texts) => {
      const selector = parseShardSelector(shardSelectorOf(field, ranges))!;
      for (const text of texts) {
        const object = { apiVersion: "v1", kind: "Thing", metadata: { name: "a", [field]: text } };
        expect(selector.matches(object)).toBe(hasRange(ranges, rangeOf(text)));
      }
    }),
  );
});

test("neighbouring ranges are one in the selector", () => {
  expect(shardSelectorOf("uid", allRanges)).toBe(
    "shardRange(object.metadata.uid,'0x0000000000000000','0x10000000000000000')",
  );
  expect(shardSelectorOf("uid", noRanges)).toBe("");
  expect(rangeOf("foobar")).toBe(Number(fnv64("foobar") >> 58n));
});

test("ranges are written as sixteen digits", () => {
  fc.assert(
    fc.property(someRanges, (ranges) => {
      expect(parseRanges(formatRanges(ranges))).toBe(ranges);
    }),
  );
  for (const text of [undefined, "", "1", "0x00000000000001", "g".repeat(16)])
    expect(parseRanges(text)).toBeUndefined();
});

test("each range is assigned to one member, and all have as many, but for one", () => {
  fc.assert(
    fc.property(names, (members) => {
      const shares = [...assignRanges(members).values()];
      expect(shares.reduce((all, share) => all | share, noRanges)).toBe(allRanges);
      const counts = shares.map(countRanges);
      expect(counts.reduce((sum, count) => sum + count, 0)).toBe(rangeCount);
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    }),
  );
});

test("all who know the same members assign alike, and who joins moves hardly more than its own part", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.uuid(), { minLength: 2, maxLength: 12 }), ([joining, ...members]) => {
      const before = assignRanges(members);
      expect([...assignRanges(members).entries()]).toEqual([...before.entries()]);
      const after = assignRanges([...members, joining!]);
      const moved = members.reduce(
        (sum, member) => sum + countRanges(before.get(member)! & ~after.get(member)!),
        0,
      );
      expect(moved).toBeLessThan(rangeCount / (members.length + 1) + 16);
    }),
  );
});
