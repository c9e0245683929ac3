import { expect, test } from "vitest";
import { isEnding } from "./wait.ts";

const deleted = (deletionTimestamp: string) => ({ metadata: { name: "pod", deletionTimestamp } });
const at = Date.parse("2026-01-01T00:00:00Z");

test("a pod that is told to end may work until its containers are killed, and that is told", () => {
  expect(isEnding(deleted("2026-01-01T00:00:10Z"), at)).toBe(true);
  expect(isEnding(deleted("2025-12-31T23:59:40Z"), at)).toBe(true);
});

test("a pod that nobody told to end, or whose node has not answered since, is not awaited", () => {
  expect(isEnding({ metadata: { name: "pod" } }, at)).toBe(false);
  expect(isEnding(deleted("2025-12-31T23:59:00Z"), at)).toBe(false);
});
