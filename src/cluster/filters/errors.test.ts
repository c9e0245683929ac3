import { expect, test } from "vitest";
import type { StatusError } from "../contract/status-error.ts";
import { statusErrorOf } from "./errors.ts";

test("messages of JavaScript errors are not shown to clients", () => {
  const { code, status } = statusErrorOf(new TypeError("a.b is not a function")) satisfies StatusError;
  const message = "This request caused apiserver to panic. Look in the logs for details.";
  expect({ code, status }).toMatchObject({
    code: 500,
    status: { reason: "InternalError", message: `Internal error occurred: ${message}` },
  });
});

test("messages of system errors are shown to clients", () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { syscall: "write" });
  expect(statusErrorOf(full).status.message).toBe(
    "Internal error occurred: ENOSPC: no space left on device, write",
  );
});
