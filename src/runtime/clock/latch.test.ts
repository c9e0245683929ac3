import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { Latch } from "./waits.ts";

test.each<[string, (latch: Latch) => void]>([
  ["open", (latch) => latch.open()],
  ["broken", (latch) => latch.break(new Error("broken"))],
])("who waited for a latch leaves no listener behind once it is %s", async (_, end) => {
  const latch = new Latch();
  const { signal } = new AbortController();
  const waits = Promise.allSettled([latch.wait(signal), latch.wait(signal)]);
  expect(getEventListeners(signal, "abort")).toHaveLength(2);
  end(latch);
  await waits;
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("who gave up waiting for a latch is forgotten, and the others go on waiting", async () => {
  const latch = new Latch();
  const impatient = new AbortController();
  const [gaveUp, waits] = [latch.wait(impatient.signal), latch.wait()];
  impatient.abort(new Error("no time"));
  await expect(gaveUp).rejects.toThrow("no time");
  latch.open();
  await waits;
});
