import { expect, test } from "vitest";
import { operatorEnd } from "./operator-end.ts";

test.each([
  ["with code 0", ["--log-level", "debug", "--help"], "info"],
  ["with code 0", ["-h"], "info"],
  ["with code 0", ["--log-level", "debug"], "error"],
  ["with code 1", ["--help", "--nosuch"], "error"],
  ["by SIGKILL", ["--help"], "error"],
])("an operator that ends %s and was called with %j is told as an %s", (reason, args, type) => {
  expect(operatorEnd(reason, args).type).toBe(type);
});
