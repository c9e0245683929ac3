import { expect, test } from "vitest";
import { untilRested } from "./trial.ts";

/** An object whose status and version change with the reads. */
function changing(versions: readonly string[], statusFrom: number) {
  let reads = 0;
  let waited = 0;
  const read = async () => {
    const version = versions[Math.min(reads, versions.length - 1)]!;
    reads += 1;
    return [
      {
        metadata: { uid: "1", resourceVersion: version },
        ...(reads > statusFrom ? { status: { ready: 1 } } : {}),
      },
    ];
  };
  const pause = async (milliseconds: number) => void (waited += milliseconds);
  return { read, pause, waited: () => waited };
}

test("objects with a status rest once nothing changed for two seconds", async () => {
  const { read, pause, waited } = changing(["1", "2", "2", "3"], 1);
  const [object] = await untilRested(read, 30, pause);

  expect(object?.metadata.resourceVersion).toBe("3");
  expect(waited()).toBe(2750);
});

test("objects that get no status are returned when the time is over", async () => {
  const { read, pause, waited } = changing(["1"], 1000);

  expect(await untilRested(read, 5, pause)).toHaveLength(1);
  expect(waited()).toBe(5000);
});

test("nothing to wait for takes no longer than resting does", async () => {
  let waited = 0;
  const pause = async (milliseconds: number) => void (waited += milliseconds);

  expect(await untilRested(async () => [], 30, pause)).toEqual([]);
  expect(waited).toBe(2000);
});
