import { expect, test } from "vitest";
import type { StatusError } from "../contract/status-error.ts";
import { unforeseen } from "./errors.ts";

test("what JavaScript says stays in the log", () => {
  const { code, status } = unforeseen(new TypeError("a.b is not a function")) satisfies StatusError;
  const message = "This request caused apiserver to panic. Look in the logs for details.";
  expect({ code, status }).toMatchObject({
    code: 500,
    status: { reason: "InternalError", message: `Internal error occurred: ${message}` },
  });
});

test("what the system says is for the client, too", () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { syscall: "write" });
  expect(unforeseen(full).status.message).toBe(
    "Internal error occurred: ENOSPC: no space left on device, write",
  );
});
