/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { expect, test } from "vitest";
import {
  count,
  formatGtids,
  includes,
  noGtids,
  parseGtids,
  subtract,
  union,
} from "./maria_gtids.ts";

const set = parseGtids;

test("sets are read as MySQL prints them, and written so that it reads them", () => {
  expect(formatGtids(set("B:7:1-3:4,\nA:1"))).toBe("a:1,b:1-4:7");
  expect(formatGtids(set("a:1-2:daily:1:4-5"))).toBe("a:1-2,a:daily:1:4-5");
  expect(set("")).toEqual(noGtids);
  expect(formatGtids(noGtids)).toBe("");
});

test("sets are joined, subtracted and counted", () => {
  expect(formatGtids(union(set("a:1-3"), set("a:4:9,b:1")))).toBe("a:1-4:9,b:1");
  expect(formatGtids(subtract(set("a:1-10,b:1-3"), set("a:2-3:5"), set("b:1-9")))).toBe(
    "a:1:4:6-10",
  );
  expect(count(set("a:1-10:12,b:1"))).toBe(12);
});

test("a set includes what it has all of", () => {
  expect(includes(set("a:1-10"), set("a:2-3:10"))).toBe(true);
  expect(includes(set("a:1-3"), set("a:1-4"))).toBe(false);
  expect(includes(set("a:1-3"), set("b:1"))).toBe(false);
  expect(includes(noGtids, noGtids)).toBe(true);
});
