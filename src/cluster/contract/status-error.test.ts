import { expect, test } from "vitest";
import { notFound } from "./status-error.ts";

test("a StatusError takes no stack, and leaves those of other errors as they are", () => {
  const { stackTraceLimit } = Error;
  const error = notFound({ group: "apps", plural: "deployments", kind: "Deployment" }, "web");
  expect(error.stack).not.toContain("\n");
  expect(Error.stackTraceLimit).toBe(stackTraceLimit);
});
