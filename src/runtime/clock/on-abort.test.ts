import { getEventListeners } from "node:events";
import { settled } from "@tsbuilder/apimachinery/time";
import { expect, test } from "vitest";
import { onAbort, unlessAborted } from "./waits.ts";

test("onAbort() calls its listener once: at the abort, or at once after it", () => {
  const abort = new AbortController();
  let calls = 0;
  onAbort(abort.signal, () => calls++);
  expect(calls).toBe(0);
  abort.abort();
  expect(calls).toBe(1);
  onAbort(abort.signal, () => calls++);
  expect(calls).toBe(2);
});

test("onAbort() returns how to stop listening", () => {
  const abort = new AbortController();
  let calls = 0;
  const forget = onAbort(abort.signal, () => calls++);
  forget();
  expect(getEventListeners(abort.signal, "abort")).toEqual([]);
  abort.abort();
  expect(calls).toBe(0);
  onAbort(undefined, () => calls++)();
  expect(calls).toBe(0);
});

test("unlessAborted() waits no longer than its signal lets it, and leaves no listener behind", async () => {
  const { signal } = new AbortController();
  expect(await unlessAborted(Promise.resolve(1), signal)).toBe(1);
  await settled();
  expect(getEventListeners(signal, "abort")).toEqual([]);
  const never = new Promise(() => {});
  await expect(unlessAborted(never, AbortSignal.abort(new Error("enough")))).rejects.toThrow("enough");
  const later = new AbortController();
  const waiting = unlessAborted(never, later.signal);
  later.abort(new Error("later"));
  await expect(waiting).rejects.toThrow("later");
});
