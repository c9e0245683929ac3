import { expect, test } from "vitest";
import { matcher } from "./texts.ts";

test.each([
  ["", true],
  [" ", true],
  [" mysql ", true],
  ["mysql", true],
  ["SQL sample", true],
  ["sample other", false],
])("the filter %j shows MySQL default/mysql-sample: %s", (filter, isShown) => {
  expect(matcher(filter)("MySQL default/mysql-sample")).toBe(isShown);
});

test.each([
  ["kind:pod", true],
  ["kind:Deployment", false],
  ["ns:shop", true],
  ["ns:sho", false],
  ["ns:", true],
  ["is:failing", true],
  ["is:ready", false],
  ["is:fail a-1 kind:Pod", true],
  ["is:fail b-1", false],
  ["kind:", true],
])("the filter %j shows a failing Pod shop/a-1: %s", (filter, isShown) => {
  expect(matcher(filter)("Pod shop/a-1", { kind: "Pod", key: "shop/a-1", tone: "bad" })).toBe(isShown);
});
