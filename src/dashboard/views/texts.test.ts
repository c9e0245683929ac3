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
