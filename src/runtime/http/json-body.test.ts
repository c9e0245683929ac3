import * as fc from "fast-check";
import { expect, test } from "vitest";
import { JsonLines } from "./json-body.ts";

test("JsonLines gives the same lines wherever the chunks are cut, in characters too", () => {
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), fc.array(fc.nat()), (values, cuts) => {
      const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
      const lines = new JsonLines();
      const result = cut(bytes, cuts).flatMap((chunk) => lines.push(chunk));
      expect(result).toEqual(values.map((value) => JSON.stringify(value)));
      expect(lines.rest).toBe("");
    }),
  );
});

test("JsonLines leaves blank lines out and keeps what has no end yet", () => {
  const lines = new JsonLines();
  expect(lines.push(Buffer.from('\n{"a":1}\r\n\r\n{"b":'))).toEqual(['{"a":1}\r']);
  expect(lines.rest).toBe('{"b":');
});

function cut(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [...new Set([0, ...cuts.map((at) => at % (bytes.length + 1)), bytes.length])];
  places.sort((a, b) => a - b);
  return places.slice(1).map((end, at) => bytes.subarray(places[at], end));
}
