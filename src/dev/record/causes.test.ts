import * as fc from "fast-check";
import { expect, test } from "vitest";
import { causeOfRequeue, causesOf, objectOfCause, requeueOfCause } from "./recorded.ts";

test("the object of each of its causes is found", () => {
  const word = fc.stringMatching(/^[a-z0-9.-]+$/u);
  fc.assert(
    fc.property(word, fc.option(word), word, (kind, namespace, name) => {
      const object = { kind, key: namespace === null ? name : `${namespace}/${name}` };
      for (const cause of causesOf(object)) {
        expect(objectOfCause(cause)).toEqual(object);
        expect(requeueOfCause(cause)).toBeUndefined();
      }
    }),
  );
});

test("a requeue names its delay, and no object", () => {
  for (const milliseconds of [0, 100, 5000, 3_600_000]) {
    expect(requeueOfCause(causeOfRequeue(milliseconds))).toBe(milliseconds);
    expect(objectOfCause(causeOfRequeue(milliseconds))).toBeUndefined();
  }
});

test.each(["", "retry after error", "interval", "add of MySQL", "create of MySQL default/db"])(
  "%j names neither",
  (cause) => {
    expect([objectOfCause(cause), requeueOfCause(cause)]).toEqual([undefined, undefined]);
  },
);
