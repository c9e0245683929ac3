import { expect, test } from "vitest";
import { operatorEnd } from "./session-operator.ts";

test.each([
  ["with code 0", ["--log-level", "debug", "--help"], "info"],
  ["with code 0", ["-h"], "info"],
  ["with code 0", ["--log-level", "debug"], "error"],
  ["with code 1", ["--help", "--nosuch"], "error"],
  ["by SIGKILL", ["--help"], "error"],
])("an operator that ends %s and was called with %j is told as an %s", (reason, args, type) => {
  expect(operatorEnd(reason, args, false).type).toBe(type);
});

test("an operator that ends because it has lost its Lease is no error, and nothing is to be edited", () => {
  expect(operatorEnd("with code 1", [], true)).toEqual({
    type: "info",
    text: "the operator ended with code 1, as it must without its Lease",
  });
});
