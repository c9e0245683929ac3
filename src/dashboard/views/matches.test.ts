import { expect, test } from "vitest";
import { matches } from "./matches.ts";

test.each([
  ["", true],
  ["mysql", true],
  ["SQL sample", true],
  ["sample other", false],
])("the filter %j shows MySQL default/mysql-sample: %s", (filter, isShown) => {
  expect(matches(filter, "MySQL default/mysql-sample")).toBe(isShown);
});
